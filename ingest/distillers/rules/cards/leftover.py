"""Scripts that the agent wrote for itself are still in the project at hand-over."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import base_name, command_of
from ..verification import hands_over, made_files, removes

_HELPER: Final = re.compile(
    r"^(?:repro|reproduc|debug|verify|check_|try_|tmp|temp|scratch|fix_|apply_|patch_|modify_|edit_"
    r"|update_|final_|quick_|simple_|demo_|minimal_|test_(?:fix|issue|bug|repro|final|simple|my|edge))"
    r"\w*\.(?:py|sh|js|mjs|ts|rb|pl)$|^(?:test|check|a|b|t|x|run|patch|fix)\d?\.(?:py|sh|js|ts|rb)$"
)


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the step that made a helper script and the hand-over with the script still there."""
    if run.last_edit < 0 or not hands_over(run):
        return
    left = [
        (index, path)
        for path, index in made_files(run).items()
        if _HELPER.match(path)
        and path not in run.trajectory.task
        and not _is_gone(run, path, index)
    ]
    if left:
        yield Hit(steps=tuple(sorted({left[0][0], run.steps[-1].index})))


def _is_gone(run: RunRecord, path: str, made: int) -> bool:
    """Tell whether a later step removes or moves a file, or sweeps up what is not tracked."""
    name = base_name(path)
    return any(
        removes(step, path)
        or (command_of(step, "mv") is not None and name in step.command)
        or f"remove('{name}')" in step.command
        or f'unlink("{name}")' in step.command
        for step in run.steps[made:]
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
