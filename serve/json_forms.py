"""The JSON of every command: a contract, kept stable and documented in docs/cli.md."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..facade import ImportReport, Shown, Stats
from ..ingest.report import FileNote, IngestReport
from ..kg.types import Edge, Memory, Node, Support, label_of, level_name, to_properties
from ..queries.items import Answer, Item
from ..queries.why import Evidence, TraceEvidence

if TYPE_CHECKING:
    from ..ingest.distillers.llm.session import Plan


def ingest_json(report: IngestReport, *, dry_run: bool) -> dict[str, Any]:
    """Counts of runs, files left out with the reason, secrets removed by kind."""
    return {
        "new": report.new,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "skipped": [_note(n) for n in report.skipped],
        "failed": [_note(n) for n in report.failed],
        "warnings": [_note(n) for n in report.warnings],
        "redacted": report.redacted.total(),
        "redacted_kinds": dict(sorted(report.redacted.items())),
        "traces": report.traces,
        "files": report.files,
        "size_bytes": report.size_bytes,
        "steps": report.steps,
        "dry_run": dry_run,
        **({"llm": asdict(report.llm)} if report.llm else {}),
    }


def plan_json(plan: "Plan", *, prompts: bool) -> dict[str, Any]:
    """What asking a language model would take; `usd` is null where there is no price."""
    texts = ({"version": p.version, "system": p.system, "user": p.user} for p in plan.prompts)
    return {
        "calls": plan.calls,
        "input_tokens": plan.input_tokens,
        "output_tokens": plan.output_tokens,
        "usd": plan.usd,
        "seconds": plan.seconds,
        **({"prompts": list(texts)} if prompts else {}),
    }


def _note(note: FileNote) -> dict[str, str]:
    return {"path": note.path, "reason": note.reason}


def import_json(
    report: ImportReport, unreadable: list[tuple[int, str]], *, dry_run: bool
) -> dict[str, Any]:
    """Counts of memories, and the lines and rows that could not be taken."""
    return {
        "new": report.new,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "failed": [
            *({"line": number, "reason": reason} for number, reason in unreadable),
            *({"row": b.row, "reason": b.reason} for b in report.failed),
        ],
        "redacted": report.redacted,
        "dry_run": dry_run,
    }


def answer_json(answer: Answer) -> dict[str, Any]:
    """The answer to a query; `items` are best first, `beneath` are less abstract ones of each."""
    return {
        "retrieval_id": answer.retrieval_id,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "confidence": round(answer.confidence, 4),
        "floor": round(answer.floor, 4),
        "considered": answer.considered,
        "withheld": dict(answer.withheld),
        "items": [_item(i) for i in answer.items],
    }


def _item(item: Item) -> dict[str, Any]:
    memory = item.memory
    return {
        "id": memory.id,
        "level": item.level,
        "title": memory.title,
        "text": item.text,
        "score": round(item.score, 4),
        "why": item.why,
        "path": list(item.path),
        "polarity": memory.polarity,
        "untrusted": memory.untrusted,
        "support": support_json(item.support),
        "beneath": [_item(i) for i in item.beneath],
    }


def support_json(support: Support) -> dict[str, Any]:
    """What stands behind a memory, counted over distinct traces."""
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in asdict(support).items()}


def node_json(node: Node) -> dict[str, Any]:
    """A node's label and properties."""
    level = {"level_name": level_name(node.level)} if isinstance(node, Memory) else {}
    return {"label": label_of(node), **level, **to_properties(node)}


def shown_json(shown: Shown) -> dict[str, Any]:
    """A node, its support and its edges."""
    return {
        **node_json(shown.node),
        "support": support_json(shown.support),
        "edges": [_edge(e) for e in shown.edges],
        **({"edges_left_out": dict(shown.left_out)} if shown.left_out else {}),
    }


def _edge(edge: Edge) -> dict[str, Any]:
    values = asdict(edge)
    return {name: v for name, v in values.items() if v not in ("", None)}


def evidence_json(found: Evidence) -> dict[str, Any]:
    """The way down from a memory to traces and steps."""
    return {
        "memory": node_json(found.memory),
        "support": support_json(found.support),
        "between": [node_json(m) for m in found.between],
        "traces": [_trace(t) for t in found.traces],
        "memories_left_out": found.memories_left_out,
        "traces_left_out": found.traces_left_out,
    }


def _trace(evidence: TraceEvidence) -> dict[str, Any]:
    return {
        "trace": node_json(evidence.trace),
        "path": list(evidence.path),
        "steps": [
            {"cited_by": c.cited_by, "quote": c.quote, **node_json(c.step)} for c in evidence.steps
        ],
        "steps_left_out": evidence.steps_left_out,
    }


def stats_json(stats: Stats) -> dict[str, Any]:
    """What is kept: `levels` maps a level's name to its count."""
    return {name: dict(counts) for name, counts in asdict(stats).items()}


def forget_json(ids: list[str], *, removed: int) -> dict[str, Any]:
    """The full ids of what was to be deleted, and how many nodes went."""
    return {"ids": ids, "removed": removed}


def read_rows(file: Path) -> tuple[list[Mapping[str, Any]], list[tuple[int, str]]]:
    """The JSON objects of a file, one a line, and the lines that hold none, by number."""
    rows: list[Mapping[str, Any]] = []
    bad: list[tuple[int, str]] = []
    for number, line in enumerate(file.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8", errors="replace"))
        except json.JSONDecodeError as error:
            bad.append((number, f"not JSON: {error.msg}"))
            continue
        if isinstance(value, dict):
            rows.append(value)
        else:
            bad.append((number, f"expected an object, got {type(value).__name__}"))
    return rows, bad


def reasons(report: IngestReport) -> dict[str, int]:
    """How many files were skipped for each reason, the most frequent first."""
    counted = Counter(n.reason for n in report.skipped)
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
