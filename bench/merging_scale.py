"""What a consolidation costs as a store grows, each size in a process of its own."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from retrieval_sets import rows

from stepladder import KnowledgeBase

SEED: Final = 7
ADDED: Final = 100
DOMAINS: Final = 9
REPHRASED: Final = 0.3
"""Share of made texts that are a real one with one word in eight changed."""
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_IMPORTED: Final = 5000


@dataclass(frozen=True, slots=True)
class Cost:
    """What consolidating some insights took, in seconds of processor and clock time.

    `added_s` is for a hundred more on top of them, `again_s` for a second run with nothing new,
    `undone_s` for taking the first run back; `memory_mb` is the peak of the process.
    """

    insights: int
    cpu_s: float
    clock_s: float
    merges: int
    suggested: int
    added_cpu_s: float
    again_cpu_s: float
    undone_cpu_s: float
    memory_mb: float
    file_mb: float


def curve(data: Path, sizes: Sequence[int]) -> Iterator[Cost]:
    """One row a size."""
    for size in sizes:
        made = subprocess.run(
            [sys.executable, __file__, str(size)],
            env={**os.environ, "STEPLADDER_DATA": str(data)},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if made.returncode:
            raise SystemExit(made.stderr)
        yield Cost(**json.loads(made.stdout))


def measure(data: Path, size: int) -> Cost:
    """Import, consolidate, add a hundred, consolidate again, take the first run back."""
    texts = made_texts(data, size + ADDED)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "memory.db"
        with KnowledgeBase.open(file) as kb:
            for start in range(0, size, _IMPORTED):
                kb.import_memories(texts[start : min(size, start + _IMPORTED)])
            clock, cpu = time.perf_counter(), time.process_time()
            done = kb.consolidate(now=NOW)
            clock_s, cpu_s = time.perf_counter() - clock, time.process_time() - cpu
            peak = _peak_mb()
            kb.import_memories(texts[size:])
            cpu = time.process_time()
            kb.consolidate(now=NOW + timedelta(hours=1))
            added_s = time.process_time() - cpu
            cpu = time.process_time()
            kb.consolidate(now=NOW + timedelta(hours=2))
            again_s = time.process_time() - cpu
            cpu = time.process_time()
            kb.unmerge(done.merge_run, remember=False)
            undone_s = time.process_time() - cpu
        return Cost(
            insights=size,
            cpu_s=round(cpu_s, 1),
            clock_s=round(clock_s, 1),
            merges=len(done.merged),
            suggested=done.counts["suggested"],
            added_cpu_s=round(added_s, 2),
            again_cpu_s=round(again_s, 2),
            undone_cpu_s=round(undone_s, 2),
            memory_mb=round(peak),
            file_mb=round(file.stat().st_size / 1e6, 1),
        )


def made_texts(data: Path, count: int) -> list[dict[str, Any]]:
    """Insights of real sentences, then of real sentences rephrased, or of halves of two."""
    rng = random.Random(SEED)
    real = sorted(set(_sentences(data)))
    rng.shuffle(real)
    texts = real[:count]
    words = [w for text in real[:2000] for w in text.split()]
    while len(texts) < count:
        one = rng.choice(real).split()
        if rng.random() < REPHRASED:
            texts.append(" ".join(rng.choice(words) if rng.random() < 1 / 8 else w for w in one))
        else:
            other = rng.choice(real).split()
            texts.append(" ".join([*one[: len(one) // 2], *other[len(other) // 2 :]]))
    return [
        {
            "id": f"insight-made-{number:06d}",
            "level": "insight",
            "content": text,
            "domain": f"domain-{rng.randrange(DOMAINS)}",
        }
        for number, text in enumerate(texts)
    ]


def _sentences(data: Path) -> Iterator[str]:
    """Sentences of 5 to 40 words from bug reports, rule files and lessons."""
    for name in ("gitbugs/hadoop_bugs.jsonl", "gitbugs/seamonkey_bugs.jsonl"):
        for row in rows(data, name):
            yield from _parts(row["description"] or "")
    for row in rows(data, "cursorrules/rules.jsonl"):
        yield from _parts(row["body"])
    for row in rows(data, "reflexion/programming.jsonl"):
        yield from _parts("\n".join(row["reflections"]))
    for row in rows(data, "reme/task_memories.jsonl"):
        yield from _parts(row["content"])
    for part in ("dev", "train"):
        for row in rows(data, f"lesson_pairs/{part}.jsonl"):
            yield from (row["text_a"], row["text_b"])


def _parts(text: str) -> Iterator[str]:
    for part in _SENTENCE_END.split(text):
        stripped = part.strip(" -*#")
        if 5 <= len(stripped.split()) <= 40:
            yield stripped


def _peak_mb() -> float:
    try:
        import resource
    except ImportError:  # Windows
        return float("nan")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    from dataclasses import asdict

    cost = measure(Path(os.environ["STEPLADDER_DATA"]), int(sys.argv[1]))
    json.dump(asdict(cost), sys.stdout)
