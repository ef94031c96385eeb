"""What every page is made from: the request as values, the page as data and a template."""

import json
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from threading import Lock
from typing import Any, Final, TypeVar

from starlette.datastructures import Headers

from ...facade import KnowledgeBase
from ...kg.errors import UsageError
from .passes import Pass

T = TypeVar("T")
_NOTICES: Final = 100
_KEPT: Final = 100
MAX_PAGE: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request: the parts of its path, its query, and the fields of its form."""

    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """A value of the query, empty where it is not given."""
        return self.query.get(name, "").strip()

    @property
    def page(self) -> int:
        """Which page of a list is asked for, from 1.

        Raises:
            UsageError: it is no such number.
        """
        given = self.text("page") or "1"
        if not given.isascii() or not given.isdigit() or not 1 <= int(given[:9]) <= MAX_PAGE:
            raise UsageError(f"page is a number from 1 to {MAX_PAGE:,}, not {given[:20]!r}.")
        return int(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: what it says, which is its JSON twin too, and what only the picture of it needs."""

    template: str
    title: str
    data: Mapping[str, Any]
    beside: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A change that was made: where to go now, and what to say there."""

    to: str
    said: str


View = Callable[["Site", Asked], Page]
Deed = Callable[["Site", Asked], Done]


class Site:
    """The knowledge base that is explored, and what is remembered between requests.

    Reading is done by several threads at once; writing by one after the other, inside `writing`.
    """

    def __init__(self, kb: KnowledgeBase, key: Pass) -> None:
        self.kb = kb
        self.key = key
        self.writing = Lock()
        self._notices: deque[tuple[str, str]] = deque(maxlen=_NOTICES)
        self._kept: dict[Hashable, tuple[int, Any]] = {}

    def kept(self, name: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made again only after something was written to the store."""
        sequence = self.kb.store.sequence()
        known = self._kept.get(name)
        if known is not None and known[0] == sequence:
            value: T = known[1]
            return value
        made = make()
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        self._kept[name] = (sequence, made)
        return made

    def note(self, said: str) -> str:
        """Keep something to say on the next page; return what it is found by."""
        name = token_hex(8)
        self._notices.append((name, said))
        return name

    def noted(self, name: str) -> str:
        """What was kept under a name, empty where nothing is."""
        return next((said for known, said in list(self._notices) if known == name), "")

    def may_write(self, headers: Headers) -> bool:
        """Tell whether the pages of this browser offer changes."""
        return self.key.holds_cookie(headers)


def json_text(value: Any) -> bytes:
    """A value as JSON in ASCII, so that no character in it can act or hide."""
    return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False).encode("ascii")
