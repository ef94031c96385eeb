"""What shown memories did, measured against withheld ones.

With a holdout, one item of some answers is withheld at random. Whether that happens to an answer
is independent of everything else, so the difference between the rates of success is the effect of
showing one more item, averaged over answers and over their items.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from .use import Episode

_Z: Final = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """A difference of success rates in [-1, 1] with its 95 % interval.

    `shown` and `withheld` count answers with a known outcome whose items were all shown, and
    those of which one was withheld. The interval is Agresti and Caffo's.
    """

    name: str = ""
    shown: int
    withheld: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Uplift:
    """The effect over all answers, in each domain, and of each memory that was ever withheld.

    `unknown` counts answers that could have counted but whose outcome nobody told; `outside` those
    that were given without a holdout.
    """

    overall: Effect
    domains: tuple[Effect, ...] = ()
    memories: tuple[Effect, ...] = ()
    unknown: int = 0
    outside: int = 0


def uplift(episodes: Sequence[Episode]) -> Uplift:
    """Estimate what showing memories did, from answers that were given with a holdout."""
    offered = [e for e in episodes if e.holdout > 0 and (e.shown or e.withheld)]
    known = [e for e in offered if e.outcome != "unknown"]
    by_domain: dict[str, list[Episode]] = defaultdict(list)
    for episode in known:
        by_domain[episode.domain].append(episode)
    ever_withheld = sorted({id for e in known for id in e.withheld})
    return Uplift(
        overall=_effect(known),
        domains=tuple(_effect(by_domain[d], name=d) for d in sorted(by_domain) if d),
        memories=tuple(_effect_of(id, known) for id in ever_withheld),
        unknown=len(offered) - len(known),
        outside=sum(e.holdout == 0 and bool(e.shown) for e in episodes),
    )


def _effect(episodes: Sequence[Episode], *, name: str = "") -> Effect:
    return _difference(
        [e for e in episodes if not e.withheld], [e for e in episodes if e.withheld], name=name
    )


def _effect_of(id: str, episodes: Iterable[Episode]) -> Effect:
    about = [e for e in episodes if id in e.shown or id in e.withheld]
    shown = [e for e in about if id in e.shown and not e.withheld]
    return _difference(shown, [e for e in about if id in e.withheld], name=id)


def _difference(shown: Sequence[Episode], withheld: Sequence[Episode], *, name: str) -> Effect:
    """Source: Agresti and Caffo 2000: a success and a failure are added to each side."""
    (p, n), (q, m) = _plus_two(shown), _plus_two(withheld)
    half = _Z * math.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    raw = _rate(shown) - _rate(withheld) if shown and withheld else 0.0
    return Effect(
        name=name,
        shown=len(shown),
        withheld=len(withheld),
        difference=raw,
        low=max(-1.0, p - q - half),
        high=min(1.0, p - q + half),
    )


def _rate(episodes: Sequence[Episode]) -> float:
    return sum(e.outcome == "success" for e in episodes) / len(episodes)


def _plus_two(episodes: Sequence[Episode]) -> tuple[float, int]:
    n = len(episodes) + 2
    return (sum(e.outcome == "success" for e in episodes) + 1) / n, n
