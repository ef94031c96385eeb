"""An insight in a person's words: what may be changed of it, and by what checks."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

from ..kg.errors import UsageError
from ..kg.types import KINDS, Insight, Node, Polarity
from .redact import redact

EDITABLE: Final = (
    "title",
    "description",
    "content",
    "applies_when",
    "not_when",
    "kind",
    "polarity",
)
"""What a person may change of an insight."""

_MERGED: Final = "merge"
_MOST_CHARS: Final = 20_000
_POLARITIES: Final = ("do", "avoid", "")


def why_not_editable(node: Node | None) -> str:
    """Why a node's words cannot be changed, as a sentence; empty where they can."""
    if not isinstance(node, Insight):
        return "Only insights can be edited."
    if node.card:
        return "Its words are those of a card of the catalogue, which every run brings again."
    if node.author:
        return "A model wrote it from those below it; undo: stepladder redistill --merged --undo"
    if node.origin == _MERGED:
        return "It speaks with the words of an insight below it; edit that one, or undo the merge."
    return ""


def edited(insight: Node, changes: Mapping[str, str]) -> Insight:
    """The insight with these words, secrets removed; its id, evidence and trust stay.

    Raises:
        UsageError: it cannot be edited, or a value cannot be.
    """
    reason = why_not_editable(insight)
    if reason or not isinstance(insight, Insight):
        raise UsageError(f"{insight.id} cannot be edited. {reason}")
    if unknown := sorted(set(changes) - set(EDITABLE)):
        raise UsageError(f"Not to be edited: {', '.join(unknown)}. Only: {', '.join(EDITABLE)}.")
    words = {name: redact(text.replace("\r\n", "\n").strip())[0] for name, text in changes.items()}
    for name, text in words.items():
        if len(text) > _MOST_CHARS:
            raise UsageError(f"The {name} is too long: at most {_MOST_CHARS:,} characters.")
    if words.get("title", insight.title) == "":
        raise UsageError("An insight needs a title.")
    if words.get("kind", "") not in ("", insight.kind, *KINDS):
        raise UsageError(f"Unknown kind {words['kind']!r}.", hint=f"One of: {', '.join(KINDS)}.")
    polarity = words.pop("polarity", insight.polarity)
    if polarity not in _POLARITIES:
        raise UsageError(f"polarity is 'do', 'avoid' or empty, not {polarity!r}.")
    return replace(insight, **words, polarity=cast(Polarity, polarity))  # type: ignore[arg-type]
