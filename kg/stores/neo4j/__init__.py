"""The store on a Neo4j server, for teams."""

from ...errors import PluginError

try:
    from .store import Neo4jStore
except ModuleNotFoundError as error:
    if error.name != "neo4j":
        raise
    raise PluginError(
        "The Neo4j store needs the package 'neo4j'.",
        hint="Install it with: pip install 'stepladder[neo4j]'",
    ) from error

__all__ = ["Neo4jStore"]
