"""A program of the repository may not be executed; its mode is set and it runs."""

import re
from collections.abc import Iterator
from typing import Final

from ....record import RunRecord
from ..card import Card, Hit
from ..patterns import after, base_name, command_of, fault_class

_WITHIN: Final = 4
"""Steps to look ahead. Chosen by us."""

_SETS: Final = re.compile(r"\bchmod\b[^;&|]*(?:\+x|7[57]5|u\+x)|--chmod=\+x|core\.fileMode")


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the refused start, the step that set the mode, and the start that worked."""
    for refused in run.steps:
        if fault_class(refused) != "permission-denied" or refused.main is None:
            continue
        program = refused.main.program
        if "/" not in program or not (refused.exit_code == 126 or program in refused.observation):
            continue
        for step in after(run, refused.index, _WITHIN):
            if _SETS.search(step.command) and base_name(program) in step.command:
                ran = next(
                    (
                        s
                        for s in run.steps[step.index : step.index + _WITHIN]
                        if command_of(s, base_name(program)) and s.exit_code != 126
                    ),
                    None,
                )
                found = {refused.index, step.index, *((ran.index,) if ran else ())}
                yield Hit(steps=tuple(sorted(found)))
                return


CARD = Card(
    name="exec-bit",
    title="Set the executable bit in version control too, not only on your disk",
    situation="A script of the repository cannot be started because permission is denied.",
    seen=(
        "A program of the project could not be started for lack of permission. Its mode was "
        "then set to executable."
    ),
    advice=(
        "Look at the mode that version control has recorded and change it there, since a "
        "fresh checkout takes it from there. Then start the program the way its users do."
    ),
    applies_when="The script is tracked and meant to be run directly.",
    not_when="The script is meant to be started through its interpreter.",
    kind="environmental adaptation",
    polarity="do",
    detect=detect,
)
