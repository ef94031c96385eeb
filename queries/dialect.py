"""The part of Cypher that means the same on every store, read from `dialect.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

_FILE: Final = Path(__file__).with_name("dialect.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that stores answer differently, though a statement with it is taken."""

    name: str
    statement: str
    embedded: str
    neo4j: str
    instead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What may stand in a statement; words in upper case, `functions` by lower case."""

    start: tuple[str, ...]
    continues: frozenset[str]
    values: frozenset[str]
    keywords: frozenset[str]
    before_bracket: frozenset[str]
    refused: Mapping[str, str]
    functions: Mapping[str, str]
    function_groups: Mapping[str, tuple[str, ...]]
    differences: tuple[Difference, ...]


@cache
def dialect() -> Dialect:
    """The dialect; the file is read once."""
    data: dict[str, Any] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    words = data["words"]
    groups = {topic: tuple(names) for topic, names in data["functions"].items()}
    return Dialect(
        start=tuple(words["start"]),
        continues=frozenset(words["continue"]),
        values=frozenset(words["value"]),
        keywords=frozenset((*words["continue"], *words["value"], *words["other"])),
        before_bracket=frozenset(words["before_bracket"]),
        refused={word: row["sentence"] for row in data["refused"] for word in row["words"]},
        functions={name.lower(): name for names in groups.values() for name in names},
        function_groups=groups,
        differences=tuple(Difference(**row) for row in data.get("difference", ())),
    )
