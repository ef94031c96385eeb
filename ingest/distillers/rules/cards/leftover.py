"""Scripts that the agent wrote for itself are still in the project at hand-over."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import base_name, command_of
from ..verification import hands_over, made_files, removals, removes

_HELPER: Final = re.compile(
    r"^(?:repro|reproduc|debug|verify|check_|try_|tmp|temp|scratch|fix_|apply_|patch_|modify_|edit_"
    r"|update_|final_|quick_|simple_|demo_|minimal_|test_(?:fix|issue|bug|repro|final|simple|my|edge))"
    r"\w*\.(?:py|sh|js|mjs|ts|rb|pl)$|^(?:test|check|a|b|t|x|run|patch|fix)\d?\.(?:py|sh|js|ts|rb)$"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the step that made a helper script and the hand-over with the script still there."""
    if run.last_edit < 0 or not hands_over(run):
        return
    sweeps = [step for step in run.steps if _sweeps(step)]
    for path, index in made_files(run).items():
        named = path in run.trajectory.task
        if _HELPER.match(path) and not named and not _is_gone(path, index, sweeps):
            yield Hit(steps=tuple(sorted({index, run.steps[-1].index})))
            return


def _sweeps(step: StepRecord) -> bool:
    """Tell whether a step removes or moves something."""
    gone = any(True for _ in removals(step)) or command_of(step, "mv") is not None
    return gone or "remove(" in step.command or "unlink(" in step.command


def _is_gone(path: str, made: int, sweeps: Sequence[StepRecord]) -> bool:
    """Tell whether a later step removes or moves a file, or sweeps up what is not tracked."""
    name = base_name(path)
    return any(
        removes(step, path) or (name in step.command and not any(True for _ in removals(step)))
        for step in sweeps
        if step.index >= made
    )


CARD = Card(
    name="leftover",
    title="Do not leave your own helper scripts in the project when you hand over",
    situation=(
        "A change is finished, and scripts that were written to reproduce, debug or edit "
        "lie beside the code."
    ),
    seen=(
        "A script that the agent had written for itself was still at the top of the project "
        "at the end of the run."
    ),
    advice=(
        "List new files before handing over and remove those that the task did not ask for, "
        "or write such scripts outside the project from the start."
    ),
    applies_when="The working tree, or all of its new files, is handed over.",
    not_when="The task asks for the script.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
