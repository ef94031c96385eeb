"""Commands that merge insights, take merges back, and ask for verdicts."""

from typing import Final

import click

from ..facade import KnowledgeBase
from ..kg.consolidation.review import VERDICTS, Suggestion, Verdict
from ..kg.errors import UsageError
from ..serve import merge_forms
from .options import as_json
from .shell import opened, print_json
from .terminal_merge import (
    print_consolidation,
    print_runs,
    print_suggestion,
    print_undone,
)

_KEYS: Final[dict[str, Verdict]] = {
    "s": "same",
    "b": "broader",
    "n": "narrower",
    "o": "opposite",
    "a": "apart",
}
_QUESTION: Final = (
    "[s]ame, left is [b]roader, left is [n]arrower, [o]pposite, keep [a]part, s[k]ip, [q]uit"
)


@click.command()
@click.option("--dry-run", is_flag=True, help="Say what would be merged and why; write nothing.")
@click.option("--full", is_flag=True, help="Look at every insight again, with new statistics.")
@as_json
@click.pass_obj
def consolidate(store: str, dry_run: bool, full: bool, as_json: bool) -> None:
    """Merge insights that say the same, one level up, with all their evidence.

    Only what is near enough in words, and what no guard speaks against, is merged; the rest is
    proposed for review. Every merge can be taken back with `unmerge`.

    \b
    Example:
      stepladder consolidate --dry-run
      stepladder consolidate
    """
    with opened(store) as kb:
        found = kb.consolidate(dry_run=dry_run, full=full)
    if as_json:
        print_json(merge_forms.consolidation_json(found))
    else:
        print_consolidation(found)


@click.command()
@as_json
@click.pass_obj
def merges(store: str, as_json: bool) -> None:
    """List the consolidations that stand.

    \b
    Example:
      stepladder merges
    """
    with opened(store) as kb:
        found = kb.merges()
    if as_json:
        print_json(merge_forms.runs_json(found))
    else:
        print_runs(found)


@click.command()
@click.argument("id")
@click.option("--again", is_flag=True, help="Let a later consolidation make the merge again.")
@as_json
@click.pass_obj
def unmerge(store: str, id: str, again: bool, as_json: bool) -> None:
    """Take back one merged insight, or a whole consolidation.

    What stood there before comes back as it was. What is taken back is not merged again.

    \b
    Example:
      stepladder unmerge merge-7c1e
      stepladder unmerge insight-3f9a
    """
    with opened(store) as kb:
        undone = kb.unmerge(id, remember=not again)
    if as_json:
        print_json(merge_forms.undone_json(undone))
    else:
        print_undone(undone)


@click.command("keep-apart")
@click.argument("a")
@click.argument("b")
@as_json
@click.pass_obj
def keep_apart(store: str, a: str, b: str, as_json: bool) -> None:
    """Say that two insights must never be merged.

    \b
    Example:
      stepladder keep-apart insight-3f9a insight-52ab
    """
    with opened(store) as kb:
        found = kb.keep_apart(a, b)
    if as_json:
        print_json(merge_forms.consolidation_json(found))
    else:
        click.echo("They are kept apart.")
        if found.merge_run:
            print_consolidation(found)


@click.command()
@click.argument("pair", nargs=-1, metavar="[A B]")
@click.option("--verdict", type=click.Choice(VERDICTS), help="Decide on A and B without asking.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask about this many pairs at most.")
@as_json
@click.pass_obj
def review(
    store: str, pair: tuple[str, ...], verdict: Verdict | None, limit: int | None, as_json: bool
) -> None:
    """Decide on pairs that may say the same, side by side.

    Without A and B it asks about the pairs that a consolidation proposed, those from different
    domains first. With --json it lists them and asks nothing.

    \b
    Example:
      stepladder review
      stepladder review insight-3f9a insight-52ab --verdict broader
    """
    if bool(pair) != bool(verdict) or len(pair) not in (0, 2):
        raise UsageError(
            "Two ids and --verdict go together.",
            hint="stepladder review insight-a insight-b --verdict same",
        )
    with opened(store) as kb:
        if verdict:
            found = kb.decide(pair[0], pair[1], verdict)
            if as_json:
                print_json(merge_forms.consolidation_json(found))
            else:
                print_consolidation(found)
            return
        waiting = kb.suggestions(limit=limit)
        if as_json:
            print_json(merge_forms.suggestions_json(waiting))
        elif not waiting:
            click.echo("Nothing waits for a verdict.")
        else:
            _ask(kb, waiting)


def _ask(kb: KnowledgeBase, waiting: list[Suggestion]) -> None:
    decided = 0
    settled: set[str] = set()
    for number, suggestion in enumerate(waiting, start=1):
        ids = {suggestion.a.id, suggestion.b.id}
        if ids & settled:
            continue
        compared = kb.compare(suggestion.a.id, suggestion.b.id)
        print_suggestion(suggestion, compared, number=number, of=len(waiting))
        key = click.prompt(
            _QUESTION,
            type=click.Choice([*_KEYS, "k", "q"]),
            default="k",
            show_choices=False,
            err=True,
        )
        if key == "q":
            break
        if key in _KEYS:
            result = kb.decide(suggestion.a.id, suggestion.b.id, _KEYS[key])
            settled |= {i for m in result.merged for i in m.replaces}
            decided += 1
    click.echo(f"{decided} decided, {len(waiting) - decided} left.")
