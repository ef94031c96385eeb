"""Whatever was merged, decided and brought in meanwhile: taken back, the graph is as before.

Two hundred sequences are tried with STEPLADDER_SEQUENCES=200; fewer by default.
"""

import os
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stepladder import KnowledgeBase
from stepladder.kg.consolidation.rewording import (
    Rewording,
    basis_of,
    in_words,
    keep_rewordings,
    rewordings,
    words_of,
)
from stepladder.kg.consolidation.state import read_state
from stepladder.kg.errors import UsageError
from stepladder.kg.types import Batch, Insight

ROOT: Final = Path(__file__).resolve().parents[3]
NOON: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
SEQUENCES: Final = int(os.environ.get("STEPLADDER_SEQUENCES", "25"))
RUNS: Final = (
    "examples/terminal-devops/worker-port-in-use.json",
    "examples/build-packaging/kit-fresh-clone.traj.json",
)
LESSONS: Final = (
    "Run the whole test suite before you commit the change.",
    "Run the whole test suite before committing the change.",
    "Before committing the change, run the whole test suite.",
    "Run the whole test suite before you commit the change!",
    "Never run the whole test suite before you commit the change.",
    "Read the error message to its end before changing any code.",
    "Read the error message to its end before you change any code.",
    "Read an error message to its end before you change the code.",
    "Read the error message to its end before you change any code!",
    "Pin the versions of all dependencies in a lock file.",
    "Pin the versions of all the dependencies in a lock file.",
    "Pin versions of all dependencies in the lock file of the project.",
)
PROJECTS: Final = ("", "acme/api", "acme/web", "acme/api", "")
VERDICTS: Final = ("same", "broader", "narrower", "opposite", "apart")

Number = st.integers(min_value=0, max_value=999)
Step = st.one_of(
    st.tuples(st.just("import"), Number, Number),
    st.tuples(st.just("reword"), Number, Number),
    st.tuples(st.just("ingest"), Number, Number),
    st.tuples(st.just("consolidate"), Number, Number),
    st.tuples(st.just("consolidate"), Number, Number),
    st.tuples(st.just("rewrite"), Number, Number),
    st.tuples(st.just("unmerge"), Number, Number),
    st.tuples(st.just("unmerge"), Number, Number),
    st.tuples(st.just("decide"), Number, Number),
    st.tuples(st.just("decide"), Number, Number),
)


