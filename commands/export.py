"""Writing the graph for other programs."""

from pathlib import Path

import click

from ..kg.types import Scope
from ..queries.handout import agents_section
from ..queries.handout import skills as skills_of
from ..serve import handout
from ..serve.cypher_json import exported_json
from ..serve.install.edits import Edit
from .options import as_json, domain_option, project_option
from .shell import opened, print_json

_dry_run = click.option("--dry-run", is_flag=True, help="Say what would change, write nothing.")
_least_tasks = click.option(
    "--least-tasks",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    help="Tasks that must bear out a shared insight.",
)
_limit = click.option("--limit", type=click.IntRange(1), help="At most so many insights.")


@click.group()
def export() -> None:
    """Write the graph, or what it teaches, for others.

    \b
    Example:
      stepladder export skills .claude/skills
      stepladder export agents-md AGENTS.md --project acme/api
      stepladder export pack lessons.pack.jsonl --licence CC-BY-4.0
      stepladder export graphml out.graphml
      stepladder export cypher out.cypher
    """


@export.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@project_option
@domain_option
@_least_tasks
@_limit
@_dry_run
@as_json
@click.pass_obj
def skills(
    store: str,
    folder: Path,
    project: str,
    domain: str,
    least_tasks: int,
    limit: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write what was learned as skills: a SKILL.md in a folder for each kind of lesson.

    Shared insights are written, with --project those of that repository too. Files that this
    command made before are replaced; others are never touched.

    \b
    Example:
      stepladder export skills .claude/skills --dry-run
      stepladder export skills ~/.claude/skills --domain repo-bugfix
    """
    with opened(store) as kb:
        found = kb.lessons(project=project, domain=domain, least_tasks=least_tasks)[:limit]
    edits = handout.skill_edits(folder, skills_of(found))
    if not dry_run:
        handout.write_skills(edits)
    _told(edits, insights=len(found), dry_run=dry_run, as_json=as_json)


@export.command("agents-md")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default=Path("AGENTS.md"))
@project_option
@domain_option
@_least_tasks
@click.option(
    "--budget-tokens",
    type=click.IntRange(100),
    default=1500,
    show_default=True,
    help="How long the section may get.",
)
@click.option("--remove", is_flag=True, help="Take the section out again.")
@_dry_run
@as_json
@click.pass_obj
def agents_md(
    store: str,
    file: Path,
    project: str,
    domain: str,
    least_tasks: int,
    budget_tokens: int,
    remove: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write a section of lessons into a file that agents read, such as AGENTS.md.

    It stands between two markers; nothing else of the file changes, and --remove takes it out.

    \b
    Example:
      stepladder export agents-md --project acme/api --dry-run
      stepladder export agents-md CLAUDE.md --budget-tokens 800
    """
    with opened(store) as kb:
        found = kb.lessons(project=project, domain=domain, least_tasks=least_tasks)
    section = "" if remove or not found else agents_section(found, budget_tokens=budget_tokens)
    edit = handout.section_edit(file, section)
    if not dry_run and edit.changes:
        edit.write()
    insights = section.count("\n- ")
    if dry_run and not as_json:
        click.echo(edit.diff(), nl=False)
    _told([edit], insights=insights, dry_run=dry_run, as_json=as_json)


@export.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--licence",
    required=True,
    help="SPDX name of the licence you give the insights away under, such as CC-BY-4.0.",
)
@domain_option
@_least_tasks
@_limit
@_dry_run
@as_json
@click.pass_obj
def pack(
    store: str,
    file: Path,
    licence: str,
    domain: str,
    least_tasks: int,
    limit: int | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Write shared insights as a pack, one JSON object a line, for others to import.

    Each line holds the words of an insight, counts of what bears it out and hashes of its runs;
    no run, project or person is named. `stepladder import` reads it.

    \b
    Example:
      stepladder export pack lessons.pack.jsonl --licence CC-BY-4.0
      stepladder export pack lessons.pack.jsonl --licence CC0-1.0 --least-tasks 5 --dry-run
    """
    with opened(store) as kb:
        found = kb.lessons(domain=domain, least_tasks=least_tasks)[:limit]
        made = kb.pack(found, licence=licence)
    if not dry_run:
        Edit(path=file, before=None, after="\n".join([*made.lines, ""])).write()
    if as_json:
        print_json(handout.pack_json(made, file=file, dry_run=dry_run))
        return
    would = "would be written" if dry_run else "written"
    click.echo(f"{len(made.lines) - 1:,} insights {would} to {file} under {licence}.")
    for id, why in made.left_out.items():
        click.echo(f"  left out {id}: {why}")


def _told(edits: list[Edit], *, insights: int, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json(handout.edits_json(edits, insights=insights, dry_run=dry_run))
        return
    changed = [e for e in edits if e.changes]
    for edit in changed:
        click.echo(f"{'remove' if edit.after is None else 'write'}  {edit.path}")
    if not insights and not changed:
        click.echo(
            "No insight is borne out by enough tasks yet. See what there is: stepladder stats"
        )
        return
    done = "would change" if dry_run else "changed"
    click.echo(f"{insights:,} insights; {len(changed)} of {len(edits)} files {done}.")


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
