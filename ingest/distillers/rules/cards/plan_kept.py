"""A list of to-dos is kept up to date, and at the end all of it is done."""

from collections.abc import Iterator, Mapping
from typing import Final

from ....record import RunRecord, StepRecord
from ..card import Card, Hit

_TIMES: Final = 3
_LISTS: Final = ("todos", "plan", "todo_list", "items", "todoList", "tasks")
_DONE: Final = frozenset({"completed", "done", "complete"})


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield the first plan, one on the way, and the one in which everything is done."""
    states = [(s.index, state) for s in run.steps if s.kind == "plan" and (state := _state(s))]
    worked_between = len(states) > 1 and states[-1][0] - states[0][0] >= len(states)
    if len(states) < _TIMES or not worked_between:
        return
    done = [state[0] for _, state in states]
    total = states[-1][1][1]
    grew = done[0] < total and sorted(set(done)) == list(dict.fromkeys(done))
    if grew and done[-1] == total and total > 1:
        yield Hit(steps=(states[0][0], states[len(states) // 2][0], states[-1][0]))


def _state(step: StepRecord) -> tuple[int, int] | None:
    """Return how many items of a plan are done, and how many there are."""
    for name in _LISTS:
        items = step.call.arguments.get(name)
        if isinstance(items, list) and items and all(isinstance(item, Mapping) for item in items):
            done = sum(str(item.get("status", "")).lower() in _DONE for item in items)
            return done, len(items)
    return None


CARD = Card(
    name="plan-kept",
    title="Keep the list of to-dos up to date, and finish all of it",
    situation="A task has several parts and the agent has a tool for a list of to-dos.",
    seen=(
        "A list of to-dos was written, items were marked as done while the work went on, and "
        "at the end all were."
    ),
    advice=(
        "Write the parts of the task down, mark each one as it is done, and add what turns "
        "up. Before you hand over compare the list with the words of the task."
    ),
    applies_when="The task has three or more parts.",
    not_when="The task is a single small change.",
    kind="iterative workflow discipline",
    polarity="do",
    detect=detect,
)
