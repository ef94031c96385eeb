"""The JSON of what only the explorer and the HTTP API give: hits, ladders, the log, the map."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..ingest.lesson_book import Verdict
from ..kg.types import Memory, Node, Step, level_name
from ..queries.domain_map import DomainMap
from ..queries.ladder import Ladder
from ..queries.retrieval_log import AnswerGiven, RetrievalLog
from ..queries.search import Hit
from ..queries.use import Use
from .json_forms import node_json


def hits_json(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """What was found, best first: the memory and how well it fits."""
    return [{**node_json(h.memory), "score": round(h.score, 4)} for h in hits]


def ladder_json(ladder: Ladder) -> dict[str, Any]:
    """The layers around a memory from the most abstract one down, and a walk through them."""
    return {
        "id": ladder.id,
        "layers": [
            {
                "level": layer.level,
                "level_name": level_name(layer.level),
                "memories": [named_json(m) for m in layer.memories],
                "left_out": layer.left_out,
            }
            for layer in ladder.layers
        ],
        "edges": [list(e) for e in ladder.edges],
        "walk": list(ladder.walk),
        "steps": [node_json(s) for s in ladder.steps],
        "steps_left_out": ladder.steps_left_out,
    }


def named_json(node: Node) -> dict[str, Any]:
    """A node by id and title, without its words."""
    if isinstance(node, Memory):
        return {"id": node.id, "title": node.title, "level_name": level_name(node.level)}
    if isinstance(node, Step):
        return {"id": node.id, "title": f"step {node.index}: {node.command}", "level_name": ""}
    title = getattr(node, "name", "") or getattr(node, "title", "") or getattr(node, "query", "")
    return {"id": node.id, "title": title or getattr(node, "signature", ""), "level_name": ""}


def use_json(use: Mapping[str, Use]) -> list[dict[str, Any]]:
    """How often a memory was shown, used, and how that went, by domain."""
    return [{"domain": domain, **asdict(counts)} for domain, counts in use.items()]


def log_json(log: RetrievalLog) -> dict[str, Any]:
    """Answers given, newest first."""
    return {"total": log.total, "answers": [answer_given_json(a) for a in log.answers]}


def answer_given_json(given: AnswerGiven) -> dict[str, Any]:
    """One answer given: the question, what it showed, and how the work went."""
    node = given.retrieval
    return {
        "id": node.id,
        "created": node.created,
        "scope": node.scope,
        "domain": node.domain,
        "query": node.query,
        "abstained": node.abstained,
        "confidence": round(node.confidence, 4),
        "floor": round(node.floor, 4),
        "outcome": given.outcome,
        "outcome_source": node.outcome_source,
        "shown": list(given.shown),
        "used": list(given.used),
        "withheld": list(given.withheld),
        "runs": list(given.runs),
    }


def domains_json(found: DomainMap, *, pairs: int) -> dict[str, Any]:
    """Domains with how many insights apply to each, and the pairs that share most."""
    return {
        "domains": [{"name": name, "insights": len(ids)} for name, ids in found.insights.items()],
        "pairs": [asdict(p) for p in found.pairs[:pairs]],
        "pairs_left_out": len(found.pairs[pairs:]),
    }


def lessons_json(trace: str, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """What became of each lesson, in the order given."""
    told = [{"title": v.title, "id": v.id, "refused": v.refused} for v in verdicts]
    return {"trace": trace, "lessons": told}
