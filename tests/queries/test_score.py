"""The score, compared with a slow and plain computation of the same formula."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder.kg.protocols import Candidate, TermStatistics
from stepladder.kg.terms import count_terms, term_id, tokenize
from stepladder.kg.types import Insight, Vector
from stepladder.queries.score import (
    K1,
    MIN_GROUP,
    B,
    centred_cosines,
    dense_weight,
    on_equal_terms,
    pool_by_task,
    score,
)
from stepladder.queries.terms import FULL_TERMS, read_words, weigh

WORDS = ["parse", "date", "token", "cache", "index", "merge", "query", "graph", "test", "build"]
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def candidate(number: int, key: str, body: str, vector: Vector | None = None) -> Candidate:
    memory = Insight(id=f"insight-{number}", created="", title=key, content=body)
    return Candidate.of(memory, terms=count_terms(memory.key, memory.full), vector=vector)


def statistics_of(candidates: Sequence[Candidate]) -> TermStatistics:
    keys = [Counter(tokenize(c.memory.key)) for c in candidates]
    fulls = [Counter(tokenize(c.memory.full)) for c in candidates]
    return TermStatistics(
        memories=len(candidates),
        traces=0,
        mean_key_length=sum(k.total() for k in keys) / max(len(keys), 1),
        mean_full_length=sum(f.total() for f in fulls) / max(len(fulls), 1),
        document_frequency={
            term_id(t): (sum(t in k for k in keys), sum(t in f for f in fulls))
            for t in set().union(*fulls)
        },
    )


def naive(candidates: Sequence[Candidate], text: str) -> list[tuple[float, float]]:
    """Key and full part of each candidate, word by word."""
    known = statistics_of(candidates)
    n = known.memories

    def idf(term: str, field: int) -> float:
        df = known.document_frequency.get(term_id(term), (0, 0))[field]
        return math.log(1 + (n - df + 0.5) / (df + 0.5))

    counts = Counter(tokenize(text))
    order = sorted(counts, key=lambda t: (-(1 + math.log(counts[t])) * idf(t, 1), t))
    norm = math.sqrt(sum(idf(t, 1) for t in order[:FULL_TERMS])) or 1.0

    def bm25(document: str, terms: Sequence[str], field: int, mean: float) -> float:
        words = tokenize(document)
        length = K1 * (1 - B + B * len(words) / max(mean, 1.0))
        return sum(
            idf(t, field) * words.count(t) * (K1 + 1) / (words.count(t) + length)
            for t in terms
            if t in words
        )

    return [
        (
            bm25(c.memory.key, order, 0, known.mean_key_length) / norm,
            bm25(c.memory.full, order[:FULL_TERMS], 1, known.mean_full_length) / norm,
        )
        for c in candidates
    ]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(texts, texts), max_size=6), texts)
def test_the_score_equals_a_plain_computation(pairs: list[tuple[str, str]], text: str) -> None:
    candidates = [candidate(n, key, body) for n, (key, body) in enumerate(pairs)]
    known = statistics_of(candidates)
    got = score(candidates, weigh(read_words(text), known), statistics=known, vector=None)
    want = np.array(naive(candidates, text)).reshape(-1, 2)
    np.testing.assert_allclose(got.key, want[:, 0], atol=1e-9)
    np.testing.assert_allclose(got.full, want[:, 1], atol=1e-9)
    np.testing.assert_array_equal(got.dense, np.zeros(len(candidates)))


def test_a_long_text_is_compared_by_its_heaviest_words_only() -> None:
    rare = [f"word{n}" for n in range(FULL_TERMS + 8)]
    candidates = [candidate(0, "", " ".join(rare)), candidate(1, "common", "common")]
    known = statistics_of(candidates)
    text = " ".join(rare)
    got = score(candidates, weigh(read_words(text), known), statistics=known, vector=None)
    np.testing.assert_allclose(got.full, [f for _, f in naive(candidates, text)])


def test_the_cosine_is_weighted_and_added() -> None:
    east, north = np.eye(2, dtype=np.float32)
    candidates = [candidate(0, "a", "", east), candidate(1, "b", "", north), candidate(2, "c", "")]
    known = statistics_of(candidates)
    terms = weigh(read_words("nothing"), known)
    got = score(candidates, terms, statistics=known, vector=east, weight=3.0)
    np.testing.assert_allclose(got.total, [3.0, 0.0, 0.0])


def test_every_embedder_has_a_weight() -> None:
    assert [dense_weight(n) for n in ("static-256", "minilm-l6-v2", "of-mine")] == [3.0, 5.0, 3.0]


def test_nothing_to_score_gives_nothing() -> None:
    known = statistics_of([])
    got = score([], weigh(read_words("parse"), known), statistics=known, vector=np.ones(2))
    assert got.total.shape == (0,)


def test_memories_of_one_task_lift_each_other() -> None:
    pooled = pool_by_task(np.array([1.0, 5.0, 4.0, 2.0]), ["task-a", "task-a", "", "task-b"])
    assert pooled.tolist() == [1.0 + 15.0, 5.0 + 15.0, 4.0 + 12.0, 2.0 + 6.0]


def test_pooling_keeps_the_order_of_memories_without_a_task() -> None:
    assert pool_by_task(np.array([3.0, -1.0]), ["", ""]).tolist() == [12.0, -4.0]


def test_what_all_memories_of_a_language_share_does_not_pull_a_task_to_them() -> None:
    python, rust, topic = np.eye(3)
    keys = np.array(
        [python + (0.5 * topic if n == 0 else 0) for n in range(MIN_GROUP)]
        + [rust + (0.5 * topic if n == 0 else 0) for n in range(MIN_GROUP)],
        dtype=np.float32,
    )
    keys /= np.linalg.norm(keys, axis=1, keepdims=True)
    languages = ["python"] * MIN_GROUP + ["rust"] * MIN_GROUP
    task = ((python + 0.5 * topic) / np.linalg.norm(python + 0.5 * topic)).astype(np.float32)

    plain = keys @ task
    centred = centred_cosines(keys, task, languages=languages, language="python")

    assert plain[1] > plain[MIN_GROUP]
    assert centred[MIN_GROUP] > 0.9 > 0 > centred[1]
    assert centred[0] == pytest.approx(centred.max())


def test_groups_that_are_too_small_are_left_as_they_are() -> None:
    keys = np.eye(3, dtype=np.float32)
    languages = ["python", "python", "rust"]
    got = centred_cosines(keys, keys[0], languages=languages, language="python")
    assert got.tolist() == [1.0, 0.0, 0.0]
    scores = np.array([4.0, 2.0, 1.0])
    assert on_equal_terms(scores, languages).tolist() == [4.0, 2.0, 1.0]


def test_for_transfer_each_language_is_compared_with_the_best_of_its_own() -> None:
    python = np.linspace(5.0, 8.0, MIN_GROUP)
    rust = np.linspace(1.0, 4.0, MIN_GROUP)
    scores = np.array([*python, *rust, 7.0])
    languages = ["python"] * MIN_GROUP + ["rust"] * MIN_GROUP + [""]
    shifted = on_equal_terms(scores, languages)
    level = np.quantile(scores, 0.9)
    np.testing.assert_allclose(shifted[:MIN_GROUP], python - np.quantile(python, 0.9) + level)
    np.testing.assert_allclose(shifted[:MIN_GROUP], shifted[MIN_GROUP:-1])
    assert shifted[-1] == 7.0
