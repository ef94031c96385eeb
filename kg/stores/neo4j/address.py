"""Where a server is and who asks: `neo4j://user:password@host:7687/database` taken apart."""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

from ...errors import UsageError
from ...settings import Settings

SCHEMES: Final = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""What the driver understands: `neo4j` finds the servers of a cluster, `bolt` speaks to one;
`+s` encrypts, `+ssc` encrypts and takes any certificate."""

_PORT: Final = 7687
_DEFAULT_USER: Final = "neo4j"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A server, a database on it, and credentials, which are left out when it is shown.

    `database` is None for the user's home database; `user` is empty where nobody named one.
    """

    uri: str
    database: str | None
    user: str
    password: str = field(repr=False)

    @property
    def shown(self) -> str:
        """What messages call it."""
        return f"{self.uri}/{self.database}" if self.database else self.uri

    @property
    def direct(self) -> str:
        """The address of this one server, whether or not it is part of a cluster."""
        scheme, _, rest = self.uri.partition("://")
        return f"{scheme.replace('neo4j', 'bolt')}://{rest.partition('?')[0]}"

    @property
    def encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.uri.partition("://")[0].endswith(("+s", "+ssc"))

    @property
    def twin(self) -> str:
        """The same server with encryption turned round, to suggest where one side wants it."""
        scheme, _, rest = self.uri.partition("://")
        return f"{scheme.partition('+')[0]}{'' if self.encrypted else '+s'}://{rest}"


def parse(text: str, settings: Settings) -> Address:
    """Take an address apart; credentials that are not in it come from the settings.

    Raises:
        UsageError: it is no address of a Neo4j server.
    """
    parts = urlsplit(text)
    example = "neo4j://localhost:7687 or neo4j+s://db.example.org/team"
    try:
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise UsageError(
            "The port of the address is no number.", hint=f"Write {example}"
        ) from error
    if parts.scheme not in SCHEMES or not host:
        raise UsageError("This is no address of a Neo4j server.", hint=f"Write {example}")
    database = unquote(parts.path.strip("/"))
    if "/" in database:
        raise UsageError(f"{database!r} is no name of a database.", hint=f"Write {example}")
    host = f"[{host}]" if ":" in host else host
    query = f"?{parts.query}" if parts.query else ""
    password = settings.neo4j_password if parts.password is None else unquote(parts.password)
    user = settings.neo4j_username if parts.username is None else unquote(parts.username)
    return Address(
        uri=f"{parts.scheme}://{host}:{port or _PORT}{query}",
        database=database or None,
        user=user or (_DEFAULT_USER if password else ""),
        password=password,
    )
