"""Files of the same kind in the same folder are read before a new one is written."""

from collections.abc import Iterator
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit
from ..patterns import before, in_project, worked

_WITHIN: Final = 30
"""Steps to look back. Chosen by us."""

_ENOUGH: Final = 2
"""Neighbours; one alone may be the file that the new one is split off from. Chosen by us."""


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the reads of two neighbours and the creation of the new file."""
    removed = {path for s in run.steps if s.phase == "other" for path in s.edits}
    for new in run.steps:
        for path in new.creates if worked(new) else ():
            if "/" not in path or not in_project(path) or path in removed:
                continue
            looks: dict[str, int] = {}
            for step in before(run, new.index, _WITHIN):
                for near in _neighbours(run, step, path):
                    looks.setdefault(near, step.index)
            if len(looks) >= _ENOUGH:
                nearest = sorted(set(looks.values()))[-_ENOUGH:]
                yield Hit(steps=(*nearest, new.index))
                return


def _neighbours(run: RunRecord, step: StepRecord, path: str) -> Iterator[str]:
    """Yield the files that a step reads in the folder of `path` and of the same kind."""
    if step.phase != "read" or not worked(step):
        return
    folder, suffix = path.rpartition("/")[0], path.rpartition(".")[2]
    for near in step.reads:
        same = near.rpartition("/")[0] == folder and near.endswith("." + suffix)
        if same and near not in run.own_files and near != path:
            yield near


CARD = Card(
    name="similar-file-first",
    title="Read similar files next to it before writing a new one",
    situation=(
        "A new module, component, test or document is to be added to a project that has "
        "others of its kind."
    ),
    seen=(
        "A new file was added to a folder. Shortly before, two or more files of the same kind in "
        "that folder were read."
    ),
    advice=(
        "Open the nearest existing example and follow its structure, naming, imports and "
        "comments. Add it to the same index or registration if the example is there."
    ),
    applies_when="The project already holds files of the kind to be added.",
    not_when="The file is a throw-away script of your own.",
    kind="repository exploration",
    polarity="do",
    detect=detect,
)
