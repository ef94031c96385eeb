"""What repaired an error before: the commands that followed it in earlier runs until it was gone.

An error is known by its class, the same in every project, and by its signature, the message made
comparable. Each earlier step that failed alike votes for what repaired it, and weighs more with the
same signature and in the same project.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..kg.protocols import GraphStore
from ..kg.types import Error, Node, Scope, Step

_SAME_SIGNATURE: Final = 0.5
_SAME_CLASS: Final = 0.1
_SAME_PROJECT: Final = 0.3
_SHARPNESS: Final = 0.12
"""How near a failing step is to the one asked about, and how fast its vote fades with it.
Chosen on the public runs that bench/recovery.py asks; each fifth of their projects would have been
given these among ten others by the rest. From .08 to .2 the sharpness does alike."""

MOST_STEPS: Final = 120
"""Failing steps that vote at most, the nearest first."""

MOST_ERRORS: Final = 300
"""Errors of other classes that are looked at; ids are hashes, so that the first are as good as
any."""

_FAR: Final = 14
_NEAR: Final = 6
"""Steps to look ahead for the same command, and for another one that stands in for it."""

_CHECKS: Final = frozenset({"test", "build", "lint", "run"})
_CHANGES: Final = frozenset({"edit", "install", "undo"})
_MISSING: Final = frozenset({"command-not-found", "no-such-module"})
_INSTALLABLE: Final = _MISSING | {"import-error", "package-not-found", "dependency-conflict",
                                  "externally-managed", "exception", "other"}  # fmt: skip
_SAYS_NO: Final = frozenset({"assertion", "test-failure", "lint-findings"})

QUORUM: Final = 2
"""Projects that a program of other projects must have been used in to be named. Chosen by us."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorKey:
    """An error as the graph knows it."""

    error_class: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """A command that repaired such an error.

    `share` is its part of all votes in (0, 1], `times` how often it was seen and in how many
    `projects`. `command` is an example from a run that the asker may read, empty where there is
    none; it comes from a run and is untrusted.
    """

    program: str
    subcommand: str
    share: float
    times: int
    projects: int
    command: str = ""
    step: str = ""


@dataclass(frozen=True, slots=True)
class _Vote:
    """A step that repaired an error, the scope it stands in, and what its vote weighs."""

    step: Step
    weight: float


def recoveries(
    store: GraphStore,
    error: ErrorKey,
    *,
    scope: Scope,
    project: str = "",
    exclude: frozenset[str] = frozenset(),
    k: int = 3,
) -> tuple[Recovery, ...]:
    """Return the `k` commands that most likely repair an error, the likeliest first.

    Runs outside `scope` vote too, but name only programs that several projects used.
    `exclude` are ids of traces that do not count.

    Raises:
        StoreError: the store could not be read.
    """
    votes = _votes(store, error, project=project, exclude=exclude)
    groups: dict[tuple[str, str], list[_Vote]] = defaultdict(list)
    for vote in votes:
        groups[vote.step.program, vote.step.subcommand].append(vote)
    total = math.fsum(v.weight for v in votes)
    found = []
    for (program, subcommand), group in groups.items():
        readable = [v.step for v in group if scope.allows(v.step.scope)]
        projects = {v.step.scope for v in group}
        if not readable and len(projects) < QUORUM:
            continue
        example = readable[0] if readable else None
        found.append(
            Recovery(
                program=program,
                subcommand=subcommand,
                share=math.fsum(v.weight for v in group) / total,
                times=len(group),
                projects=len(projects),
                command=example.command if example else "",
                step=example.id if example else "",
            )
        )
    found.sort(key=lambda r: (-round(r.share, 9), r.program, r.subcommand))
    return tuple(found[:k])


