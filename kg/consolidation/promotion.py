"""From groups of insights to merges that respect scopes.

A merged insight belongs to the scope that all members share. Where members come from several
scopes, it is shared with everybody only if enough distinct tasks and projects bear it out and its
words give nothing of a project away; else each scope merges by itself.
"""

from collections.abc import Callable, Iterable, Sequence

from ..leaks import leaks
from ..types import SHARED, Insight, join_text
from .evidence import MIN_PROJECTS, MIN_TASKS, Backing
from .members import merged
from .plan import Compared, Merge, Withheld
from .pool import Pool
from .settle import Group

Backings = Callable[[Sequence[str]], Backing]
Regroup = Callable[[Sequence[int]], list[Group]]


def merges_of(
    pool: Pool,
    groups: Iterable[Group],
    *,
    regroup: Regroup,
    backings: Backings,
    projects: Sequence[str],
) -> tuple[list[Merge], list[Withheld]]:
    """The merges of some groups, and the groups that may not cross between projects.

    `regroup` groups some places anew by the same rules; `projects` are all project names there
    are, which no shared text may hold.
    """
    made: list[Merge] = []
    withheld: list[Withheld] = []
    for group in groups:
        scopes = {pool.insights[p].scope for p in group.places}
        if len(scopes) == 1:
            made.append(_merge(pool, group, scope=scopes.pop()))
            continue
        backing = backings([pool.ids[p] for p in group.places])
        voices, reason = _voices(pool, group, backing, projects=projects)
        if voices:
            made.append(_promotion(pool, group, backing, voices=voices))
            continue
        members = [pool.insights[p] for p in group.places]
        ids = tuple(m.id for m in members)
        withheld.append(Withheld(members=ids, reason=reason, title=members[0].title))
        for scope in sorted(scopes):
            inside = [p for p in group.places if pool.insights[p].scope == scope]
            if len(inside) > 1:
                made.extend(_merge(pool, g, scope=scope) for g in regroup(inside))
    return sorted(made, key=lambda m: m.insight.id), withheld


def _voices(
    pool: Pool, group: Group, backing: Backing, *, projects: Sequence[str]
) -> tuple[list[Insight], str]:
    """The members whose words may be shared, or the reason why there are none."""
    if not backing.is_quorum:
        return [], (
            f"{len(backing.tasks)} tasks in {len(backing.projects)} projects bear it out; "
            f"{MIN_TASKS} in {MIN_PROJECTS} are needed"
        )
    members = [pool.insights[p] for p in group.places]
    shared = [m for m in members if m.scope == SHARED]
    found = {m.id: leaks(everything_said(m), projects=projects) for m in members}
    clean = shared or [m for m in members if not found[m.id]]
    if clean:
        return clean, ""
    first = next(leak for some in found.values() for leak in some)
    return [], f"its words would tell of a project: {first.kind} {first.words!r}"


def principle(members: Sequence[Insight]) -> Merge | None:
    """The insight above merged insights that belong together, None where their scopes differ."""
    if len({m.scope for m in members}) > 1:
        return None
    first, second = sorted(m.id for m in members)[:2]
    return Merge(
        insight=merged(members, scope=members[0].scope, reach={}),
        members=tuple(sorted(members, key=lambda m: m.id)),
        why="decision",
        nearness=0.0,
        least=Compared(a=first, b=second, nearness=0.0),
    )


def everything_said(insight: Insight) -> str:
    """All text of an insight, facets included."""
    return join_text(insight.full, insight.applies_when, insight.not_when)


def _merge(pool: Pool, group: Group, *, scope: str) -> Merge:
    members = [pool.insights[p] for p in group.places]
    insight = merged(members, scope=scope, reach=pool.reach(group.places))
    return _measured(pool, group, insight)


def _promotion(pool: Pool, group: Group, backing: Backing, *, voices: Sequence[Insight]) -> Merge:
    members = [pool.insights[p] for p in group.places]
    reach = pool.reach(group.places)
    insight = merged(members, scope=SHARED, reach=reach, voices=voices)
    return _measured(
        pool,
        group,
        insight,
        promoted=True,
        tasks=len(backing.tasks),
        projects=len(backing.projects),
    )


def _measured(
    pool: Pool,
    group: Group,
    insight: Insight,
    *,
    promoted: bool = False,
    tasks: int = 0,
    projects: int = 0,
) -> Merge:
    mean, least = pool.spread(group.places)
    return Merge(
        insight=insight,
        members=tuple(pool.insights[p] for p in group.places),
        why=group.why,
        nearness=round(mean, 4),
        least=pool.compare(*least),
        promoted=promoted,
        tasks=tasks,
        projects=projects,
    )
