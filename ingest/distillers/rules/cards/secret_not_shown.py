"""It is checked that a secret is set without printing it."""

import re
from collections.abc import Iterator

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import worked

_NAME = r"\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|CREDENTIAL|_PAT)\w*"
_CHECKS = re.compile(
    rf"\$\{{{_NAME}:?\+|\[\[? -[nz] \"?\$\{{?{_NAME}|test -[nz] \"?\$\{{?{_NAME}|<redacted>"
    rf"|\$\{{#{_NAME}\}}",
    re.IGNORECASE,
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first step that asks whether a secret is set, or blots it out in the output."""
    for step in run.steps:
        if step.kind == "shell" and worked(step) and _CHECKS.search(step.command[:4000]):
            yield Hit(steps=(step.index,))
            return


CARD = Card(
    name="secret-not-shown",
    title="Check that a secret is set without printing its value",
    situation="A command needs a token, key or password from the environment or a settings file.",
    seen=(
        "A command asked only whether a secret is set, or blotted secrets out, so that no "
        "value was printed."
    ),
    advice=(
        "Test for the variable or print a placeholder instead of its value, and mask secrets "
        "when you show a settings file. What is printed stays in the log of the session."
    ),
    applies_when="Credentials are part of the environment or of a file to be read.",
    not_when="No secret is involved.",
    kind="input validation and robustness",
    polarity="do",
    detect=detect,
)
