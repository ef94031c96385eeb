"""Makes a database ours, and tells when it is another program's or of another version."""

import re
from functools import cache
from importlib.resources import files
from typing import Any, Final

from ...errors import SchemaError, StoreError
from .catalogue import Geometry, rewrite, to_geometry
from .server import Ask, Server, statement
from .write import lock

OLDEST: Final = (5, 26)
"""The first release with everything the store uses; it is the one of the 5 line that is maintained
longest."""

_SCRIPT = re.compile(r"m(\d{3})_\w+\.cypher")
_SEPARATOR = re.compile(r";\s*(?:\n|\Z)")
_FORGET_ROWS: Final = 10_000
_INDEX_TIMEOUT_S: Final = 60


@cache
def scripts() -> tuple[str, ...]:
    """The statements of every migration, in order; the first makes version 1."""
    folder = files(__package__) / "statements"
    found = sorted((f for f in folder.iterdir() if _SCRIPT.fullmatch(f.name)), key=lambda f: f.name)
    return tuple(f.read_text(encoding="utf-8") for f in found)


def check_agent(agent: str, *, address: str) -> None:
    """Refuse what is no Neo4j of version 5.26 or newer; `agent` is such as `Neo4j/5.26.12`.

    Raises:
        StoreError: it is not supported.
    """
    found = re.fullmatch(r"Neo4j/(\d+)\.(\d+)[\w.+-]*", agent)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise StoreError(
            f"The server {address} is {agent.replace('/', ' ')}; Neo4j 5.26 or newer is needed.",
            hint="Upgrade it, or start one with: docker compose up -d",
        )


def prepare(server: Server) -> None:
    """Bring a database of ours up to date, and make an empty one ours.

    Raises:
        SchemaError: a later version of the program made it.
        StoreError: it holds another program's data.
    """
    found = version(server)
    if found == len(scripts()):
        return
    for script in scripts()[found:]:
        for text in filter(None, (part.strip() for part in _SEPARATOR.split(script))):
            server.change_schema(text)
    server.read("await_indexes", timeout_s=_INDEX_TIMEOUT_S)
    server.write(lambda ask: ask("make_store", version=len(scripts())))


def settle(server: Server, wanted: Geometry) -> None:
    """Take the caller's geometry where the store holds no vectors yet."""
    row = server.read("geometry")[0]
    if _keeps(row, wanted):
        return
    if server.read("vector_index_length") not in ([], [[wanted.dim]]):
        server.change_schema(statement("drop_vector_index"))
    server.change_schema(statement("vector_index"), options=_options(wanted.dim))

    def work(ask: Ask) -> None:
        totals = lock(ask)
        if not _keeps(ask("geometry")[0], wanted):
            _set_geometry(ask, totals, wanted)

    server.write(work)


def reset_vectors(server: Server, new: Geometry) -> None:
    """Forget every vector, so that those of another embedder can be written."""
    server.change_schema(statement("drop_vector_index"))
    while server.write(lambda ask: ask("forget_vectors", limit=_FORGET_ROWS))[0][0]:
        pass
    server.write(lambda ask: _set_geometry(ask, lock(ask), new))
    server.change_schema(statement("vector_index"), options=_options(new.dim))


def version(server: Server) -> int:
    """The version of the store in a database, 0 where it is empty.

    Raises:
        SchemaError: a later version of the program made it.
        StoreError: it holds another program's data.
    """
    # In this order: another process may make the store between the two questions.
    was_empty = server.read("is_empty")[0][0]
    found = server.read("store")
    if found:
        made = int(found[0][0])
        if made > len(scripts()):
            raise SchemaError(
                f"The store {server.address.shown} has schema version {made}; this program "
                f"knows up to {len(scripts())}.",
                hint="Upgrade with: pip install --upgrade stepladder",
            )
        return made
    if not was_empty:
        raise StoreError(
            f"The database {server.address.shown} has nodes but no Stepladder schema.",
            hint="Give the address of an empty database: neo4j://host:7687/name",
        )
    return 0


def _keeps(row: list[Any], wanted: Geometry) -> bool:
    """Tell whether the stored geometry stays: it is the wanted one, or vectors are there."""
    dim, centre, any_vector = row
    return dim is not None and (
        any_vector or to_geometry({"dim": dim, "centre": centre}).fits(wanted)
    )


def _set_geometry(ask: Ask, totals: dict[str, Any], new: Geometry) -> None:
    """Keep a geometry, and write the catalogue anew in it, without codes."""
    sequence = totals["sequence"] + 1
    centre = new.centre.astype("<f4").tobytes()
    ask("totals", totals={"dim": new.dim, "centre": centre, "sequence": sequence})
    rewrite(ask, new, sequence=sequence)


def _options(dim: int) -> dict[str, Any]:
    config = {
        "vector.dimensions": dim,
        "vector.similarity_function": "cosine",
        "vector.quantization.enabled": False,
    }
    return {"indexConfig": config}
