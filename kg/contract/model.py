"""A plain graph in memory that says what a store must answer, and random batches to write to both.

It is written to be read, not to be fast: every derived value is worked out from the nodes and
edges each time it is asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, TypeAlias

import numpy as np

from ..protocols import Counts, WriteReport
from ..terms import TermCounts, count_terms
from ..types import (
    EVERYTHING,
    SHARED,
    Batch,
    Domain,
    Edge,
    EdgeType,
    Error,
    Insight,
    Memory,
    Node,
    Project,
    Scope,
    Step,
    Summary,
    Support,
    Task,
    Tool,
    Trace,
    Vector,
    Workflow,
    label_of,
    level_name,
)

DIM: Final = 16
"""Length of the vectors the contract writes."""

PROJECTS: Final = ("acme/api", "acme/web", "caf\u00e9/\u6f22\u5b57")

_HANGERS: Final = (Error, Tool, Task, Domain, Project)
_CONSOLIDATION: Final = ("SIMILAR_TO", "CONTRADICTS", "KEEP_APART")

EdgeKey: TypeAlias = tuple[str, EdgeType, str]


def key_of(edge: Edge) -> EdgeKey:
    """What makes an edge the same edge."""
    return edge.source, edge.type, edge.target


@dataclass
class Model:
    """The graph as dictionaries."""

    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[EdgeKey, Edge] = field(default_factory=dict)
    vectors: dict[str, Vector] = field(default_factory=dict)

    def write(self, batch: Batch) -> WriteReport:
        """Do what a store's `write` promises."""
        brought = {n.id: n for n in batch.nodes}
        keys = {key_of(e) for e in batch.edges}
        before = dict(self.nodes)
        traces = {t for t in batch.retract if isinstance(self.nodes.get(t), Trace)}
        own = traces | {
            s for s, type, t in self.edges if type == "PART_OF" and t in traces and self._is_step(s)
        }
        supported = {m for m in self.memories() if self.traces_below(m) & traces} - traces
        alone = {m for m in supported if self.traces_below(m) <= traces}
        staying = (own | alone) & set(brought)
        released = self._take_back(staying, keep=keys)
        released |= self._remove(own - set(brought))
        added, changed = self._upsert(batch)
        lost = {m for m in supported if not self.traces_below(m)} - set(brought)
        lost = {m for m in lost if self._origin(m) != "import"}
        released |= self._remove(lost)
        while released:
            pointed_at = {t for _, _, t in self.edges}
            orphans = {
                n
                for n in released - pointed_at - set(brought)
                if isinstance(self.nodes.get(n), _HANGERS)
            }
            released = self._remove(orphans)
        return replace(
            WriteReport(added=added[0], changed=changed, edges_added=added[1]),
            removed=len(set(before) - set(self.nodes)),
        )

    def delete(self, ids: Iterable[str]) -> int:
        """Delete nodes with their edges."""
        there = {id for id in ids if id in self.nodes}
        self._remove(there)
        return len(there)

    def delete_edges(self, edges: Iterable[Edge]) -> int:
        """Delete edges."""
        return sum(self.edges.pop(key_of(e), None) is not None for e in edges)

    def memories(self, scope: Scope = EVERYTHING) -> dict[str, Memory]:
        """The memories in scope by id."""
        return {
            id: n for id, n in self.nodes.items() if isinstance(n, Memory) and scope.allows(n.scope)
        }

    def edges_between(self, scope: Scope) -> list[Edge]:
        """All edges with both ends in scope, by source, type and target."""
        seen = {id for id, n in self.nodes.items() if scope.allows(n.scope)}
        return [e for key, e in sorted(self.edges.items()) if e.source in seen and e.target in seen]

    def ancestry(self, ids: Iterable[str], scope: Scope) -> list[Edge]:
        """The GENERALIZES_TO edges on paths upward within the scope."""
        upward = [e for e in self.edges_between(scope) if e.type == "GENERALIZES_TO"]
        reached = {id for id in ids if id in self.nodes and scope.allows(self.nodes[id].scope)}
        while more := {e.target for e in upward if e.source in reached} - reached:
            reached |= more
        return [e for e in upward if e.source in reached]

    def descents(self, ids: Iterable[str], scope: Scope) -> dict[str, list[str]]:
        """A path down from each node, the first child by id in scope that is not on it."""
        below: dict[str, set[str]] = defaultdict(set)
        for edge in self.edges_between(scope):
            if edge.type == "GENERALIZES_TO":
                below[edge.target].add(edge.source)
        paths = {id: [id] for id in ids}
        for path in paths.values():
            while children := below[path[-1]].difference(path):
                path.append(min(children))
        return paths

    def citing(
        self, error_class: str, signature: str, scope: Scope
    ) -> list[tuple[str, int, int, int]]:
        """Memories in scope that cite steps with an error of a class, with what they cite."""
        same: dict[str, bool] = {}
        for step, type, error in self.edges:
            node = self.nodes[error]
            if type == "RAISES" and isinstance(node, Error) and node.error_class == error_class:
                same[step] = same.get(step, False) or node.signature == signature
        found = []
        for id in sorted(self.memories(scope)):
            cited = [step for source, type, step in self.edges if (source, type) == (id, "CITES")]
            raised = [same[step] for step in cited if step in same]
            if raised:
                found.append((id, sum(raised), len(raised) - sum(raised), len(cited)))
        return found

    def traces_below(self, id: str) -> set[str]:
        """The traces from which a path upward leads to a memory; a trace is below itself."""
        reached = {id}
        below = {(s, t) for s, type, t in self.edges if type == "GENERALIZES_TO"}
        while more := {s for s, t in below if t in reached} - reached:
            reached |= more
        return {n for n in reached if isinstance(self.nodes[n], Trace)}

    def support(self, id: str) -> Support:
        """Counts over the traces below a memory."""
        traces = [t for n in sorted(self.traces_below(id)) if isinstance(t := self.nodes[n], Trace)]

        def count(values: Iterable[str]) -> dict[str, int]:
            return dict(Counter(v for v in values if v))

        return Support(
            traces=len(traces),
            tasks=len({t.task for t in traces if t.task}),
            projects=count(t.project for t in traces),
            domains=count(d for t in traces for d in set(t.domains)),
            languages=count(v for t in traces for v in set(t.languages)),
            agents=count(t.agent for t in traces),
            models=count(m for t in traces for m in set(t.models)),
            outcomes=count(t.outcome for t in traces),
        )

    def terms(self) -> dict[str, TermCounts]:
        """The term counts of every memory."""
        return {id: count_terms(m.key, m.full) for id, m in self.memories().items()}

    def counts(self, scope: Scope) -> Counts:
        """Nodes by label, memories by level name, edges by type."""
        nodes = [n for n in self.nodes.values() if scope.allows(n.scope)]
        return Counts(
            labels=dict(Counter(label_of(n) for n in nodes)),
            levels=dict(Counter(level_name(n.level) for n in nodes if isinstance(n, Memory))),
            edges=dict(Counter(e.type for e in self.edges_between(scope))),
        )

    def _is_step(self, id: str) -> bool:
        return isinstance(self.nodes[id], Step)

    def _origin(self, id: str) -> str:
        node = self.nodes[id]
        return node.origin if isinstance(node, Memory) else ""

    def _take_back(self, staying: Collection[str], *, keep: Collection[EdgeKey]) -> set[str]:
        """Remove the edges that were made for a trace which is written again."""
        gone = [
            e
            for key, e in self.edges.items()
            if (e.source in staying or (e.type == "CITES" and e.target in staying))
            and e.type not in _CONSOLIDATION
            and not e.merge_run
            and key not in keep
        ]
        self.delete_edges(gone)
        return {e.target for e in gone}

    def _remove(self, ids: Collection[str]) -> set[str]:
        """Remove nodes with their edges; return what these pointed at."""
        gone = [e for e in self.edges.values() if e.source in ids or e.target in ids]
        self.delete_edges(gone)
        for id in ids:
            del self.nodes[id]
            self.vectors.pop(id, None)
        return {e.target for e in gone if e.source in ids} - set(ids)

    def _upsert(self, batch: Batch) -> tuple[tuple[int, int], int]:
        """Return (nodes added, edges added) and how many nodes and edges are different now."""
        before, edges_before = dict(self.nodes), dict(self.edges)
        different: set[str] = set()
        for node in batch.nodes:
            known = self.nodes.get(node.id)
            created = min(filter(None, (node.created, known.created if known else "")), default="")
            self.nodes[node.id] = replace(node, created=created)
        different |= {id for id, n in before.items() if self.nodes[id] != n}
        for id, vector in batch.vectors.items():
            if id in before and not np.array_equal(self.vectors.get(id, ()), vector):
                different.add(id)
            self.vectors[id] = vector
        self.edges.update({key_of(e): e for e in batch.edges})
        changed_edges = sum(self.edges[k] != e for k, e in edges_before.items())
        added = len(self.nodes) - len(before), len(self.edges) - len(edges_before)
        return added, len(different) + changed_edges


