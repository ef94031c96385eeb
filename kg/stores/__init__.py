"""The stores, found by the scheme of an address; a path is a SQLite file."""

from collections.abc import Mapping
from typing import Final

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
    scheme, separator, _ = address.partition("://")
    name = scheme if separator else "sqlite"
    store_type = plugins.load(name, group=GROUP, built_in=BUILT_IN)
    store: GraphStore = store_type.open(address, dim=embedder.dim, centre=embedder.centre)
    return store
