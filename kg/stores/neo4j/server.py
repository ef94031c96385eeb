"""The connection to a server: statements by name, one managed transaction a call."""

import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any, Final, LiteralString, Protocol, TypeVar

from neo4j import (
    Driver,
    GraphDatabase,
    ManagedTransaction,
    NotificationMinimumSeverity,
    Query,
    Result,
    RoutingControl,
    Session,
)
from neo4j.exceptions import ClientError, DriverError, Neo4jError, ServiceUnavailable

from ...errors import StoreError
from .address import Address
from .refusals import as_store_error, unreachable_members

CONNECT_TIMEOUT_S: Final = 2.0
PROBE_TIMEOUT_S: Final = 3.0
"""How long one address, and a server as a whole, may take to answer at all: a wrong address is told
within 5 seconds."""

_FETCH_SIZE: Final = 2000
_SILENT: Final = logging.NullHandler()

_MADE_MEANWHILE: Final = (
    "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists",
    "Neo.ClientError.Schema.ConstraintAlreadyExists",
    "Neo.ClientError.Schema.IndexAlreadyExists",
)
"""What IF NOT EXISTS still says where another process makes the same at the same moment."""

T = TypeVar("T")
Row = list[Any]


class Ask(Protocol):
    """Runs the statement of this name and returns its rows, see `statement`."""

    def __call__(
        self, name: str, replaced: tuple[str, str] = ("", ""), /, **parameters: Any
    ) -> list[Row]: ...


@cache
def statement(name: str, replaced: tuple[str, str] = ("", "")) -> LiteralString:
    """The text of `statements/<name>.cypher`, with those inserted that it names.

    Labels and types cannot be parameters. `replaced` is a word that stands in the text for one,
    and labels or types of ours to put there: never anything that came from outside.
    """
    text = files(__package__).joinpath("statements", f"{name}.cypher").read_text(encoding="utf-8")
    text = re.sub(r"^ *INSERT (\w+)\n", lambda named: statement(named[1]), text, flags=re.MULTILINE)
    placeholder, names = replaced
    if placeholder:
        text = re.sub(rf":{placeholder}\b", f":{names}", text)
    return text


class Server:
    """A pool of connections to one database, for many threads.

    Every transaction begins after all earlier ones of this process, on whichever server of a
    cluster it runs. A forked process opens connections of its own.
    """

    def __init__(self, address: Address, *, timeout_s: float) -> None:
        """Prepare a connection; nothing is sent yet.

        Args:
            timeout_s: how long a call repeats a transaction that failed for a passing reason.
        """
        self.address = address
        self._timeout_s = timeout_s
        self._lock = Lock()
        self._closed = False
        self._process = os.getpid()
        self._driver = self._begin()

    def agent(self) -> str:
        """What the server says it is, such as `Neo4j/5.26.12`.

        It is asked directly: where a cluster is looked for, the driver keeps to itself why it
        found none.

        Raises:
            StoreError: it does not answer, or not to us.
        """
        with self._translated():
            with self._connect(self.address.direct, acquire_s=PROBE_TIMEOUT_S) as probe:
                agent = probe.get_server_info().agent
            try:
                self.driver.verify_connectivity()
            except ServiceUnavailable as error:
                raise unreachable_members(self.address) from error
            return agent

    @property
    def driver(self) -> Driver:
        """The driver of this process.

        Raises:
            StoreError: the store is closed.
        """
        with self._lock:
            if self._closed:
                raise StoreError(
                    f"The store {self.address.shown} is closed.",
                    hint="Open it again before using it.",
                )
            if self._process != os.getpid():
                _ABANDONED.append(self._driver)  # its sockets are the parent's; do not close them
                self._process = os.getpid()
                self._driver = self._begin()
            return self._driver

    def read(
        self, name: str, replaced: tuple[str, str] = ("", ""), /, **parameters: Any
    ) -> list[Row]:
        """Run one statement that only reads, where a cluster has readers.

        Raises:
            StoreError: the server could not answer.
        """
        with self._translated():
            return self.driver.execute_query(
                statement(name, replaced),
                parameters,
                routing_=RoutingControl.READ,
                database_=self.address.database,
                bookmark_manager_=self._bookmarks,
                result_transformer_=_rows,
            )

    def write(self, work: Callable[[Ask], T], *, keep: bool = True) -> T:
        """Run work in one transaction, again where it failed for a passing reason.

        With `keep=False` it is undone at the end.

        Raises:
            StoreError: the server could not do it; nothing of it is kept.
        """
        with self._translated(), self._session() as session:
            if keep:
                return session.execute_write(lambda transaction: work(_asking(transaction)))
            with session.begin_transaction() as transaction:
                result = work(_asking(transaction))
                transaction.rollback()
                return result

    def change_schema(self, text: LiteralString, /, **parameters: Any) -> None:
        """Run a statement that makes or drops a constraint or an index.

        Raises:
            StoreError: the server could not do it.
        """
        with self._translated():
            try:
                self.driver.execute_query(
                    Query(text),
                    parameters,
                    database_=self.address.database,
                    bookmark_manager_=self._bookmarks,
                )
            except ClientError as error:
                if error.code not in _MADE_MEANWHILE:
                    raise

    def close(self) -> None:
        """Close all connections."""
        with self._lock:
            if not self._closed and self._process == os.getpid():
                self._driver.close()
            self._closed = True

    def _begin(self) -> Driver:
        self._bookmarks = GraphDatabase.bookmark_manager()
        return self._connect(self.address.uri, acquire_s=self._timeout_s)

    def _connect(self, uri: str, *, acquire_s: float) -> Driver:
        # Without a handler Python prints the driver's warnings; what matters is in our errors.
        logging.getLogger("neo4j").addHandler(_SILENT)
        return GraphDatabase.driver(
            uri,
            auth=(self.address.user, self.address.password) if self.address.user else None,
            connection_timeout=CONNECT_TIMEOUT_S,
            connection_acquisition_timeout=acquire_s,
            max_transaction_retry_time=self._timeout_s,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            user_agent="stepladder",
        )

    def _session(self) -> Session:
        return self.driver.session(
            database=self.address.database,
            bookmark_manager=self._bookmarks,
            fetch_size=_FETCH_SIZE,
        )

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (DriverError, Neo4jError) as error:
            raise as_store_error(error, self.address) from error


_ABANDONED: Final[list[Driver]] = []


class _Runs(Protocol):
    def run(self, query: LiteralString, parameters: dict[str, Any]) -> Result: ...


def _asking(transaction: "ManagedTransaction | _Runs") -> Ask:
    def ask(name: str, replaced: tuple[str, str] = ("", ""), /, **parameters: Any) -> list[Row]:
        return _rows(transaction.run(statement(name, replaced), parameters))

    return ask


def _rows(result: Result) -> list[Row]:
    return [record.values() for record in result]
