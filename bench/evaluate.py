"""Measure retrieval on public sets, side by side with simple baselines on the same rows.

    STEPLADDER_DATA=<folder with eval/> python bench/evaluate.py [--tests T1 T3] [--json]

Everything of ours goes through `KnowledgeBase`; what must not be found is really removed. The
baselines are BM25, cosines of the static table and reciprocal rank fusion of both; with
`--minilm FOLDER` (a folder with all-MiniLM-L6-v2 as ONNX and its vocab.txt) their cosines are
MiniLM's. No model judges anything. Differences carry a paired 95 % bootstrap interval. About three
minutes; about six with MiniLM.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
import retrieval_sets as sets
from baselines import BM25, Encoder, MiniLM, fused, standardised
from measures import (
    Floats,
    auroc,
    average_precision,
    false_at_90,
    interval,
    mean,
    ndcg,
    recall,
    share,
)
from results import Result, print_table
from retrieval_sets import Question, RetrievalSet
from rich.console import Console

from stepladder import KnowledgeBase
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.queries.answer import Answer
from stepladder.queries.render import count_tokens

DATA = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)
BUDGET_TOKENS: Final = 250
DEEP: Final = 60
NO_FLOOR: Final = -99.0
STRICTER: Final = 1.5
"""By how much the built-in strict floor of insights is above the default one."""

CALIBRATIONS: Final = 11


@dataclass(frozen=True, slots=True)
class Pool:
    """A set with what the baselines need: keys, whole texts, and vectors of keys and questions."""

    data: RetrievalSet
    ids: list[str]
    keys: list[str]
    texts: list[str]
    encoder: Encoder

    @classmethod
    def of(cls, data: RetrievalSet, encoder: Encoder) -> "Pool":
        keys = [_join(m["title"], m.get("description", "")) for m in data.memories]
        texts = [_join(k, m.get("content", "")) for k, m in zip(keys, data.memories, strict=True)]
        return cls(data, [m["id"] for m in data.memories], keys, texts, encoder)

    def cosines(self, texts: Sequence[str]) -> Floats:
        """Cosine of every question with every text, shape (questions, texts)."""
        asked = self.encoder.encode([q.text for q in self.data.questions])
        return np.asarray(asked @ self.encoder.encode(texts).T, dtype=np.float64)

    def ranked(self, scores: Floats, question: Question) -> list[str]:
        """Ids by score, best first, without those that the asker must not see."""
        order = np.argsort(-scores, kind="stable")
        return [self.ids[n] for n in order if self.ids[n] not in question.exclude]


def compare(
    test: str,
    measure: str,
    ours: Sequence[float] | Floats,
    theirs: Sequence[float] | Floats,
    *,
    name: str,
    statistic: Callable[[Floats], float] = mean,
) -> Result:
    """Our value, theirs, and the interval of the difference."""
    a, b = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    low, high = interval(a, b, statistic)
    return Result(
        test=test,
        measure=measure,
        rows=len(a),
        ours=statistic(a),
        baseline=statistic(b),
        baseline_name=name,
        low=low,
        high=high,
    )


@contextmanager
def knowing(data: RetrievalSet) -> Iterator[KnowledgeBase]:
    """A knowledge base that holds the memories of a set."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        KnowledgeBase.open(Path(folder) / "memory.db") as kb,
    ):
        report = kb.import_memories(data.memories)
        if report.failed:
            raise SystemExit(f"Some memories could not be imported: {report.failed[:3]}")
        yield kb


def found(
    kb: KnowledgeBase, question: Question, *, k: int = 10, transfer: bool = False
) -> list[str]:
    """Ids that a search brings, best first."""
    hits = kb.search(
        question.text,
        k=k,
        language=question.language,
        transfer=transfer,
        exclude=question.exclude,
    )
    return [h.memory.id for h in hits]


def four_lists(pool: Pool) -> list[list[str]]:
    """Baseline of T1: BM25 and cosine, of keys and of whole texts, fused."""
    lists = (BM25(pool.keys), BM25(pool.texts))
    cosines = (pool.cosines(pool.keys), pool.cosines(pool.texts))
    return [
        pool.ranked(fused(*(b.scores(q.text) for b in lists), *(c[n] for c in cosines)), q)
        for n, q in enumerate(pool.data.questions)
    ]


