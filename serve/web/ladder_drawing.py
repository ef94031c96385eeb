"""Where the boxes and lines of a ladder stand, in pixels. The walk goes straight up on the left."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...kg.types import Memory, Step, Trace, level_name
from ...queries.ladder import Ladder, Layer
from .showing import node_address, visible

WIDTH: Final = 214
HEIGHT: Final = 84
_GAP: Final = 18
_ROW: Final = HEIGHT + 52
_HEAD: Final = 26
_MARGIN: Final = 6
_LINES: Final = 3
_CHARS: Final = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A memory or a step as a box; `classes` say how it looks."""

    x: int
    y: int
    address: str
    name: str
    lines: tuple[str, ...]
    note: str
    classes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line between two boxes as the path of an SVG."""

    path: str
    classes: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A text beside the boxes."""

    x: int
    y: int
    text: str
    classes: str = "layer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A picture of a ladder."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    labels: tuple[Label, ...]
    box_width: int = WIDTH
    box_height: int = HEIGHT


def drawing(ladder: Ladder) -> Drawing:
    """Place the layers of a ladder from the top down; the leftmost column is the walk's own."""
    places = dict(_places(ladder))
    walk = tuple(zip(ladder.walk[1:], ladder.walk, strict=False))
    boxes = [
        _memory_box(m, places[m.id], ladder) for layer in ladder.layers for m in layer.memories
    ]
    lines = [_line(places[a], places[b], on=(a, b) in walk) for a, b in ladder.edges]
    bottom = _top(len(ladder.layers))
    last = ladder.walk[-1] if ladder.walk else ladder.id
    for column, step in enumerate(ladder.steps):
        place = (_left(column), bottom)
        boxes.append(_step_box(step, place))
        lines.append(_line(place, places[last], on=True))
    # What is on the walk comes last, so that it lies on top.
    lines.sort(key=lambda line: line.classes)
    columns = max([1, len(ladder.steps), *(_columns(x, ladder) for x in ladder.layers)])
    rows = len(ladder.layers) + bool(ladder.steps)
    return Drawing(
        width=_left(columns) - _GAP + _MARGIN,
        height=_top(rows) - _ROW + HEIGHT + _MARGIN if rows else 0,
        boxes=tuple(boxes),
        lines=tuple(lines),
        labels=tuple(_labels(ladder)),
    )


def _places(ladder: Ladder) -> Iterator[tuple[str, tuple[int, int]]]:
    for row, layer in enumerate(ladder.layers):
        for column, memory in _in_columns(layer, ladder):
            yield memory.id, (_left(column), _top(row))


def _in_columns(layer: Layer, ladder: Ladder) -> Iterator[tuple[int, Memory]]:
    on_walk = [m for m in layer.memories if m.id in ladder.walk]
    start = 0 if on_walk or not ladder.walk else 1
    yield from enumerate(layer.memories, start=start)


def _columns(layer: Layer, ladder: Ladder) -> int:
    return 1 + max((column for column, _ in _in_columns(layer, ladder)), default=0)


def _left(column: int) -> int:
    return _MARGIN + column * (WIDTH + _GAP)


def _top(row: int) -> int:
    return _HEAD + row * _ROW


def _labels(ladder: Ladder) -> Iterator[Label]:
    for row, layer in enumerate(ladder.layers):
        name = level_name(layer.level) if layer.level < 4 else "merged insight"
        more = f" · {layer.left_out:,} more" if layer.left_out else ""
        yield Label(x=_MARGIN, y=_top(row) - 9, text=f"{name}{more}")
    if ladder.steps:
        more = f" · {ladder.steps_left_out:,} more" if ladder.steps_left_out else ""
        yield Label(x=_MARGIN, y=_top(len(ladder.layers)) - 9, text=f"cited steps{more}")


def _memory_box(memory: Memory, place: tuple[int, int], ladder: Ladder) -> Box:
    classes = ["box"]
    if memory.id in ladder.walk:
        classes.append("on")
    if memory.id == ladder.id:
        classes.append("here")
    name = visible(memory.title or memory.id)
    return Box(
        x=place[0],
        y=place[1],
        address=node_address(memory.id),
        name=f"{level_name(memory.level)}: {name}",
        lines=_wrapped(name),
        note=_note(memory),
        classes=" ".join(classes),
    )


def _note(memory: Memory) -> str:
    if isinstance(memory, Trace):
        return visible(f"{memory.outcome} · {memory.agent}"[:_CHARS])
    return "avoid" if memory.polarity == "avoid" else ""


def _step_box(step: Step, place: tuple[int, int]) -> Box:
    ended = "" if step.exit_code is None else f" · exit {step.exit_code}"
    command = visible(step.command or step.tool)
    return Box(
        x=place[0],
        y=place[1],
        address=node_address(step.id),
        name=f"step {step.index}: {command}",
        lines=_wrapped(command, lines=2),
        note=visible(f"step {step.index} · {step.phase}{ended}"[:_CHARS]),
        classes="box on step",
    )


def _wrapped(text: str, *, lines: int = _LINES) -> tuple[str, ...]:
    """A text in lines that fit a box, cut where it is longer."""
    made = textwrap.wrap(text, width=_CHARS, break_on_hyphens=False)
    if len(made) <= lines:
        return tuple(made)
    last = made[lines - 1]
    return (*made[: lines - 1], f"{last[: _CHARS - 2].rstrip()} …")


def _line(lower: tuple[int, int], upper: tuple[int, int], *, on: bool) -> Line:
    """A line from the top of the lower box to the bottom of the upper one."""
    x1, y1 = lower[0] + WIDTH // 2, lower[1]
    x2, y2 = upper[0] + WIDTH // 2, upper[1] + HEIGHT
    half = (y1 - y2) // 2
    path = f"M{x1} {y1}C{x1} {y1 - half} {x2} {y2 + half} {x2} {y2}"
    return Line(path=path, classes="line on" if on else "line")
