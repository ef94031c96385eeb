"""The JSON and the HTML of measurements, and the difficulties that a file gives."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..kg.errors import UsageError
from ..queries.calibration import Calibration
from ..queries.evaluation.card_effects import CardEffect, CardReport, Ratio
from ..queries.evaluation.store_report import Measured, StoreReport
from .report_html import page


def cards_json(found: CardReport) -> dict[str, Any]:
    """What became of runs with and without each card; ratios are null where none can be had."""
    return {
        "runs": found.runs,
        "unknown": found.unknown,
        "untrusted": found.untrusted,
        "rated": found.rated,
        "repeated": found.repeated,
        "tests": found.tests,
        "rare": found.rare,
        "least_runs": found.least_runs,
        "cards": [effect_json(e) for e in found.effects],
    }


def effect_json(effect: CardEffect) -> dict[str, Any]:
    """What became of runs with and without one card, in one domain or over all runs."""
    table = effect.table
    return {
        "insight": effect.insight,
        "card": effect.card,
        "title": effect.title,
        "domain": effect.domain,
        "support": effect.support,
        "with": {"success": table.with_success, "failure": table.with_failure},
        "without": {"success": table.without_success, "failure": table.without_failure},
        "raw": _ratio(effect.raw),
        "adjusted": _ratio(effect.adjusted),
        "corrected": _ratio(effect.corrected),
        "compared": effect.compared,
        "claim": effect.claim,
    }


def _ratio(ratio: Ratio | None) -> dict[str, float | None] | None:
    if ratio is None:
        return None
    return {n: round(v, 4) if math.isfinite(v) else None for n, v in asdict(ratio).items()}


def calibration_json(found: Calibration, *, dry_run: bool) -> dict[str, Any]:
    """Floors by kind of node with how they were fitted."""
    return {
        "time": found.time,
        "dry_run": dry_run,
        "memories": found.memories,
        "questions": found.questions,
        "crowding": {"insights": len(found.crowding), "typical": round(found.typical, 3)},
        "kinds": {kind: asdict(fit) for kind, fit in found.kinds.items()},
    }


def evaluation_json(found: StoreReport) -> dict[str, Any]:
    """Every measure with its interval, in the order of the report."""
    return {
        "memories": found.memories,
        "runs": found.runs,
        "asked": found.asked,
        "measures": [_measured(m) for m in found.measures],
        "calibration": [asdict(b) for b in found.bins],
    }


def _measured(measure: Measured) -> dict[str, Any]:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(measure).items()}


def evaluation_html(found: StoreReport) -> str:
    """The report as one page without scripts."""
    return page(found)


def read_difficulty(file: Path) -> dict[str, float]:
    """The share of others that solved a task, by a name of the task.

    Raises:
        UsageError: the file does not hold an object of numbers in [0, 1].
    """
    hint = 'It must be JSON such as {"acme__api-17": 0.35}.'
    try:
        values = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise UsageError(f"{file} cannot be read as JSON: {error}.", hint=hint) from error
    if not isinstance(values, dict):
        raise UsageError(f"{file} holds no object.", hint=hint)
    for name, value in values.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value <= 1:
            raise UsageError(f"{file} gives {value!r} for {name!r}.", hint=hint)
    return {name: float(value) for name, value in values.items()}
