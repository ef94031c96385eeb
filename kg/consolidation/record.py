"""A consolidation as a `MergeRun` node: what it rested on, what it did, enough to undo it."""

import json
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import blake2b
from typing import Any, Final

from ..errors import StoreError
from ..ids import content_id
from ..types import Edge, Insight, MergeRun, Node, from_properties, label_of, to_properties
from .plan import Limits
from .prints import PRINT_BYTES, Prints
from .statistics import Statistics, expand, pack, squeeze, unpack

_FORM: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """Nodes and edges that a consolidation took out, as they were."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.nodes or self.edges)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A merged insight that a consolidation made, its members, and what it took the place of."""

    id: str
    members: tuple[str, ...]
    why: str
    nearness: float
    promoted: bool = False
    tasks: int = 0
    projects: int = 0
    removed: Removed = field(default_factory=Removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One consolidation.

    Runs are numbered in the order in which they were made. `seen` are fingerprints of the
    insights it was the first to consider, `again` ids of those that an earlier one may have
    considered in other words. `removed` is what it took out without a successor. A
    record that is not `done` is of a run that was interrupted.
    """

    id: str
    time: str
    number: int
    done: bool = False
    limits: Limits = field(default_factory=Limits)
    statistics: Statistics | None = None
    seen: Prints = field(default_factory=Prints)
    again: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    made: tuple[Made, ...] = ()
    removed: Removed = field(default_factory=Removed)

    def node(self) -> MergeRun:
        """The record as a node of the graph."""
        values = {
            "form": _FORM,
            "number": self.number,
            "done": self.done,
            "limits": asdict(self.limits),
            "statistics": pack(self.statistics) if self.statistics else None,
            "seen": b64encode(self.seen.block).decode("ascii"),
            "again": list(self.again),
            "counts": dict(sorted(self.counts.items())),
            "merges": [_made_values(m) for m in self.made],
            "removed": _removed_text(self.removed),
        }
        text = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return MergeRun(id=self.id, created=self.time, parameters=text, merges=len(self.made))

    def without(self, ids: Collection[str]) -> "Record":
        """The record as if it had not made these merged insights."""
        return replace(self, made=tuple(m for m in self.made if m.id not in ids))


class Considered:
    """Which insights some runs considered, and in which words last."""

    def __init__(self, records: Iterable[Record]) -> None:
        known = tuple(records)
        self._seen = Prints.joined(r.seen for r in known)
        self._last = {id: r.seen for r in known for id in r.again}

    def __contains__(self, insight: Insight) -> bool:
        return fingerprint(insight) in self._last.get(insight.id, self._seen)


def read_record(node: MergeRun) -> Record | None:
    """The record that a node holds, None where another program made the node.

    Raises:
        StoreError: another version of this program made it.
    """
    values = _values(node.parameters)
    if "form" not in values or "seen" not in values:
        return None
    if values["form"] != _FORM:
        raise StoreError(
            f"The consolidation {node.id} was recorded in form {values['form']!r}; "
            f"this version reads form {_FORM}.",
            hint="Use the version of stepladder that made it.",
        )
    return Record(
        id=node.id,
        time=node.created,
        number=values["number"],
        done=values["done"],
        limits=_limits(values["limits"]),
        statistics=unpack(values["statistics"]) if values["statistics"] else None,
        seen=Prints(b64decode(values["seen"])),
        again=tuple(values.get("again", ())),
        counts=values["counts"],
        made=tuple(_made(v) for v in values["merges"]),
        removed=_removed(values["removed"]),
    )


def _limits(values: Mapping[str, Any]) -> Limits:
    """The limits that a run had, as far as there still are such limits."""
    known = {f.name for f in fields(Limits)}
    return Limits(**{name: value for name, value in values.items() if name in known})


def _values(parameters: str) -> dict[str, Any]:
    try:
        values = json.loads(parameters)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def run_id(time: str, seen: Prints, about: Iterable[str]) -> str:
    """The id of a run: by its time, what it first considered, and what it is about."""
    return content_id("merge", time, seen.block.hex(), *sorted(about))


def fingerprint(insight: Insight) -> bytes:
    """Eight bytes that change with anything that decides what an insight may be merged with."""
    parts = (
        insight.id,
        insight.full,
        insight.scope,
        insight.polarity,
        *insight.domains,
        "",
        *insight.tools,
    )
    joined = "\0".join(parts).encode("utf-8", errors="surrogatepass")
    return blake2b(joined, digest_size=PRINT_BYTES).digest()


def _made_values(made: Made) -> dict[str, Any]:
    return {
        "id": made.id,
        "members": list(made.members),
        "why": made.why,
        "nearness": round(made.nearness, 4),
        "promoted": made.promoted,
        "tasks": made.tasks,
        "projects": made.projects,
        "removed": _removed_text(made.removed),
    }


def _made(values: Mapping[str, Any]) -> Made:
    given = {**values, "members": tuple(values["members"]), "removed": _removed(values["removed"])}
    return Made(**given)


def _removed_text(removed: Removed) -> str:
    if not removed:
        return ""
    return squeeze(
        {
            "nodes": [[label_of(n), to_properties(n)] for n in removed.nodes],
            "edges": [asdict(e) for e in removed.edges],
        }
    )


def _removed(text: str) -> Removed:
    if not text:
        return Removed()
    values = expand(text)
    return Removed(
        nodes=tuple(from_properties(label, properties) for label, properties in values["nodes"]),
        edges=tuple(Edge(**e) for e in values["edges"]),
    )