def within_budget(pool: Pool, ranked: Sequence[str], gold: set[str], *, short: bool) -> float:
    """Part of the gold whose keys fit a budget of 250 tokens, best first."""
    key_of = dict(zip(pool.ids, pool.keys, strict=True))
    shown: set[str] = set()
    room = BUDGET_TOKENS
    for i in ranked:
        words = key_of[i].split()
        text = " ".join(words[:15]) + " …" if short and len(words) > 15 else " ".join(words)
        room -= count_tokens(text)
        if room < 0:
            break
        shown.add(i)
    return len(shown & gold) / len(gold)


def task_to_memory(encoder: Encoder) -> Iterator[Result]:
    """T1: does a task find the memories that help it, in a pool of foreign ones?"""
    pool = Pool.of(sets.skills_for_tasks(DATA), encoder)
    questions = pool.data.questions
    with knowing(pool.data) as kb:
        ours = [found(kb, q, k=DEEP) for q in questions]
    theirs = four_lists(pool)
    name = "RRF of 4 lists"
    gains = [[ndcg(r, q.gold) for r, q in zip(s, questions, strict=True)] for s in (ours, theirs)]
    yield compare("T1", "nDCG@10", *gains, name=name)
    for group in ("skillsbench", "tb2"):
        part = [n for n, q in enumerate(questions) if q.group == group]
        yield compare("T1", f"nDCG@10 {group}", *([g[n] for n in part] for g in gains), name=name)
    foreign = [
        [
            share(r, lambda i, q=q: pool.data.source[i] != q.group, k=3)  # type: ignore[misc]
            for r, q in zip(s, questions, strict=True)
        ]
        for s in (ours, theirs)
    ]
    yield compare("T1", "intrusion@3 (less is better)", *foreign, name=name)
    for short in (True, False):
        shown = [
            [
                within_budget(pool, r, set(q.gold), short=short)
                for r, q in zip(s, questions, strict=True)
            ]
            for s in (ours, theirs)
        ]
        what = "keys of 15 words" if short else "whole keys"
        yield compare("T1", f"recall at {BUDGET_TOKENS} tokens, {what}", *shown, name=name)


def nothing_applies(encoder: Encoder) -> Iterator[Result]:
    """T2: is it noticed that nothing applies, gold removed (near) or all of another trade (far)?"""
    pool = Pool.of(sets.skills_for_tasks(DATA), encoder)
    questions = pool.data.questions
    lexical, cosines = BM25(pool.keys), pool.cosines(pool.keys)

    def certainty(n: int, left: np.ndarray) -> float:
        there = lexical.scores(questions[n].text, left=left)[left], cosines[n][left]
        return float(np.max(standardised(there[0]) + standardised(there[1])))

    everything = np.ones(len(pool.ids), dtype=bool)
    not_gold = [np.array([i not in q.gold for i in pool.ids]) for q in questions]
    far_away = np.array([pool.data.source[i] in sets.NOT_CODING for i in pool.ids])
    with knowing(pool.data) as kb:
        sure = [kb.retrieve(q.text, record=False).confidence for q in questions]
        near = [_without(kb, pool.data, q) for q in questions]
        kb.forget([i for i, far in zip(pool.ids, far_away, strict=True) if not far])
        far = [kb.retrieve(q.text, record=False).confidence for q in questions]
    indices = range(len(questions))
    answerable = [certainty(n, everything) for n in indices]
    for kind, ours, theirs in (
        ("near", near, [certainty(n, not_gold[n]) for n in indices]),
        ("far", far, [certainty(n, far_away) for n in indices]),
    ):
        pairs = np.column_stack([sure, ours]), np.column_stack([answerable, theirs])
        name = "sum of z, BM25 + cosine"
        yield compare("T2", f"{kind} AUROC", *pairs, name=name, statistic=auroc)
        yield compare("T2", f"{kind} false at 90 % true", *pairs, name=name, statistic=false_at_90)


