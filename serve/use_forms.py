"""The JSON of what became of answers."""

from dataclasses import asdict
from typing import Any, cast

from ..kg.types import OutcomeStatus
from ..queries.uplift import Effect, Uplift


def outcome_of(text: str) -> OutcomeStatus:
    """An outcome that was chosen among the three."""
    return cast(OutcomeStatus, text)


def uplift_json(found: Uplift) -> dict[str, Any]:
    """The effect over all, by domain and by memory; differences of success rates in [-1, 1]."""
    return {
        "overall": _effect(found.overall),
        "domains": [_effect(e) for e in found.domains],
        "memories": [_effect(e) for e in found.memories],
        "unknown": found.unknown,
        "outside": found.outside,
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(effect).items()}