_WORDS: Final = tuple(
    word
    for line in (
        "run the tests before a commit parse json output retry failed request when server",
        "is busy check exit code read whole error message install missing package pin version",
        "running runs generalise generalize caf\u00e9 na\u00efve \u6f22\u5b57 stra\u00dfe",
        "x86_64 don't C++ 3.14",
    )
    for word in line.split()
)

_ENDS: Final[Mapping[EdgeType, tuple[str, str]]] = {
    "PART_OF": ("step", "trace"),
    "NEXT": ("step", "step"),
    "ATTEMPTS": ("trace", "task"),
    "IN_DOMAIN": ("task", "domain"),
    "IN_PROJECT": ("trace", "project"),
    "USES": ("step", "tool"),
    "RAISES": ("step", "error"),
    "CITES": ("insight", "step"),
    "APPLIES_TO": ("insight", "domain"),
    "SIMILAR_TO": ("insight", "insight"),
    "CONTINUES": ("trace", "trace"),
}

_UPWARD: Final = (
    ("trace", "workflow"),
    ("trace", "summary"),
    ("trace", "insight"),
    ("workflow", "insight"),
    ("summary", "insight"),
    ("insight", "insight"),
)

_OFTEN: Final[tuple[EdgeType, ...]] = (*("GENERALIZES_TO",) * 12, *("PART_OF",) * 6)


