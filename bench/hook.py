"""How long Claude Code's prompt hook takes, from the start of its process to its answer.

    python bench/hook.py             # 10,000 memories, 20 calls

It prints the wall-clock time and the processor time of a call: the fastest and the middle one.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from stepladder import KnowledgeBase

ROOT = Path(__file__).resolve().parent.parent
PROMPT = "Fix a bug in a Python library: a test fails and the usual test runner is not installed"
MEMORIES = 10_000
CALLS = 20


def fill(store: Path) -> int:
    """Read the sample runs and import memories that share words with them."""
    chance = random.Random(1)
    text = (ROOT / "kg" / "embedding" / "vocab.txt").read_text("utf-8")
    words = [w for w in text.split("\n") if w.isalpha() and len(w) > 3]
    with KnowledgeBase.open(store) as kb:
        kb.ingest([ROOT / "examples"])
        keys = [(n.title, n.description) for n in kb.store.find("Insight")]  # type: ignore[attr-defined]
        kb.import_memories(
            {
                "id": f"insight-x{n}",
                "level": chance.choice(["insight", "summary", "workflow"]),
                "title": " ".join([chance.choice(keys)[0], *chance.sample(words, 4)]),
                "description": " ".join([chance.choice(keys)[1], *chance.sample(words, 6)]),
                "content": " ".join(chance.sample(words, 60)),
            }
            for n in range(MEMORIES)
        )
        return sum(kb.store.counts().labels.values())


def call(store: Path, folder: Path, number: int) -> tuple[float, float]:
    """Call the hook once; wall-clock and processor seconds."""
    program = Path(sys.executable).with_name("stepladder")
    payload = {"session_id": f"s{number}", "prompt": PROMPT, "cwd": str(folder)}
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(
        [program, "--store", store, "hook", "prompt"],
        input=json.dumps(payload).encode(),
        env={**os.environ, "STEPLADDER_STATE": str(folder / "state")},
        capture_output=True,
        check=True,
    )
    wall, after = time.perf_counter() - began, os.times()
    if b"additionalContext" not in done.stdout:
        sys.exit("The hook said nothing.")
    spent = after.children_user + after.children_system
    return wall, spent - before.children_user - before.children_system


def main() -> None:
    """Fill a store and time the calls."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        nodes = fill(folder / "memory.db")
        times = [call(folder / "memory.db", folder, n) for n in range(CALLS)]
    print(f"{nodes} nodes, {CALLS} calls, load {os.getloadavg()[0]:.1f}")
    for name, values in zip(("wall", "processor"), zip(*times, strict=True), strict=True):
        ordered = sorted(values)
        middle = ordered[len(ordered) // 2]
        print(f"{name}: fastest {1000 * ordered[0]:.0f} ms, middle {1000 * middle:.0f} ms")


if __name__ == "__main__":
    main()
