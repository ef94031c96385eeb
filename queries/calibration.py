"""What a store's own graph says about its floors: kept with the store, read by every answer."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Final

from ..kg.protocols import GraphStore
from .floors import FLOORS, Floor, Kind

_SETTING: Final = "calibration"
_CROWDING: Final = "calibration-crowding"
_FORM: Final = 1
"""Number of the form that a calibration is kept in; another one is taken to be none."""


GROWTH: Final = 1.25
"""How much a store may grow until its floors are fitted anew. Chosen by us, as for merging."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindFit:
    """How a floor was fitted: scores of what applied, and of the best that did not.

    `right` and `wrong` count them. `passed` and `false` are the parts of each that reach the
    default floor, `strict_passed` and `strict_false` the strict one. With too few of either the
    floor is the built-in one and `fitted` is False.
    """

    floor: Floor
    fitted: bool
    right: int
    wrong: int
    passed: float = 0.0
    false: float = 0.0
    strict_passed: float = 0.0
    strict_false: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Floors by kind of node, and how crowded the neighbourhoods of insights are.

    `memories` is the size of the store when it was made, `questions` the number of runs asked.
    `crowding` maps an insight to the mean R of the others nearest to it, see
    `crowding.crowding_of`, and `typical` is the mean of these.
    """

    time: str
    memories: int
    questions: int
    kinds: Mapping[Kind, KindFit]
    typical: float = 0.0
    crowding: Mapping[str, float] = field(default_factory=dict)

    @property
    def floors(self) -> dict[Kind, Floor]:
        """The floors that were fitted."""
        return {kind: fit.floor for kind, fit in self.kinds.items() if fit.fitted}


def kept_calibration(store: GraphStore) -> Calibration | None:
    """The calibration that is kept with a store, or None.

    Raises:
        StoreError: the store could not be read.
    """
    text = store.setting(_SETTING)
    return _read(text, store.setting(_CROWDING) or "{}") if text else None


def keep_calibration(store: GraphStore, calibration: Calibration) -> None:
    """Keep a calibration with a store in place of an earlier one.

    Raises:
        StoreError: the store could not be written.
    """
    kinds = {kind: asdict(fit) for kind, fit in calibration.kinds.items()}
    head = {
        "form": _FORM,
        "time": calibration.time,
        "memories": calibration.memories,
        "questions": calibration.questions,
        "kinds": kinds,
        "typical": calibration.typical,
    }
    store.set_setting(_CROWDING, json.dumps(dict(calibration.crowding), sort_keys=True))
    store.set_setting(_SETTING, json.dumps(head, sort_keys=True))


def outgrown(store: GraphStore) -> bool:
    """Tell whether a store has none, or has grown by a quarter since it was calibrated.

    Raises:
        StoreError: the store could not be read.
    """
    kept = kept_calibration(store)
    size = store.statistics(()).memories
    return size > 0 and (kept is None or size > GROWTH * kept.memories)


@lru_cache(maxsize=4)
def _read(text: str, crowding: str) -> Calibration | None:
    head: dict[str, Any] = json.loads(text)
    if head.get("form") != _FORM:
        return None
    return Calibration(
        time=head["time"],
        memories=head["memories"],
        questions=head["questions"],
        kinds={kind: _fit(head["kinds"][kind]) for kind in FLOORS if kind in head["kinds"]},
        typical=head["typical"],
        crowding=json.loads(crowding),
    )


def _fit(values: Mapping[str, Any]) -> KindFit:
    floor = Floor(**values["floor"])
    return KindFit(**{**values, "floor": floor})
