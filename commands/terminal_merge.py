"""What people see of merges: members side by side, the words they share, what was taken back."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..kg.consolidation.plan import Compared, Consolidation, Merge, RunSummary, Undone
from ..kg.consolidation.review import Suggestion
from ..kg.types import Insight
from .terminal import console, plain, safe, support_line

_MERGES_SHOWN: Final = 20
_PAIRS_SHOWN: Final = 8
_MEMBERS_SHOWN: Final = 6
_SAID_CHARS: Final = 240
_TEXT_CHARS: Final = 600


def print_consolidation(found: Consolidation) -> None:
    """What a consolidation did, or would do."""
    out = console()
    if not found.merge_run:
        out.print(f"Nothing new among {found.considered:,} insights.")
        return
    would = "would be " if found.dry_run else ""
    noun = "group" if len(found.merged) == 1 else "groups"
    out.print(
        f"{found.considered:,} insights, {found.new:,} of them new; "
        f"{len(found.merged):,} {noun} {would}merged."
    )
    for merge in found.merged[:_MERGES_SHOWN]:
        _print_merge(out, merge)
    _more(out, len(found.merged) - _MERGES_SHOWN, "groups")
    _print_pairs(out, "Near, but kept apart", found.kept_apart)
    counts = found.counts
    out.print(
        f"{counts.get('suggested', 0):,} pairs {would}proposed for review, "
        f"{counts.get('contradictions', 0):,} found to contradict each other."
    )
    kept_apart = {(p.a, p.b) for p in found.kept_apart}
    others = [p for p in found.suggested if (p.a, p.b) not in kept_apart]
    _print_pairs(out, "Would be proposed" if found.dry_run else "Proposed", others)
    _print_pairs(out, "Contradict each other", found.contradictions)
    if links := counts.get("links", 0):
        out.print(f"{links:,} links from imported runs to insights {would}inferred from words.")
    for withheld in found.withheld[:_PAIRS_SHOWN]:
        out.print(f"  not shared: {plain(withheld.title)} [dim]{', '.join(withheld.members)}[/dim]")
        out.print(f"    {plain(withheld.reason)}")
    _more(out, len(found.withheld) - _PAIRS_SHOWN, "groups not shared")
    if found.dissolved:
        out.print(f"{len(found.dissolved)} merged insights {would}taken apart.")
    if not found.dry_run:
        out.print(
            f"[dim]{found.merge_run}  take it back: stepladder unmerge {found.merge_run}[/dim]"
        )


def _print_merge(out: Console, merge: Merge) -> None:
    promoted = f"; shared: {merge.tasks} tasks, {merge.projects} projects" if merge.promoted else ""
    out.print(Text(safe(merge.insight.title), style="bold"))
    out.print(
        f"  [dim]{merge.insight.id}  nearness {merge.nearness:.2f}, by {merge.why}{promoted}[/dim]"
    )
    for member in merge.members[:_MEMBERS_SHOWN]:
        where = ", ".join(member.domains) or member.project
        out.print(f"  • {plain(_said(member))} [dim]{plain(where)}[/dim]")
    _more(out, len(merge.members) - _MEMBERS_SHOWN, "members")
    if merge.least.shared:
        out.print(f"  [dim]{plain(words_line(merge.least))}[/dim]")


def _said(insight: Insight) -> str:
    rest = insight.description or insight.content
    if not rest or rest.startswith(insight.title):
        return (rest or insight.title)[:_SAID_CHARS]
    return f"{insight.title}: {rest}"[:_SAID_CHARS]


def words_line(found: Compared) -> str:
    """The words two insights share and those of one alone, on one line."""
    parts = [f"both: {' '.join(found.shared)}"]
    if found.only_a:
        parts.append(f"one: {' '.join(found.only_a)}")
    if found.only_b:
        parts.append(f"other: {' '.join(found.only_b)}")
    return "; ".join(parts)


def _print_pairs(out: Console, title: str, pairs: Sequence[Compared]) -> None:
    if not pairs:
        return
    out.print(f"[bold]{title}[/bold]")
    for pair in pairs[:_PAIRS_SHOWN]:
        why = f"  {pair.veto.kind}: {pair.veto.words}" if pair.veto else ""
        out.print(f"  {pair.nearness:.2f}  {plain(pair.title_a)}")
        out.print(f"        {plain(pair.title_b)}")
        out.print(f"        [dim]{pair.a}  {pair.b}{plain(why)}[/dim]")
    _more(out, len(pairs) - _PAIRS_SHOWN, "pairs")


def _more(out: Console, number: int, noun: str) -> None:
    if number > 0:
        out.print(f"  [dim]… and {number:,} more {noun}; all of them with --json[/dim]")


def print_runs(found: Sequence[RunSummary]) -> None:
    """The consolidations that stand, oldest first."""
    out = console()
    if not found:
        out.print("No consolidation yet. Look what one would do: stepladder consolidate --dry-run")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("consolidation", "time"):
        table.add_column(name)
    for name in ("merges", "shared", "proposed"):
        table.add_column(name, justify="right")
    for run in found:
        table.add_row(
            run.id, plain(run.time), str(run.merges), str(len(run.crossings)), str(run.suggested)
        )
    out.print(table)


def print_undone(undone: Undone) -> None:
    """What was taken back, in one line."""
    out = console()
    parts = [f"{len(undone.insights)} merged insights and {undone.edges} proposals taken back"]
    if undone.restored:
        parts.append(f"{len(undone.restored)} merged insights from before are back")
    out.print("; ".join(parts) + ".")


def print_suggestion(suggestion: Suggestion, compared: Compared, *, number: int, of: int) -> None:
    """Two insights side by side with their evidence and the words they share."""
    out = console()
    across = ", from different domains" if suggestion.across else ""
    out.print(f"\n[bold]{number} of {of}[/bold]  nearness {suggestion.nearness:.2f}{across}")
    if suggestion.note:
        out.print(f"  {plain(suggestion.note)}")
    table = Table(box=None, pad_edge=False, show_header=False, expand=True)
    table.add_column(ratio=1)
    table.add_column(ratio=1)
    sides = ((suggestion.a, suggestion.support_a), (suggestion.b, suggestion.support_b))
    table.add_row(*(Text(_heading(i), style="bold") for i, _ in sides))
    table.add_row(*(Text(safe(i.description or i.content)[:_TEXT_CHARS]) for i, _ in sides))
    table.add_row(*(Text(_origin(i), style="dim") for i, _ in sides))
    table.add_row(*(Text(safe(support_line(s)), style="dim") for _, s in sides))
    out.print(table)
    out.print(f"[dim]{plain(words_line(compared))}[/dim]")


def _heading(insight: Insight) -> str:
    """The title, unless it is only the beginning of what follows."""
    rest = insight.description or insight.content
    return "" if rest.startswith(insight.title) else safe(insight.title)


def _origin(insight: Insight) -> str:
    where = ", ".join(insight.domains) or insight.project or insight.scope
    return f"{insight.id}  {safe(where)}"
