"""What becomes of shown memories comes back into the ranking, and is measured."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.episodes import note_outcomes
from stepladder.kg.errors import UsageError
from stepladder.kg.types import Batch, Edge, Retrieval
from stepladder.queries.render import prompt_text
from stepladder.queries.uplift import uplift
from stepladder.queries.use import Episode, Use, adjustments

EXAMPLES = Path(__file__).parents[2] / "examples"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TASK = "the tests run in CI with another lock file"


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def pool(kb: KnowledgeBase) -> KnowledgeBase:
    """Six lessons that fit one task about equally."""
    words = ("cached", "pinned", "vendored", "locked", "copied", "mirrored")
    kb.import_memories(
        [
            {
                "id": f"insight-{w}",
                "level": "insight",
                "title": f"Run the tests in CI with the {w} lock file",
            }
            for w in words
        ]
    )
    return kb


def ranked(kb: KnowledgeBase, *, domain: str = "") -> list[str]:
    answer = kb.retrieve(TASK, domain=domain, floor=0.0, record=False)
    return [item.memory.id for item in answer.items]


def seen_session(source: Path, target: Path, text: str) -> Path:
    """A real session in which a hook told the agent a text after its first prompt."""
    lines = source.read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    told = {
        **{k: first[k] for k in ("sessionId", "cwd", "version") if k in first},
        "type": "attachment",
        "uuid": "11111111-2222-4333-8444-555555555555",
        "timestamp": first.get("timestamp", ""),
        "attachment": {
            "type": "hook_additional_context",
            "content": [text],
            "hookName": "UserPromptSubmit",
            "hookEvent": "UserPromptSubmit",
        },
    }
    target.write_text("\n".join([lines[0], json.dumps(told), *lines[1:]]) + "\n", encoding="utf-8")
    return target


def test_a_run_that_saw_an_answer_is_linked_to_it_and_its_outcome_credited(
    pool: KnowledgeBase, tmp_path: Path
) -> None:
    answer = pool.retrieve(TASK, domain="web-dev", floor=0.0, now=NOON)
    session = seen_session(
        EXAMPLES / "web-dev" / "site-card-title.jsonl",
        tmp_path / "session.jsonl",
        prompt_text(answer),
    )
    (tmp_path / "session.outcome.json").write_text(
        json.dumps({"status": "success", "source": "verifier"})
    )
    (trace,) = pool.ingest([session]).traces
    edges = pool.store.edges([answer.retrieval_id], types=["IN_TRACE"])
    assert [(e.source, e.target) for e in edges] == [(answer.retrieval_id, trace)]
    shown = answer.items[0].memory.id
    assert pool.use(shown) == {"web-dev": Use(shown=1, helped=1)}


def test_a_mark_that_no_retrieval_of_the_store_bears_links_nothing(
    pool: KnowledgeBase, tmp_path: Path
) -> None:
    session = seen_session(
        EXAMPLES / "web-dev" / "site-card-title.jsonl",
        tmp_path / "session.jsonl",
        "<memory-r-0123456789abcdef>\n1. x\n</memory-r-0123456789abcdef>",
    )
    pool.ingest([session])
    assert "IN_TRACE" not in pool.store.counts().edges


def test_feedback_is_credited_to_what_was_used_else_to_all_that_was_shown(
    pool: KnowledgeBase,
) -> None:
    first = pool.retrieve(TASK, domain="ci", floor=0.0, now=NOON)
    second = pool.retrieve(TASK, domain="ci", floor=0.0, now=NOON + timedelta(seconds=1))
    shown = [i.memory.id for i in first.items]
    assert list(pool.feedback(first.retrieval_id[:8], outcome="failure")) == sorted(shown)
    used = pool.feedback(second.retrieval_id, outcome="success", used=[shown[0]])
    assert used == (shown[0],)
    assert pool.use(shown[0]) == {"ci": Use(shown=2, used=1, helped=1, hurt=1)}
    assert pool.use(shown[1]) == {"ci": Use(shown=2, hurt=1)}


def test_what_was_not_shown_cannot_have_been_used(pool: KnowledgeBase) -> None:
    answer = pool.retrieve(TASK, floor=0.0, k=1, now=NOON)
    other = next(i for i in ranked(pool) if i != answer.items[0].memory.id)
    with pytest.raises(UsageError, match="did not show"):
        pool.feedback(answer.retrieval_id, outcome="success", used=[other])
    with pytest.raises(UsageError, match="no retrieval"):
        pool.feedback(other, outcome="success")


def test_a_verifier_is_believed_before_the_agents_own_report(
    pool: KnowledgeBase, tmp_path: Path
) -> None:
    answer = pool.retrieve(TASK, domain="web-dev", floor=0.0, now=NOON)
    pool.feedback(answer.retrieval_id, outcome="success", source="judge")
    session = seen_session(
        EXAMPLES / "web-dev" / "site-card-title.jsonl",
        tmp_path / "session.jsonl",
        prompt_text(answer),
    )
    (tmp_path / "session.outcome.json").write_text(
        json.dumps({"status": "failure", "source": "verifier"})
    )
    pool.ingest([session])
    assert pool.use(answer.items[0].memory.id) == {"web-dev": Use(shown=1, hurt=1)}


def test_without_evidence_of_use_nothing_changes(pool: KnowledgeBase) -> None:
    before = ranked(pool, domain="ci")
    pool.retrieve(TASK, domain="ci", floor=0.0, now=NOON)
    assert adjustments(pool.store, before, domain="ci") == {}
    assert ranked(pool, domain="ci") == before


def simulate(
    kb: KnowledgeBase, effects: Callable[[str, str], float], *, seed: int, holdout: float = 0.0
) -> float:
    """Write 500 retrievals over two domains with outcomes drawn from the hidden effects.

    Returns the true effect of showing one more item, averaged over answers and items.
    """
    chance = Random(seed)
    pool = ranked(kb)
    nodes: list[Retrieval] = []
    edges: list[Edge] = []
    truth: list[float] = []
    for n in range(500):
        domain = ("ci", "web")[n % 2]
        items = chance.sample(pool, 3)
        truth.append(sum(effects(i, domain) for i in items) / len(items))
        held = chance.choice(items) if chance.random() < holdout else ""
        shown = [i for i in items if i != held]
        odds = 0.5 + sum(effects(i, domain) for i in shown)
        outcome = "success" if chance.random() < odds else "failure"
        node = Retrieval(
            id=f"r-{seed:04d}{n:012d}",
            created="2026-01-01T00:00:00Z",
            query="q",
            abstained=False,
            confidence=8.0,
            floor=7.5,
            domain=domain,
            holdout=holdout,
            outcome=outcome,
            outcome_source="verifier",
        )
        nodes.append(node)
        edges += [Edge(source=node.id, type="SHOWED", target=i, rank=1) for i in shown]
        edges += [Edge(source=node.id, type="WITHHELD", target=i, rank=1) for i in [held] if i]
    kb.store.write(Batch(nodes=tuple(nodes), edges=tuple(edges)))
    note_outcomes(kb.store, [n.id for n in nodes])
    return sum(truth) / len(truth)


def test_harmful_memories_lose_rank_in_their_domain_and_only_there(pool: KnowledgeBase) -> None:
    before = {d: ranked(pool, domain=d) for d in ("ci", "web", "other")}
    bad, good = before["ci"][0], before["ci"][-1]

    def effects(id: str, domain: str) -> float:
        if domain != "ci":
            return 0.0
        return {bad: -0.3, good: 0.2}.get(id, 0.0)

    simulate(pool, effects, seed=1)
    after = {d: ranked(pool, domain=d) for d in ("ci", "web", "other")}
    assert bad not in after["ci"][:4]
    assert after["ci"].index(good) < before["ci"].index(good)
    assert after["web"].index(bad) == 0
    assert after["other"] == before["other"]


def test_what_certainly_harms_is_not_shown_where_it_barely_fits(pool: KnowledgeBase) -> None:
    bad = ranked(pool)[0]
    simulate(pool, lambda id, domain: -0.4 if id == bad else 0.0, seed=2)
    score = pool.retrieve(TASK, domain="ci", floor=0.0, record=False).items[-1].score
    answer = pool.retrieve(TASK, domain="ci", floor=score - 0.01, record=False)
    assert bad not in [i.memory.id for i in answer.items]
    assert answer.withheld["use"] == 1


def test_the_estimate_of_uplift_covers_the_truth_in_nine_of_ten_runs(tmp_path: Path) -> None:
    covered = 0
    for seed in range(20):
        with KnowledgeBase.open(tmp_path / f"{seed}.db") as kb:
            kb.import_memories(
                [{"id": f"insight-{n}", "title": f"{TASK} number {n}"} for n in range(6)]
            )
            effects = {f"insight-{n}": 0.04 * n - 0.06 for n in range(6)}
            truth = simulate(kb, lambda id, domain, of=effects: of[id], seed=seed, holdout=0.4)
            found = kb.uplift().overall
            assert found.shown + found.withheld == 500
            covered += found.low <= truth <= found.high
    assert covered >= 18


def test_a_holdout_withholds_one_item_with_its_odds_and_says_so(pool: KnowledgeBase) -> None:
    answers = [
        pool.retrieve(TASK, floor=0.0, holdout=0.3, now=NOON + timedelta(seconds=n))
        for n in range(60)
    ]
    held = [a for a in answers if a.held_out]
    assert 8 <= len(held) <= 30
    for answer in held:
        ((id, rank),) = answer.held_out
        assert answer.withheld["holdout"] == 1
        assert id not in prompt_text(answer)
        (edge,) = pool.store.edges([answer.retrieval_id], types=["WITHHELD"])
        assert (edge.target, edge.rank) == (id, rank)
    assert len({a.held_out[0][0] for a in held}) > 2
    again = pool.retrieve(TASK, floor=0.0, holdout=0.3, now=NOON)
    assert again.held_out == answers[0].held_out


def test_without_a_holdout_everything_that_fits_is_shown(pool: KnowledgeBase) -> None:
    answer = pool.retrieve(TASK, floor=0.0, now=NOON)
    assert (len(answer.items), answer.held_out) == (6, ())
    assert pool.uplift().overall.withheld == 0


def test_answers_whose_outcome_nobody_told_are_counted_apart() -> None:
    def episode(outcome: str, *, holdout: float = 0.5, withheld: str = "") -> Episode:
        return Episode(
            retrieval="r",
            domain="",
            shown=frozenset({"a"}),
            used=frozenset(),
            withheld=frozenset({withheld} - {""}),
            holdout=holdout,
            outcome=outcome,  # type: ignore[arg-type]
            weight=1.0,
        )

    found = uplift(
        [
            episode("success"),
            episode("failure", withheld="b"),
            episode("unknown"),
            episode("success", holdout=0.0),
        ]
    )
    assert (found.overall.shown, found.overall.withheld) == (1, 1)
    assert (found.overall.difference, found.unknown, found.outside) == (1.0, 1, 1)
    assert [m.name for m in found.memories] == ["b"]


def test_an_answer_reads_no_more_of_the_log_than_has_an_outcome(
    pool: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = pool.retrieve(TASK, domain="ci", floor=0.0, now=NOON)
    for second in range(1, 9):
        pool.retrieve(TASK, domain="ci", floor=0.0, now=NOON + timedelta(seconds=second))
    pool.feedback(asked.retrieval_id, outcome="failure")
    read: list[str] = []
    get = pool.store.get

    def counted(ids: Sequence[str], **scope: Any) -> Any:
        read.extend(id for id in ids if id.startswith("r-"))
        return get(ids, **scope)

    monkeypatch.setattr(pool.store, "get", counted)
    pool.retrieve(TASK, domain="ci", floor=0.0, record=False)
    pool.retrieve(TASK, domain="ci", floor=0.0, record=False)
    assert read == [asked.retrieval_id]
    pool.feedback(asked.retrieval_id, outcome="success")
    assert pool.use(asked.items[0].memory.id)["ci"].helped == 1
