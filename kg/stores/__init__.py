"""The stores, found by the scheme of an address; a path is a SQLite file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from .. import plugins
from ..protocols import Embedder, GraphStore

GROUP: Final = "stepladder.stores"
BUILT_IN: Final[Mapping[str, str]] = {
    "sqlite": "stepladder.kg.stores.sqlite.store:SQLiteStore",
    "neo4j": "stepladder.kg.stores.neo4j.store:Neo4jStore",
    "neo4j+s": "stepladder.kg.stores.neo4j.store:Neo4jStore",
    "neo4j+ssc": "stepladder.kg.stores.neo4j.store:Neo4jStore",
    "bolt": "stepladder.kg.stores.neo4j.store:Neo4jStore",
    "bolt+s": "stepladder.kg.stores.neo4j.store:Neo4jStore",
    "bolt+ssc": "stepladder.kg.stores.neo4j.store:Neo4jStore",
}


def open_store(address: str, *, embedder: Embedder) -> GraphStore:
    """Open the store at an address such as `memory.db`, `sqlite://memory.db` or `neo4j://host`.

    Raises:
        UsageError: no store serves the scheme.
        StoreError: the store could not be opened.
    """
    store: GraphStore = _type_at(address).open(address, dim=embedder.dim, centre=embedder.centre)
    return store


def is_there(address: str) -> bool:
    """Tell whether a store is at an address already; nothing is made there.

    A kind of store that is more than a file answers this itself, with a class method of this name.

    Raises:
        UsageError: no store serves the scheme.
        StoreError: a server does not answer, or holds another program's data.
    """
    ask = getattr(_type_at(address), "is_there", None)
    return bool(ask(address)) if ask else _file(address).exists()


def shown(address: str) -> str:
    """An address as messages may show it: without a password."""
    if "@" not in address or "://" not in address:
        return address
    parts = urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def same_place(a: str, b: str) -> bool:
    """Tell whether two addresses name one store, as far as the addresses say."""
    return _place(a) == _place(b)


def _type_at(address: str) -> Any:
    scheme, separator, _ = address.partition("://")
    return plugins.load(scheme if separator else "sqlite", group=GROUP, built_in=BUILT_IN)


def _file(address: str) -> Path:
    return Path(address.removeprefix("sqlite://")).absolute()


def _place(address: str) -> str:
    scheme, separator, _ = address.partition("://")
    if not separator or scheme == "sqlite":
        return str(_file(address).resolve())
    parts = urlsplit(shown(address))
    return f"{parts.netloc.lower()}/{parts.path.strip('/')}"
