"""What became of the work of models over what is kept, as JSON of a stable shape."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..ingest.distillers.llm.pair_judge import Judged, PairsJudged
    from ..ingest.judging import Agreement, OutcomesJudged
    from ..ingest.redistill import Redistilled
    from ..ingest.rewriting import Rewritten
    from ..kg.reembedding import Reembedded


def redistilled_json(done: "Redistilled") -> dict[str, Any]:
    """What became of the chosen runs."""
    return asdict(done)


def rewritten_json(done: "Rewritten") -> dict[str, Any]:
    """What became of the chosen merged insights."""
    return asdict(done)


def reembedded_json(done: "Reembedded | None", *, texts: int) -> dict[str, Any]:
    """How many texts there are, and what changed; without a change only the texts."""
    return {"texts": texts, **(asdict(done) if done else {})}


def pairs_json(done: "PairsJudged") -> dict[str, Any]:
    """What became of the suggested pairs."""
    return asdict(done)


def judged_json(judged: "Judged") -> dict[str, Any]:
    """A verdict of a model: two ids, the verdict, the reason, the model and its instructions."""
    return asdict(judged)


def outcomes_json(done: "OutcomesJudged") -> dict[str, Any]:
    """What became of the runs without a verdict."""
    return asdict(done)


def agreement_json(found: "Agreement") -> dict[str, Any]:
    """A judge against verifiers; the measures are null where it decides nothing."""
    return asdict(found)
