"""Commands that merge insights, take merges back, and ask for verdicts."""

from typing import Any, Final

import click

from ..facade import KnowledgeBase
from ..kg.consolidation.review import VERDICTS, Suggestion, Verdict
from ..kg.errors import UsageError
from ..serve import json_forms, llm_forms, merge_forms
from .model_options import Asked, model_options, plan_line, yes_option
from .options import as_json
from .shell import opened, print_json
from .terminal_llm import judged_line, print_pairs
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
@click.option("--judge", type=click.Choice(["llm"]), help="Ask a model about suggested pairs.")
@model_options
@yes_option
@as_json
@click.pass_obj
def consolidate(
    store: str,
    dry_run: bool,
    full: bool,
    judge: str | None,
    asked: Asked,
    yes: bool,
    as_json: bool,
) -> None:
    """Merge insights that say the same, one level up, with all their evidence.

    Only what is near enough in words, and what no guard speaks against, is merged; the rest is
    proposed for review. Every merge can be taken back with `unmerge`.

    With --judge llm a language model is then asked about the proposed pairs, each twice with the
    order swapped. Where both answers agree its verdict is kept and done; `verdicts` lists them and
    takes them back. With --dry-run it says what asking about the pairs of last time would take.

    \b
    Example:
      stepladder consolidate --dry-run
      stepladder consolidate
      stepladder consolidate --judge llm --model gpt-5-mini --max-usd 1
    """
    if not judge:
        asked.refuse(hint="Add --judge llm")
    llm = asked.options(store) if judge else None
    told: dict[str, Any] = {}
    with opened(store) as kb:
        found = kb.consolidate(dry_run=dry_run, full=full)
        if as_json:
            told = merge_forms.consolidation_json(found)
        else:
            print_consolidation(found)
        if llm and dry_run:
            plan = kb.plan_judge_pairs(llm=llm)
            told["judge"] = json_forms.plan_json(plan, prompts=False)
            if not as_json:
                click.echo(plan_line(plan))
        elif llm:
            done = kb.judge_pairs(llm=llm, approve=asked.approve(yes=yes))
            told["judge"] = llm_forms.pairs_json(done)
            if not as_json:
                print_pairs(done)
    if as_json:
        print_json(told)


@click.command()
@click.argument("pair", nargs=-1, metavar="[A B]")
@click.option("--undo", is_flag=True, help="Take the verdict on A and B back, or all of them.")
@click.option("--yes", is_flag=True, help="Take all of them back without asking.")
@as_json
@click.pass_obj
def verdicts(store: str, pair: tuple[str, ...], undo: bool, yes: bool, as_json: bool) -> None:
    """List what a language model decided on pairs of insights, or take it back.

    \b
    Example:
      stepladder verdicts
      stepladder verdicts insight-3f9a insight-52ab --undo
    """
    if len(pair) not in (0, 2) or (pair and not undo):
        raise UsageError("Two ids and --undo go together.", hint="stepladder verdicts A B --undo")
    with opened(store) as kb:
        found = kb.verdicts()
        if undo and not pair and found and not yes:
            click.confirm(f"Take {len(found)} verdicts back?", abort=True, err=True)
        if undo:
            pairs = [pair] if pair else [(j.a, j.b) for j in reversed(found)]
            found = [kb.take_back(a, b) for a, b in pairs]
    if as_json:
        print_json([llm_forms.judged_json(j) for j in found])
        return
    click.echo(f"{len(found)} {'taken back' if undo else 'verdicts of a model'}.")
    for judged in found:
        click.echo(judged_line(judged))


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
