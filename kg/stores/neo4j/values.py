"""Nodes, edges and candidates as property maps, and back. Knows no connection."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from hashlib import blake2b
from typing import Any, Final

from ...errors import StoreError, UsageError
from ...protocols import Candidate
from ...types import NODE_TYPES, SHARED, Edge, Memory, Node, Scope, Support, label_of
from ..encoding import MARK, kept_text, original_text, to_terms, to_vector

Properties = dict[str, Any]

MAX_ID_BYTES: Final = 4000
"""What Neo4j's index over ids takes, with room to spare. Source: Neo4j's manual, limitations of
range indexes: about 8 kB."""

_NUMBER_MARK: Final = MARK + "#"
_LARGEST: Final = 2**63 - 1
_LONG_UID: Final = "_uid"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRow:
    """A node as its label and properties."""

    id: str
    label: str
    properties: Properties


def to_row(node: Node) -> NodeRow:
    """A node as its row.

    Raises:
        UsageError: it is of no kind of ours.
        StoreError: its id is too long to be found again.
    """
    label = label_of(node)
    if label not in NODE_TYPES:
        raise UsageError(f"A node of unknown kind {label!r} cannot be written.")
    properties = {name: _kept(getattr(node, name)) for name in _field_names(label)}
    if len(properties["id"].encode("utf-8")) > MAX_ID_BYTES:
        raise StoreError(
            f"The id {node.id[:40]!r}... is longer than Neo4j can look up.",
            hint=f"Give it an id of at most {MAX_ID_BYTES:,} bytes.",
        )
    if label == "Step":
        properties |= _short_uid(properties["uid"])
    return NodeRow(id=properties["id"], label=label, properties=properties)


def to_node(labels: Iterable[str], properties: Mapping[str, Any]) -> Node:
    """The node of a row; properties and labels of others are passed over."""
    label = label_among(labels)
    if _LONG_UID in properties:
        properties = {**properties, "uid": properties[_LONG_UID]}
    known = _field_names(label)
    try:
        return NODE_TYPES[label](**{n: _original(properties[n]) for n in known if n in properties})
    except TypeError as error:
        raise StoreError(
            f"The {label} {properties.get('id')!r} was changed by hand and is not whole any more."
        ) from error


def label_among(labels: Iterable[str]) -> str:
    """The label of ours among a node's labels."""
    for label in labels:
        if label in NODE_TYPES:
            return label
    raise StoreError(f"The store holds a node of unknown kind {' '.join(labels)!r}.")


def same(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Tell whether stored properties are those wanted, where None stands for none."""
    return all(_comparable(stored.get(name)) == _comparable(v) for name, v in wanted.items())


def edge_properties(edge: Edge) -> Properties:
    """What an edge carries besides its ends, nothing that is empty."""
    values = {
        "quote": kept_text(edge.quote) or None,
        "score": edge.score,
        "rank": edge.rank,
        "merge_run": kept_text(edge.merge_run) or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def to_edge(source: str, type: Any, target: str, properties: Mapping[str, Any]) -> Edge:
    """The edge of a row."""
    return Edge(
        source=original_text(source),
        type=type,
        target=original_text(target),
        quote=original_text(properties.get("quote", "")),
        score=properties.get("score"),
        rank=properties.get("rank"),
        merge_run=original_text(properties.get("merge_run", "")),
    )


def record_of(row: NodeRow, memory: Memory) -> Properties:
    """What the entry of a memory holds of it: what scoring needs, and the whole as one value.

    The driver takes as long for each property of a node as for one long value, which is decoded
    only where the memory is looked at.
    """
    return {
        "level_number": memory.level,
        "about": [kept_text(t) for t in (memory.scope, memory.task, memory.sole_language)],
        "record": json.dumps([row.label, row.properties], ensure_ascii=False).encode("utf-8"),
    }


def to_candidate(row: Sequence[Any]) -> Candidate:
    """The candidate of a row: id, level, about, record, node, terms, both lengths, vector.

    The node, as labels and properties, is there where no record is: older versions kept none.
    """
    id, level, about, record, node, terms, key_length, full_length, vector = row
    counts = to_terms(terms, key_length=key_length, full_length=full_length)
    numbers = None if vector is None else to_vector(vector)
    if record is None:
        memory = to_node(*node)
        assert isinstance(memory, Memory)
        return Candidate.of(memory, terms=counts, vector=numbers)
    scope, task, language = map(original_text, about)
    return Candidate(
        id=original_text(id),
        level=level,
        scope=scope,
        task=task,
        language=language,
        terms=counts,
        vector=numbers,
        read=partial(_to_memory, record),
    )


def _to_memory(record: bytes) -> Memory:
    label, properties = json.loads(record)
    memory = to_node((label,), properties)
    assert isinstance(memory, Memory)
    return memory


def kept_texts(texts: Iterable[str]) -> list[str]:
    """Texts, such as ids, as they are kept."""
    return [kept_text(t) for t in texts]


def scope_list(scope: Scope) -> list[str] | None:
    """The scopes a reader may see, None for all of them."""
    return None if scope.projects is None else kept_texts(sorted({SHARED, *scope.projects}))


def digest(text: str) -> str:
    """A text as 16 hexadecimal digits, for an index that compares and does not show."""
    return blake2b(text.encode("utf-8", errors="surrogatepass"), digest_size=8).hexdigest()


def to_support(text: str | None) -> Support:
    """The support that `evidence` keeps as JSON."""
    facets: dict[str, dict[str, int]] = json.loads(text) if text else {}

    def counts(facet: str) -> dict[str, int]:
        values = facets.get(facet, {})
        named = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
        return {original_text(value): count for value, count in named}

    return Support(
        traces=facets.get("trace", {}).get("", 0),
        tasks=facets.get("tasks", {}).get("", 0),
        projects=counts("project"),
        domains=counts("domain"),
        languages=counts("language"),
        agents=counts("agent"),
        models=counts("model"),
        outcomes=counts("outcome"),
    )


def uid_key(uid: str) -> str:
    """What a step with this uid is found by."""
    kept: str = _short_uid(kept_text(uid))["uid"]
    return kept


def kept_number(value: int) -> int | str:
    """A whole number, as text where it has more than 64 bits."""
    return value if -_LARGEST <= value <= _LARGEST else f"{_NUMBER_MARK}{value}"


def _short_uid(uid: str) -> Properties:
    """A uid that is too long for an index is found by its digest."""
    if len(uid.encode("utf-8")) <= MAX_ID_BYTES:
        return {"uid": uid, _LONG_UID: None}
    return {"uid": f"{MARK}{digest(uid)}", _LONG_UID: uid}


def _kept(value: Any) -> Any:
    if isinstance(value, str):
        return kept_text(value)
    if isinstance(value, tuple):
        return [kept_text(v) for v in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return kept_number(value)
    return value


def _original(value: Any) -> Any:
    if isinstance(value, str):
        if value.startswith(_NUMBER_MARK):
            return int(value[len(_NUMBER_MARK) :])
        return original_text(value)
    if isinstance(value, list):
        return tuple(original_text(v) for v in value)
    return value


def _comparable(value: Any) -> Any:
    """NaN, which is not equal to itself, is the same value here."""
    return "nan" if isinstance(value, float) and value != value else value


@cache
def _field_names(label: str) -> tuple[str, ...]:
    return tuple(f.name for f in fields(NODE_TYPES[label]))
