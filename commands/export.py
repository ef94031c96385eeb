"""Writing the graph for other programs."""

from pathlib import Path

import click

from ..kg.types import Scope
from ..serve.cypher_json import exported_json
from .options import as_json, project_option
from .shell import opened, print_json


@click.group()
def export() -> None:
    """Write the graph to a file for another program.

    \b
    Example:
      stepladder export graphml out.graphml
      stepladder export cypher out.cypher
    """


@export.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@project_option
@as_json
@click.pass_obj
def graphml(store: str, file: Path, project: str, as_json: bool) -> None:
    """Write GraphML, which Gephi, yEd, Cytoscape and networkx read.

    With --project only what that repository may see is written. Vectors are left out.

    \b
    Example:
      stepladder export graphml out.graphml --project acme/api
    """
    _write(store, "graphml", file, project=project, as_json=as_json)


@export.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@project_option
@as_json
@click.pass_obj
def cypher(store: str, file: Path, project: str, as_json: bool) -> None:
    """Write a script of Cypher statements that makes the same graph in Neo4j.

    With --project only what that repository may see is written. Vectors are left out.

    \b
    Example:
      stepladder export cypher out.cypher
      cypher-shell -f out.cypher
    """
    _write(store, "cypher", file, project=project, as_json=as_json)


def _write(store: str, form: str, file: Path, *, project: str, as_json: bool) -> None:
    scope = Scope.of(project) if project else None
    with opened(store) as kb:
        written = kb.export(form, file, scope=scope)
    if as_json:
        print_json(exported_json(written))
    else:
        nodes, edges = sum(written.nodes.values()), sum(written.edges.values())
        click.echo(
            f"{nodes:,} nodes and {edges:,} relationships written to {file}; "
            f"checksum {written.checksum}."
        )