def nothing_applies_calibrated(encoder: Encoder) -> Iterator[Result]:
    """T2 again, near, with floors fitted on the store's own graph, the removed gold not in it."""
    pool = Pool.of(sets.skills_for_tasks(DATA), encoder)
    questions = pool.data.questions
    with knowing(pool.data) as kb:
        before = [kb.retrieve(q.text, record=False).confidence for q in questions]
        before_near = [_without(kb, pool.data, q) for q in questions]
        kb.calibrate()
        sure = [kb.retrieve(q.text, record=False) for q in questions]
        near = _calibrated_without(kb, pool.data)
    ours = np.column_stack([[a.confidence for a in sure], [a.confidence for a in near]])
    theirs = np.column_stack([before, before_near])
    name = "not calibrated"
    yield compare("T2c", "near AUROC", ours, theirs, name=name, statistic=auroc)
    yield compare("T2c", "near false at 90 % true", ours, theirs, name=name, statistic=false_at_90)
    for said, answers in (("answered", sure), ("answered, gold removed", near)):
        kept = [float(not a.abstained) for a in answers]
        strict = [float(a.confidence >= a.floor + STRICTER) for a in answers]
        yield compare("T2c", f"{said}: default floor", kept, strict, name="strict floor")


def _calibrated_without(kb: KnowledgeBase, data: RetrievalSet) -> list[Answer]:
    """Answers while what is right is not in the store and was not when it was calibrated.

    The gold of several questions is removed at once before calibrating, to save time; that of the
    others is back when a question is asked.
    """
    rows = {m["id"]: m for m in data.memories}
    found: dict[str, Answer] = {}
    for first in range(CALIBRATIONS):
        part = data.questions[first::CALIBRATIONS]
        gold = sorted({i for q in part for i in q.gold})
        kb.forget(gold)
        kb.calibrate()
        for question in part:
            others = [i for i in gold if i not in question.gold]
            kb.import_memories(rows[i] for i in others)
            found[question.id] = kb.retrieve(question.text, record=False)
            kb.forget(others)
        kb.import_memories(rows[i] for i in gold)
    return [found[q.id] for q in data.questions]


def _without(kb: KnowledgeBase, data: RetrievalSet, question: Question) -> float:
    """How sure the answer is while the memories that are right are not in the store."""
    kb.forget(sorted(question.gold))
    confidence = kb.retrieve(question.text, record=False).confidence
    kb.import_memories(m for m in data.memories if m["id"] in question.gold)
    return confidence


def other_model(encoder: Encoder) -> Iterator[Result]:
    """T3: does a task text find what other models learned on the task?"""
    pool = Pool.of(sets.other_models(DATA), encoder)
    questions = pool.data.questions
    lexical, cosines = BM25(pool.keys), pool.cosines(pool.keys)
    with knowing(pool.data) as kb:
        ours = [ndcg(found(kb, q), q.gold) for q in questions]
    theirs = [
        ndcg(pool.ranked(fused(lexical.scores(q.text), cosines[n]), q), q.gold)
        for n, q in enumerate(questions)
    ]
    yield compare("T3", "nDCG@10", ours, theirs, name="RRF of 2 lists, general task")


def other_language(encoder: Encoder) -> Iterator[Result]:
    """T4: does a problem find what was learned in another language, without a pull to its own?"""
    for what, data, name in (
        ("lessons", sets.other_language_lessons(DATA), "RRF of 2 lists"),
        ("code", sets.other_language_code(DATA), "BM25"),
    ):
        pool = Pool.of(data, encoder)
        lexical = BM25(pool.texts, repeated=what == "code")
        cosines = pool.cosines(pool.texts) if what == "lessons" else None
        language = {m["id"]: m["language"] for m in data.memories}
        with knowing(data) as kb:
            ours = [found(kb, q, k=5, transfer=True) for q in data.questions]
        theirs = []
        for n, q in enumerate(data.questions):
            scores = lexical.scores(q.text)
            theirs.append(pool.ranked(scores if cosines is None else fused(scores, cosines[n]), q))
        both = ours, theirs
        hits = [
            [recall(r, q.gold, k=5) for r, q in zip(s, data.questions, strict=True)] for s in both
        ]
        pulled = [
            [
                share(r, lambda i, q=q, of=language: of[i] == q.language, k=5)  # type: ignore[misc]
                for r, q in zip(s, data.questions, strict=True)
            ]
            for s in both
        ]
        yield compare("T4", f"{what} R@5", *hits, name=name)
        yield compare("T4", f"{what} own language@5 (less is better)", *pulled, name=name)


