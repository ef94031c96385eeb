"""Compute the centre of the static embedder again, from public short texts.

    STEPLADDER_DATA=<folder with eval/> python scripts/embedding_centre.py [--check]

Writes kg/embedding/static-256-centre.npz: 256 numbers, the mean of the means of five kinds of
text, so that no kind weighs more for being longer. `--check` writes nothing and fails where the
file differs.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stepladder.kg.embedding.static import StaticEmbedder

ROOT = Path(__file__).resolve().parent.parent
CENTRE = ROOT / "kg" / "embedding" / "static-256-centre.npz"
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def main() -> None:
    """Write the centre, or with `--check` compare it."""
    data = Path(os.environ.get("STEPLADDER_DATA", ROOT.parent / "shared" / "data"))
    centre = compute(data / "eval")
    if "--check" in sys.argv[1:]:
        with np.load(CENTRE) as stored:
            difference = float(np.abs(stored["centre"] - centre).max())
        print(f"largest difference {difference:.1e}")
        sys.exit(difference > 1e-6)
    np.savez(CENTRE, centre=centre)
    print(f"wrote {CENTRE}: length {np.linalg.norm(centre):.4f}")


def compute(folder: Path) -> NDArray[np.float32]:
    """The mean over kinds of text of the mean unit vector of each, shape (256,)."""
    encode = StaticEmbedder().encode
    means = [
        encode(sorted(set(texts))).mean(axis=0, dtype=np.float64)
        for texts in kinds(folder).values()
    ]
    centre: NDArray[np.float32] = np.mean(means, axis=0).astype(np.float32)
    return centre


def kinds(folder: Path) -> dict[str, list[str]]:
    """Short public texts by kind: what bugs, tasks, rules, exercises and lessons are called."""
    bugs = [
        *rows(folder / "gitbugs/hadoop_bugs.jsonl"),
        *rows(folder / "gitbugs/seamonkey_bugs.jsonl"),
    ]
    tasks = rows(folder / "swebench/verified_tasks.jsonl")
    rules = rows(folder / "cursorrules/rules.jsonl")
    exercises = rows(folder / "exercism/exercises.jsonl")
    lessons = rows(folder / "reme/older_library.jsonl")
    return {
        "bugs": [row["summary"] for row in bugs],
        "tasks": [row["problem_statement"].partition("\n")[0] for row in tasks],
        "rules": [text for row in rules for text in sentences(row["body"])],
        "exercises": [text for row in exercises for text in sentences(row["instructions"])],
        "lessons": [row["when_to_use"] for row in lessons],
    }


def rows(path: Path) -> list[dict[str, str]]:
    """The objects of a file with one JSON object a line."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of 5 to 40 words."""
    for part in SENTENCE_END.split(text):
        if 5 <= len(part.split()) <= 40:
            yield part.strip()


if __name__ == "__main__":
    main()