def random_scope(random: Random) -> Scope:
    """Everything, or shared nodes and those of some projects."""
    if random.random() < 0.2:
        return EVERYTHING
    return Scope.of(*(p for p in PROJECTS if random.random() < 0.5))


def random_vector(random: Random) -> Vector:
    """A unit vector of `DIM` numbers."""
    vector = np.array([random.gauss(0, 1) for _ in range(DIM)], np.float32)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


def random_batch(random: Random, model: Model, *, size: int = 12) -> Batch:
    """A batch of some nodes, new or known, with edges among all there will be."""
    prefixes = ("trace", "step", "step", "workflow", "summary", "insight", "insight")
    others = ("task", "domain", "project", "tool", "error")
    ids = [f"{random.choice(prefixes)}-{random.randrange(9)}" for _ in range(size)]
    ids += [f"{random.choice(others)}-{random.randrange(3)}" for _ in range(size // 2)]
    nodes = [_random_node(random, id) for id in dict.fromkeys(ids)]
    edges = _random_edges(random, sorted({*model.nodes, *ids}), count=size * 2)
    known = [t for t, n in model.nodes.items() if isinstance(n, Trace)]
    retract = random.sample(sorted(known), min(len(known), random.choice((0, 0, 1, 2))))
    # An end that the retraction removes would make the batch an error.
    trial = Model(dict(model.nodes), dict(model.edges), dict(model.vectors))
    trial.write(Batch(nodes=tuple(nodes), retract=tuple(retract)))
    edges = [e for e in edges if e.source in trial.nodes and e.target in trial.nodes]
    vectors = {
        n.id: random_vector(random)
        for n in nodes
        if isinstance(n, Memory) and random.random() < 0.7
    }
    return Batch(nodes=tuple(nodes), edges=tuple(edges), vectors=vectors, retract=tuple(retract))


def random_text(random: Random, words: int) -> str:
    """Some words, with repetitions."""
    return " ".join(random.choice(_WORDS) for _ in range(words))


def _random_node(random: Random, id: str) -> Node:
    kind = id.partition("-")[0]
    created = f"2026-01-{random.randrange(1, 29):02d}T00:00:00Z"
    project = random.choice(PROJECTS)
    scope = project if kind in ("trace", "step") else random.choice((SHARED, project))
    if kind in _MEMORY_TYPES:
        title, content = random_text(random, 4), random_text(random, random.randrange(30))
        origin = random.choice(("rules", "rules", "import"))
        return _random_memory(
            random,
            _MEMORY_TYPES[kind](
                id=id,
                created=created,
                scope=scope,
                title=title,
                level=_LEVELS[kind],
                content=content,
                origin=origin,
                project=project,
            ),
        )
    if kind == "step":
        index = random.randrange(5)
        uid = random.choice(("", f"call-{random.randrange(20)}"))
        return Step(
            id=id,
            created=created,
            scope=scope,
            index=index,
            phase="run",
            tool="bash",
            command=random_text(random, 3),
            exit_code=random.choice((None, 0, 1)),
            uid=uid,
        )
    if kind == "task":
        return Task(id=id, created=created, scope=scope, title=random_text(random, 3))
    if kind == "error":
        return Error(id=id, created=created, scope=scope, error_class="E", signature=id)
    named = {"domain": Domain, "project": Project, "tool": Tool}[kind]
    return named(id=id, created=created, scope=scope, name=id)


_MEMORY_TYPES: Final[Mapping[str, type[Memory]]] = {
    "trace": Trace,
    "workflow": Workflow,
    "summary": Summary,
    "insight": Insight,
}
_LEVELS: Final = {"trace": 0, "workflow": 1, "summary": 2, "insight": 3}


def _random_memory(random: Random, memory: Memory) -> Memory:
    if isinstance(memory, Insight):
        return replace(memory, level=3 + random.randrange(3))
    if isinstance(memory, Trace):
        return replace(
            memory,
            task=random.choice(("", "task-0", "task-1")),
            domains=tuple(random.sample(("web", "data"), random.randrange(3))),
            languages=("python",) if random.random() < 0.5 else (),
            agent=random.choice(("", "codex", "aider")),
            models=tuple(random.sample(("m-1", "m-2"), random.randrange(3))),
            outcome=random.choice(("success", "failure", "unknown")),
        )
    return memory


def _random_edges(random: Random, ids: list[str], *, count: int) -> list[Edge]:
    types: tuple[EdgeType, ...] = (*_ENDS, *_OFTEN)
    edges: dict[EdgeKey, Edge] = {}
    for _ in range(count):
        type = random.choice(types)
        ends = random.choice(_UPWARD) if type == "GENERALIZES_TO" else _ENDS[type]
        sources = [id for id in ids if id.startswith(ends[0])]
        targets = [id for id in ids if id.startswith(ends[1])]
        if not sources or not targets:
            continue
        source, target = random.choice(sources), random.choice(targets)
        if ends[0] == ends[1] and source >= target:
            continue  # paths upward go round in no circle
        edge = Edge(
            source=source,
            type=type,
            target=target,
            quote=random.choice(("", "exit code 1")) if type == "CITES" else "",
            score=random.choice((None, 0.5)) if type == "SIMILAR_TO" else None,
            merge_run=random.choice(("", "mergerun-1")) if ends == ("insight", "insight") else "",
        )
        edges[key_of(edge)] = edge
    return list(edges.values())
