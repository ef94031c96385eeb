"""The pages on merging: pairs that wait for a verdict, and the history of merges."""

from collections.abc import Sequence
from typing import Any, Final

from ...kg.consolidation.plan import RunSummary
from ...kg.consolidation.review import Suggestion
from ..explorer_forms import named_json
from ..merge_forms import compared_json, runs_json, suggestions_json
from .node_page import found
from .site import Asked, Page, Site

PAIRS: Final = 5
RUNS: Final = 10
_MERGED: Final = 12


def review(site: Site, asked: Asked) -> Page:
    """Pairs that may say the same, side by side."""
    start = (asked.page - 1) * PAIRS
    waiting = site.kept("suggestions", site.kb.suggestions)
    some = waiting[start : start + PAIRS]
    data = {
        "waiting": len(waiting),
        "page": asked.page,
        "more": len(waiting) > start + PAIRS,
        "suggestions": site.kept(("compared", start), lambda: _with_words(site, some)),
    }
    return Page(template="review.html", title="Review", data=data)


def _with_words(site: Site, some: Sequence[Suggestion]) -> list[dict[str, Any]]:
    """Proposals with the words that both of a pair have, and those that one alone has."""
    compared = site.kb.compare_pairs([(s.a.id, s.b.id) for s in some]) if some else ()
    return [
        {**told, "compared": compared_json(words)}
        for told, words in zip(suggestions_json(list(some)), compared, strict=True)
    ]


def merges(site: Site, asked: Asked) -> Page:
    """The consolidations that stand, newest first, with what each made."""
    runs = site.kb.merges()[::-1]
    start = (asked.page - 1) * RUNS
    some = runs[start : start + RUNS]
    told = [
        {**values, "insights": _titles(site, run), "left_out": len(run.merged[_MERGED:])}
        for values, run in zip(runs_json(some), some, strict=True)
    ]
    data = {
        "total": len(runs),
        "page": asked.page,
        "more": len(runs) > start + RUNS,
        "runs": told,
    }
    return Page(template="merges.html", title="Merges", data=data)


def _titles(site: Site, run: RunSummary) -> list[dict[str, Any]]:
    nodes = site.kb.nodes(run.merged[:_MERGED])
    return [named_json(n) for n in nodes.values()]


def undo(site: Site, asked: Asked) -> Page:
    """What taking back a merge, or a whole consolidation, would do."""
    id = found(site, asked.text("id"))
    run = next((r for r in site.kb.merges() if r.id == id), None)
    if run is not None:
        data = {"id": id, "title": "", "run": True, "insights": _titles(site, run)}
    else:
        shown = site.kb.show(id, most=_MERGED)
        below = [
            n
            for e in shown.edges
            if e.type == "GENERALIZES_TO" and e.target == id
            if (n := shown.neighbours.get(e.source)) is not None
        ]
        title = named_json(shown.node)["title"]
        data = {"id": id, "title": title, "run": False, "insights": [named_json(n) for n in below]}
    return Page(template="undo.html", title="Undo", data=data)
