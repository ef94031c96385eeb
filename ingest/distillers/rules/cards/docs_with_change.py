"""Documents or the changelog are changed together with the code."""

import re
from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import project_edits

_DOCUMENT = re.compile(
    r"(?:\A|/)(?:docs?|documentation|website)/.+\.(?:md|mdx|rst|adoc)\Z"
    r"|(?:\A|/)(?:README|CHANGELOG|CHANGES|HISTORY|NEWS|UPGRADING)[\w.-]*\Z",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\.(?:py|pyi|js|mjs|cjs|jsx|ts|tsx|rb|go|rs|java|kt|c|cc|cpp|h|hpp|php|cs|swift|scala|ex|sh|sql|vue"
    r"|svelte|yml|yaml|toml|zsh|ps1|lua|json)\Z"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first change of the code and the first change of a document."""
    code = document = -1
    for step in run.steps:
        changed = project_edits(run, step)
        if document < 0 and any(_DOCUMENT.search(path) for path in changed):
            document = step.index
        if code < 0 and any(_CODE.search(p) and not _DOCUMENT.search(p) for p in changed):
            code = step.index
        if code >= 0 and document >= 0:
            yield Hit(steps=tuple(sorted({code, document})))
            return


CARD = Card(
    name="docs-with-change",
    title="Change the documentation or changelog in the same piece of work as the code",
    situation="A change alters what users, operators or contributors of a project see.",
    seen=(
        "A document or the changelog of the project was changed in the same run as its code "
        "or settings."
    ),
    advice=(
        "Look for places that describe the old behaviour, and add an entry where the project "
        "keeps a changelog. Describe what changed for the reader, not how."
    ),
    applies_when="The project documents what was changed.",
    not_when="The change is internal and described nowhere.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
