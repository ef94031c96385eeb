"""Why a memory is shown, in one sentence."""

from collections.abc import Mapping
from typing import Final

from ..kg.terms import tokenize
from ..kg.types import Support, level_name
from .applicability import Nominee, Relation
from .render import support_text
from .terms import QueryTerms

_MOST_WORDS: Final = 3

_WHY_LEVEL: Final[Mapping[Relation, str]] = {
    "project": "as it comes from this project",
    "environment": "as it comes from the same kind of work in the same language",
    "domain": "as it comes from the same kind of work, or from no kind in particular",
    "other": "as it comes from another kind of work",
}


def why_shown(
    nominee: Nominee,
    *,
    terms: QueryTerms,
    surfaces: Mapping[str, str],
    support: Support,
    relation: Relation,
    met: bool = False,
) -> str:
    """One sentence: what matched, what stands behind it, and why at this level.

    `surfaces` gives the written form of each stem of the task; with `met` the task is an error
    that the memory was learned from.
    """
    memory = nominee.hit.memory
    said = ["it cites steps that failed like this" if met else _matched(nominee, terms, surfaces)]
    known = support_text(support)
    said += [f"it was {known}"] if known else []
    level = level_name(memory.level)
    article = "an" if level == "insight" else "a"
    said.append(f"it is shown as {article} {level} {_WHY_LEVEL[relation]}")
    sentence = "; ".join(said) + "."
    return sentence[0].upper() + sentence[1:]


def _matched(nominee: Nominee, terms: QueryTerms, surfaces: Mapping[str, str]) -> str:
    votes = nominee.votes
    if votes:
        tasks = "1 earlier task" if votes.tasks == 1 else f"{votes.tasks} earlier tasks"
        share = f"{100 * votes.share:.0f} % of the vote"
        return f"{tasks} near this one led to it, with {share}"
    in_key = set(tokenize(nominee.hit.memory.key))
    words = [surfaces.get(w.stem, w.stem) for w in terms.words if w.stem in in_key][:_MOST_WORDS]
    if words:
        quoted = ", ".join(f"'{w}'" for w in words)
        return f"its title or description shares {quoted} with the task"
    if nominee.hit.parts.full > nominee.hit.parts.dense:
        return "its text shares words with the task"
    return "it is near the task in meaning"
