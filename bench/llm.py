"""Ingest public runs with a real language model behind a real server, and compare plan and use.

    python bench/llm_server.py 8111 &
    STEPLADDER_DATA=<folder with trajectories/> python bench/llm.py http://127.0.0.1:8111/v1 \
        [FILES [FOLDER]]

With FOLDER store and ledger stay there, and a later call goes on where this one stopped. Shows
what became of the answers and what the server counted, and that a second run asks nothing. With
the small model of `llm_server.py` few answers are borne out by the steps: it shows the way to a
model and back.
"""

import os
import sys
import tempfile
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rich.console import Console

from stepladder import KnowledgeBase
from stepladder.ingest.distillers.llm.prompting import Limits
from stepladder.ingest.distillers.llm.session import LlmOptions
from stepladder.ingest.llm.ledger import Entry, Ledger
from stepladder.ingest.llm.prices import FREE

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
FOLDERS: Final = ("claude-code-jsonl", "atif")
LIMITS: Final = Limits(sent_tokens=500, written_tokens=700)
"""Small, so that a small model on one core answers within a minute."""

KNOWN: Final = 3
"""Calls from which a plan goes by the ledger."""


def main(base_url: str, files: int, kept: str) -> None:
    """Ingest the first runs twice and print what each took."""
    out = Console()
    with nullcontext(kept) if kept else tempfile.TemporaryDirectory() as folder:
        options = LlmOptions(
            ledger=Path(folder) / "memory.llm.db",
            model="smollm2-135m",
            base_url=base_url,
            workers=1,
            limits=LIMITS,
        )
        paths = [p for name in FOLDERS for p in sorted((DATA / "trajectories" / name).rglob("*"))]
        paths = [p for p in paths if p.suffix in (".json", ".jsonl")][:files]
        with KnowledgeBase.open(Path(folder) / "memory.db") as kb:
            plan = kb.plan(paths, llm=options)
            out.print(
                f"planned: {plan.calls} calls, {plan.input_tokens} tokens in, "
                f"{plan.output_tokens} out"
            )
            for number in (1, 2):
                start = time.perf_counter()
                report = kb.ingest(paths, llm=options)
                assert report.llm is not None
                took_s = time.perf_counter() - start
                out.print(f"run {number}, {took_s:.0f} s: {report.new} new", asdict(report.llm))
            _compare(out, options)


def _compare(out: Console, options: LlmOptions) -> None:
    """Sums over every call of the ledger, of this use and of earlier ones."""
    with Ledger(options.ledger, model=options.model, price=FREE, cap_nano=None) as ledger:
        entries = [e for e in ledger.entries() if e.state != "cached"]
    out.print("calls by state:", dict(Counter(e.state for e in entries)))
    counted = [e for e in entries if e.counted and e.input_tokens]
    out.print(
        f"counted by the server: {sum(e.input_tokens for e in counted)} tokens in, "
        f"{sum(e.output_tokens for e in counted)} out, of {len({e.hash for e in counted})} prompts"
    )
    _tell_plans(out, counted)


def _tell_plans(out: Console, calls: list[Entry]) -> None:
    """What a plan says of each call with what the ledger knows of those before it."""
    planned_in = planned_out = 0.0
    near = 0
    for number, call in enumerate(calls[KNOWN:], start=KNOWN):
        before = calls[:number]
        ratio = sum(e.input_tokens for e in before) / sum(e.estimated for e in before)
        alike = [e.output_tokens for e in before if e.prompt == call.prompt]
        planned_in += call.estimated * ratio
        planned_out += sum(alike) / len(alike) if alike else LIMITS.written_tokens
        near += abs(call.estimated * ratio / call.input_tokens - 1) <= 0.1
    told = calls[KNOWN:]
    if told:
        used_in = sum(e.input_tokens for e in told)
        used = used_in + sum(e.output_tokens for e in told)
        first = sum(e.estimated for e in calls[:KNOWN])
        first_used = sum(e.input_tokens for e in calls[:KNOWN])
        out.print(
            f"first {KNOWN}, nothing known: tokens in {100 * (first / first_used - 1):+.1f} %"
        )
        out.print(
            f"{len(told)} after them: tokens in {100 * (planned_in / used_in - 1):+.1f} %, "
            f"in and out {100 * ((planned_in + planned_out) / used - 1):+.1f} %, "
            f"{near} within 10 %"
        )


if __name__ == "__main__":
    main(
        sys.argv[1],
        int(sys.argv[2]) if len(sys.argv) > 2 else 20,
        sys.argv[3] if len(sys.argv) > 3 else "",
    )