def _votes(
    store: GraphStore, error: ErrorKey, *, project: str, exclude: frozenset[str]
) -> list[_Vote]:
    nearness = _failing(store, error, project=project)
    runs = _runs_around(store, list(nearness), exclude=exclude)
    votes = []
    for id, following in runs.items():
        failing, *later = following
        repair = repair_of(failing, later)
        if repair is not None and repair.program:
            votes.append(_Vote(repair, math.exp(nearness[id] / _SHARPNESS)))
    return votes


def _failing(store: GraphStore, error: ErrorKey, *, project: str) -> dict[str, float]:
    """The steps that failed with how near they are, the nearest first.

    Where few failed alike, others tell what repairs errors at all.
    """
    alike = store.find("Error", where={"error_class": error.error_class})
    others = store.find("Error", limit=MOST_ERRORS)
    near_to = {e.id: _nearness(e, error) for e in (*alike, *others)}
    raised = store.edges(list(near_to), types=("RAISES",), direction="in")
    steps = store.get(sorted({e.source for e in raised}))
    found: dict[str, float] = {}
    for edge in raised:
        step = steps.get(edge.source)
        if step is not None:
            near = near_to[edge.target]
            near += _SAME_PROJECT * bool(project and step.scope == project)
            found[step.id] = max(near, found.get(step.id, 0.0))
    order = sorted(found, key=lambda id: (-found[id], id))[:MOST_STEPS]
    return {id: found[id] for id in order}


def _nearness(node: Node, error: ErrorKey) -> float:
    if not isinstance(node, Error) or node.error_class != error.error_class:
        return 0.0
    return _SAME_CLASS + _SAME_SIGNATURE * (node.signature == error.signature)


def _runs_around(
    store: GraphStore, ids: Sequence[str], *, exclude: frozenset[str]
) -> dict[str, list[Step]]:
    """Each step with those after it in its run, as far as a repair is looked for."""
    part_of = store.edges(ids, types=("PART_OF",), direction="out")
    kept = [e.source for e in part_of if e.target not in exclude]
    chains = {id: [id] for id in sorted(kept, key=ids.index)}
    for _ in range(_FAR):
        ends = sorted({chain[-1] for chain in chains.values()})
        after = {e.source: e.target for e in store.edges(ends, types=("NEXT",), direction="out")}
        for chain in chains.values():
            if chain[-1] in after:
                chain.append(after[chain[-1]])
    nodes = store.get(sorted({id for chain in chains.values() for id in chain}))
    return {
        id: [n for i in dict.fromkeys(chain) if isinstance(n := nodes.get(i), Step)]
        for id, chain in chains.items()
    }


def repair_of(failing: Step, later: Iterable[Step]) -> Step | None:
    """The step that repaired a failing one, or None: a change, an installation, another command."""
    between: list[Step] = []
    for step in later:
        if _tries_the_same(failing, step) and _works(step):
            changes = [s for s in between if s.phase in _CHANGES and not s.failure]
            installs = [s for s in changes if s.phase == "install"]
            if installs and failing.error_class in _INSTALLABLE:
                return installs[-1]
            other = (step.program, step.subcommand) != (failing.program, failing.subcommand)
            if failing.phase == "edit" or not changes:
                return step
            return step if other and failing.error_class in _MISSING else changes[-1]
        between.append(step)
    return None


def _tries_the_same(failing: Step, step: Step) -> bool:
    shared = bool(set(failing.files) & set(step.files))
    same = (failing.program, failing.subcommand) == (step.program, step.subcommand)
    if same and failing.phase == step.phase and (shared or not failing.files):
        return True
    if step.index - failing.index > _NEAR:
        return False
    if failing.phase == "edit":
        return shared and step.phase == "edit"
    if failing.phase in _CHECKS and step.phase in _CHECKS:
        stands_in = failing.error_class in _MISSING and step.phase == failing.phase != "run"
        return shared or stands_in
    return same and failing.phase == step.phase


def _works(step: Step) -> bool:
    if step.verdict == "nothing-ran" or step.failure in ("rejected", "permission"):
        return False
    return not step.failure or step.error_class in _SAYS_NO