class Sequence:
    """Applies steps to one store, and only those that bring something in to another."""

    def __init__(self, worked: KnowledgeBase, plain: KnowledgeBase) -> None:
        self._worked = worked
        self._plain = plain
        self._hours = 0
        self._decided: list[tuple[str, str]] = []

    def apply(self, kind: str, a: int, b: int) -> None:
        """Do one step; the numbers choose what it is about."""
        steps: dict[str, Callable[[int, int], None]] = {
            "import": self._import,
            "reword": self._reword,
            "ingest": self._ingest,
            "consolidate": self._consolidate,
            "unmerge": self._unmerge,
            "decide": self._decide,
            "rewrite": self._rewrite,
        }
        steps[kind](a, b)

    def take_everything_back(self, order: int) -> None:
        """Take back all decisions, and all runs in an order that a number chooses."""
        for pair in self._decided:
            if self._insights().issuperset(pair):
                self._worked.reconsider(*pair)
        while runs := self._worked.merges():
            self._worked.unmerge(runs[order % len(runs)].id, remember=bool(order % 2))

    def _import(self, a: int, b: int) -> None:
        """Bring in some lessons, each with two runs of its project below it."""
        rows: list[dict[str, object]] = []
        for n in range(a, a + 3 + b % 6):
            id, project = f"insight-{n % len(LESSONS):02d}", PROJECTS[n % len(PROJECTS)]
            rows.append(
                {
                    "id": id,
                    "level": "insight",
                    "content": LESSONS[n % len(LESSONS)],
                    "project": project,
                    "domain": ("web-dev", "security", "")[n % 3],
                }
            )
            rows.extend(
                {
                    "id": f"trace-{n % len(LESSONS):02d}-{k}",
                    "level": "trace",
                    "title": f"Task {(n + k) % 5}",
                    "task": f"Task {(n + k) % 5}",
                    "project": project or "acme/docs",
                    "parents": [id],
                }
                for k in range(2)
            )
        for kb in (self._worked, self._plain):
            kb.import_memories(rows)

    def _reword(self, a: int, b: int) -> None:
        self._import_one(f"insight-{a % len(LESSONS):02d}", LESSONS[b % len(LESSONS)])

    def _import_one(self, id: str, text: str) -> None:
        for kb in (self._worked, self._plain):
            kb.import_memories([{"id": id, "level": "insight", "content": text}])

    def _ingest(self, a: int, b: int) -> None:
        for kb in (self._worked, self._plain):
            kb.ingest([ROOT / RUNS[a % len(RUNS)]])

    def _consolidate(self, a: int, b: int) -> None:
        self._worked.consolidate(now=self._next_hour(), full=a % 4 == 0, dry_run=b % 5 == 0)

    def _rewrite(self, a: int, b: int) -> None:
        """Put a merged insight into other words, as those of a model are kept."""
        store = self._worked.store
        state = read_state(store)
        if not state.merged:
            return
        insight = state.merged[sorted(state.merged)[a % len(state.merged)]]
        kept = rewordings(store)
        row = Rewording(
            model="small",
            prompt="merged 1",
            time=self._next_hour().isoformat(),
            basis=basis_of(state.insights[i] for i in state.leaves(insight.id)),
            before={**words_of(insight), "author": insight.author},
        )
        keep_rewordings(store, {**kept, insight.id: row})
        words = {**words_of(insight), "title": f"In other words: {LESSONS[b % len(LESSONS)]}"}
        new = in_words(insight, words, author="small")
        vector = self._worked.embedder.encode([new.key])[0]
        store.write(Batch(nodes=(new,), vectors={new.id: vector}))

    def _unmerge(self, a: int, b: int) -> None:
        runs = self._worked.merges()
        ids = sorted(id for run in runs for id in (run.id, *run.merged))
        if ids:
            try:
                self._worked.unmerge(ids[a % len(ids)], remember=bool(b % 2))
            except UsageError:
                # A later run took the place of what this one made.
                assert ids[a % len(ids)] not in self._insights()

    def _decide(self, a: int, b: int) -> None:
        found = sorted(self._insights())
        if len(found) > 1:
            pair = (found[a % len(found)], found[(a + 1 + b % (len(found) - 1)) % len(found)])
            try:
                self._worked.decide(*pair, VERDICTS[b % len(VERDICTS)], now=self._next_hour())
            except UsageError:
                return  # the two stand above each other already
            self._decided.append(pair)

    def _insights(self) -> set[str]:
        return {n.id for n in self._worked.store.find("Insight") if isinstance(n, Insight)}

    def _next_hour(self) -> datetime:
        self._hours += 1
        return NOON + timedelta(hours=self._hours)


@settings(
    max_examples=SEQUENCES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(steps=st.lists(Step, min_size=3, max_size=9), order=Number)
def test_what_is_taken_back_leaves_the_graph_as_if_it_had_not_been(
    steps: list[tuple[str, int, int]], order: int
) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        here = Path(folder)
        with (
            KnowledgeBase.open(here / "worked.db") as worked,
            KnowledgeBase.open(here / "plain.db") as plain,
        ):
            sequence = Sequence(worked, plain)
            sequence.apply("import", order, order // 7)
            sequence.apply("consolidate", 1, 1)
            for step in steps:
                sequence.apply(*step)
            sequence.take_everything_back(order)
            assert _exported(worked, here / "worked") == _exported(plain, here / "plain")


def _exported(kb: KnowledgeBase, file: Path) -> bytes:
    path = file.with_suffix(".cypher")
    kb.export("cypher", path)
    return path.read_bytes()
