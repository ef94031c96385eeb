"""From groups of insights to merges that respect scopes.

A merged insight belongs to the scope that all members share. Where members come from several
scopes, it is shared with everybody only if enough distinct tasks and projects bear it out and its
words give nothing of a project away; else each scope merges by itself.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

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
    drafts: list[_Draft] = []
    withheld: list[Withheld] = []
    for group in groups:
        scopes = {pool.insights[p].scope for p in group.places}
        if len(scopes) == 1:
            drafts.append(_Draft(group=group, scope=scopes.pop()))
            continue
        backing = backings([pool.ids[p] for p in group.places])
        voices, reason = _voices(pool, group, backing, projects=projects)
        if voices:
            drafts.append(_Draft(group=group, scope=SHARED, backing=backing, voices=tuple(voices)))
            continue
        members = [pool.insights[p] for p in group.places]
        ids = tuple(m.id for m in members)
        withheld.append(Withheld(members=ids, reason=reason, title=members[0].title))
        for scope in sorted(scopes):
            inside = [p for p in group.places if pool.insights[p].scope == scope]
            if len(inside) > 1:
                drafts.extend(_Draft(group=g, scope=scope) for g in regroup(inside))
    return sorted(_merges(pool, drafts), key=lambda m: m.insight.id), withheld


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A group that is to be merged in a scope; `backing` where it leaves its projects by that."""

    group: Group
    scope: str
    backing: Backing | None = None
    voices: tuple[Insight, ...] = ()


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


def _merges(pool: Pool, drafts: Sequence[_Draft]) -> list[Merge]:
    """What is to be merged, with how near it is; scored at once, which is what takes long."""
    places = [d.group.places for d in drafts]
    spread = pool.spread(places)
    least = pool.compared([pair for _, pair in spread])
    found = zip(drafts, pool.reach(places), spread, least, strict=True)
    return [
        _merge(pool, draft, reach=reach, nearness=mean, least=pair)
        for draft, reach, (mean, _), pair in found
    ]


def _merge(
    pool: Pool,
    draft: _Draft,
    *,
    reach: Mapping[str, float],
    nearness: float,
    least: Compared,
) -> Merge:
    members = tuple(pool.insights[p] for p in draft.group.places)
    backing = draft.backing
    return Merge(
        insight=merged(members, scope=draft.scope, reach=reach, voices=draft.voices),
        members=members,
        why=draft.group.why,
        nearness=round(nearness, 4),
        least=least,
        promoted=backing is not None,
        tasks=len(backing.tasks) if backing else 0,
        projects=len(backing.projects) if backing else 0,
    )
