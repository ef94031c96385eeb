"""An accepted small change escapes text before it becomes part of a pattern or of markup."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..hunks import Hunk, joined, small_hunks

_ESCAPES: Final = re.compile(
    r"\b(?:re|regex|html|glob|shlex|urllib\.parse|cgi)\.(?:escape|quote(?:_plus)?)\("
    r"|\b(?:escape|escapeRegExp|escape_html|escapeHtml|conditional_escape|quote_name|format_html"
    r"|quote|encodeURIComponent|regexp_quote|QuoteMeta)\(|&(?:quot|amp|lt|#39);"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the change, where a verdict on the run was good."""
    if run.trajectory.outcome.status != "success":
        return
    for hunk in small_hunks(run):
        if _adds_escape(hunk):
            yield Hit(steps=(hunk.step,))
            return


def _adds_escape(hunk: Hunk) -> bool:
    added, removed = joined(hunk.added), joined(hunk.removed)
    return len(_ESCAPES.findall(added)) > len(_ESCAPES.findall(removed))


CARD = Card(
    name="escape-pattern",
    title="Escape a text before you build a pattern, a query or markup from it",
    situation=(
        "Text that may hold special characters is put into a regular expression, a page or "
        "a command."
    ),
    seen=(
        "A small change that a verifier accepted escaped a text before it became part of a "
        "pattern or of markup."
    ),
    advice=(
        "Use the escaping function of the target language at the place where the text "
        "enters it, once. Try it with the characters that have a meaning there."
    ),
    applies_when="The text comes from data or from a user.",
    not_when="The text is meant to be a pattern or markup itself.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
