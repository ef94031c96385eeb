"""Where the circles and lines of the map of domains stand."""

import math
from dataclasses import dataclass
from typing import Final

from ...queries.domain_map import DomainMap
from .showing import address_of, short

WIDTH: Final = 720
HEIGHT: Final = 460
_MOST_DOMAINS: Final = 14
_MOST_LINES: Final = 40
_SMALLEST: Final = 7.0
_LARGEST: Final = 26.0
_THICKNESSES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A domain as a circle with its name beside it; `anchor` says on which side the text ends."""

    x: int
    y: int
    radius: int
    text_x: int
    text_y: int
    anchor: str
    name: str
    insights: int
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A line between two domains; the thicker (1 to 5), the more they share."""

    path: str
    thickness: int
    name: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A picture of the map; `left_out` counts the domains for which there is no room."""

    places: tuple[Place, ...]
    links: tuple[Link, ...]
    left_out: int
    width: int = WIDTH
    height: int = HEIGHT


def drawing(found: DomainMap) -> Drawing:
    """Put the domains with most insights on an oval, in the order of their names."""
    chosen = sorted(list(found.insights)[:_MOST_DOMAINS])
    most = max((len(found.insights[name]) for name in chosen), default=0)
    places = {
        name: _place(name, len(found.insights[name]), most, turn=number / len(chosen))
        for number, name in enumerate(chosen)
    }
    pairs = [p for p in found.pairs if p.a in places and p.b in places][:_MOST_LINES]
    widest = max((p.shared for p in pairs), default=1)
    return Drawing(
        places=tuple(places.values()),
        links=tuple(
            Link(
                path=_curve(places[p.a], places[p.b]),
                thickness=max(1, round(_THICKNESSES * p.shared / widest)),
                name=f"{p.a} and {p.b} share {p.shared:,}",
                address=address_of("/domains", a=p.a, b=p.b),
            )
            for p in reversed(pairs)
        ),
        left_out=len(found.insights) - len(chosen),
    )


def _place(name: str, insights: int, most: int, *, turn: float) -> Place:
    angle = 2 * math.pi * turn - math.pi / 2
    across, down = math.cos(angle), math.sin(angle)
    x, y = WIDTH / 2 + 210 * across, HEIGHT / 2 + 165 * down
    share = math.sqrt(insights / most) if most else 0.0
    radius = _SMALLEST + (_LARGEST - _SMALLEST) * share
    aside = abs(across) > 0.2
    return Place(
        x=round(x),
        y=round(y),
        radius=round(radius),
        text_x=round(x + math.copysign(radius + 8, across)) if aside else round(x),
        text_y=round(y + 4 if aside else y + math.copysign(radius + 14, down) + 4),
        anchor=("start" if across > 0 else "end") if aside else "middle",
        name=short(name, 24),
        insights=insights,
        address=address_of("/domains", a=name),
    )


def _curve(a: Place, b: Place) -> str:
    """A line that bends towards the middle, so that it passes no circle on the oval."""
    x, y = (a.x + b.x + WIDTH) // 4, (a.y + b.y + HEIGHT) // 4
    return f"M{a.x} {a.y}Q{x} {y} {b.x} {b.y}"