def level_choice(encoder: Encoder) -> Iterator[Result]:
    """T6b: is what is returned the most abstract that applies, edges given?"""
    del encoder
    data = sets.levels_of_skills(DATA)
    parents = {m["id"]: m.get("parents", []) for m in data.memories}
    runs = [m for m in data.memories if m["level"] == "trace"]
    grades = {s: g for q in data.questions for s, g in q.gold.items()}
    lexical = BM25([m["title"] for m in runs])
    ours: list[list[str]] = []
    gated: list[list[str]] = []
    theirs: list[list[str]] = []
    with knowing(data) as kb:
        for q in data.questions:
            for shown, floor in ((ours, NO_FLOOR), (gated, None)):
                answer = kb.retrieve(
                    q.text, k=10, budget_tokens=20_000, exclude=q.exclude, floor=floor, record=False
                )
                shown.append([i.memory.id for i in answer.items])
    for q in data.questions:
        order = np.argsort(-lexical.scores(q.text), kind="stable")
        nearest = [runs[n]["id"] for n in order if runs[n]["id"] not in q.exclude][:10]
        theirs.append(_expected_gain([parents[i] for i in nearest], grades))
    name = "expected gain, 10 nearest runs"
    questions = data.questions
    for said, lists in (("", ours), (", floors kept", gated)):
        both = lists, theirs
        abstract = [
            [
                share(r, lambda i, q=q: q.gold.get(i, 0) >= 2, k=5)  # type: ignore[misc]
                for r, q in zip(s, questions, strict=True)
            ]
            for s in both
        ]
        gains = [[ndcg(r, q.gold) for r, q in zip(s, questions, strict=True)] for s in both]
        yield compare("T6b", f"abstract@5{said}", *abstract, name=name)
        yield compare("T6b", f"nDCG@10{said}", *gains, name=name)


def _expected_gain(parents: Sequence[Sequence[str]], grades: Mapping[str, int]) -> list[str]:
    """Skills by the part of the runs that have them, times the grade that their level has."""
    votes: dict[str, int] = {}
    for skills in parents:
        for skill in skills:
            votes[skill] = votes.get(skill, 0) + 1
    return sorted(votes, key=lambda s: (-votes[s] * grades.get(s, 0), s))


def procedures(encoder: Encoder) -> Iterator[Result]:
    """T8: a published benchmark of procedural memory."""
    pool = Pool.of(sets.procedures(DATA), encoder)
    questions = pool.data.questions
    cosines = pool.cosines(pool.keys)
    with knowing(pool.data) as kb:
        ours = [found(kb, q, k=len(pool.ids)) for q in questions]
    theirs = [pool.ranked(cosines[n], q) for n, q in enumerate(questions)]
    both, name = (ours, theirs), "cosine of the goal"
    first = [[recall(r, q.gold, k=1) for r, q in zip(s, questions, strict=True)] for s in both]
    precision = [
        [average_precision(r, q.gold) for r, q in zip(s, questions, strict=True)] for s in both
    ]
    yield compare("T8", "P@1", *first, name=name)
    yield compare("T8", "MAP", *precision, name=name)


TESTS: Final[dict[str, Callable[[Encoder], Iterator[Result]]]] = {
    "T1": task_to_memory,
    "T2": nothing_applies,
    "T2c": nothing_applies_calibrated,
    "T3": other_model,
    "T4": other_language,
    "T6b": level_choice,
    "T8": procedures,
}


def main() -> None:
    """Run the tests that were asked for and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--tests", nargs="+", choices=list(TESTS), default=list(TESTS))
    parser.add_argument("--minilm", type=Path, metavar="FOLDER", help="MiniLM for the baselines")
    parser.add_argument("--json", action="store_true", help="print JSON, not a table")
    options = parser.parse_args()
    encoder: Encoder = MiniLM(options.minilm) if options.minilm else StaticEmbedder()
    progress = Console(stderr=True)
    results: list[Result] = []
    for name in options.tests:
        progress.print(TESTS[name].__doc__)
        results += TESTS[name](encoder)
    if options.json:
        json.dump([asdict(r) for r in results], sys.stdout, indent=1)
    else:
        print_table(results, cosines="MiniLM" if options.minilm else "static table")


def _join(*parts: str) -> str:
    return "\n".join(p for p in parts if p)


if __name__ == "__main__":
    main()
