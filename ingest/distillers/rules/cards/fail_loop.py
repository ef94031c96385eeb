"""The same failing command is run three times and nothing is changed in between."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import changes_files, fault_class
from ..verification import outcome_text

_TIMES: Final = 3
"""Equal failures in a row. Source: measured on 342 public runs."""

_LAST: Final = 12
"""Steps between two tries. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield three runs of one command that failed in the same way with nothing changed."""
    runs: dict[str, list[StepRecord]] = {}
    for step in run.steps:
        if changes_files(step) or step.phase == "other":
            runs.clear()
        if step.kind != "shell" or not step.failed or fault_class(step) in ("network", "timeout"):
            continue
        earlier = runs.setdefault(step.command, [])
        if earlier and (
            outcome_text(earlier[-1]) != outcome_text(step)
            or step.index - earlier[-1].index > _LAST
        ):
            earlier.clear()
        earlier.append(step)
        if len(earlier) == _TIMES:
            yield Hit(steps=tuple(s.index for s in earlier))
            return


CARD = Card(
    name="fail-loop",
    title="Do not run a failing command again unchanged; change something or read the error",
    situation="A command fails, and it is started again in the hope of another result.",
    seen=(
        "The same command failed three times with the same message, and nothing was changed "
        "in between."
    ),
    advice=(
        "Read the message, then change the command, its input or its surroundings. If you "
        "suspect chance, say so and repeat on purpose with different seeds."
    ),
    applies_when="The failure does not depend on time or network.",
    not_when="Something outside is being waited for.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
