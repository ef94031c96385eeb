"""The documentation of an outside tool is fetched to learn how it behaves."""

import re
from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import worked

_DOCS = re.compile(
    r"//docs?\.|/docs?/|readthedocs|/manual\b|/reference\b|/wiki\b|//developer\.|/guides?/|/man[1-8]/"
    r"|/releases\b|/changelog",
    re.IGNORECASE,
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first two pages of documentation that were fetched."""
    pages = [step.index for step in run.steps if _fetches(step)]
    if pages:
        yield Hit(steps=tuple(pages[:2]))


def _fetches(step: StepRecord) -> bool:
    url = step.call.arguments.get("url")
    if step.kind != "fetch" or not isinstance(url, str) or not worked(step):
        return False
    return bool(_DOCS.search(url)) and len(step.observation) > 200


CARD = Card(
    name="docs-page",
    title="Look up an outside tool's behaviour in its own documentation before relying on it",
    situation=(
        "A question depends on how an outside tool, service or library behaves in a certain "
        "version."
    ),
    seen="A page of documentation or release notes of an outside tool was fetched and read.",
    advice=(
        "Prefer the tool's own documentation and release notes to memory. If the page does "
        "not answer the question, say so and test it."
    ),
    applies_when="The network can be reached and the behaviour is not plain from the code at hand.",
    not_when="The behaviour can be seen by running the tool.",
    kind="API and interface compliance",
    polarity="do",
    detect=detect,
)
