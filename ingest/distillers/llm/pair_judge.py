"""Asks a model how two insights are related that may say the same.

Only pairs that a consolidation suggests are asked about, each twice with the order swapped; only
where both answers agree is there a verdict. It is kept with its model, and can be taken back.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from ....kg.consolidation.review import Suggestion, decide, reconsider
from ....kg.consolidation.review import Verdict as PairVerdict
from ....kg.consolidation.undo import undo
from ....kg.errors import UsageError
from ....kg.protocols import Embedder, GraphStore
from ....kg.types import Insight
from ...llm.answer import schema_of
from ...llm.model import Prompt
from ...report import JUDGED_PAIRS, LlmReport
from .forms import Form, Line
from .prompting import fenced, instructions
from .session import Session

_QUOTES: Final = 4
_QUOTE_CHARS: Final = 200
_TEXT_CHARS: Final = 1_500
_MAX_OUTPUT_TOKENS: Final = 400
_USUAL_TOKENS: Final = 50

Relation = Literal["same", "first is broader", "second is broader", "opposite", "different"]
_SWAPPED: Final[Mapping[Relation, Relation]] = {
    "first is broader": "second is broader",
    "second is broader": "first is broader",
}
_VERDICTS: Final[Mapping[Relation, PairVerdict]] = {
    "same": "same",
    "first is broader": "broader",
    "second is broader": "narrower",
    "opposite": "opposite",
    "different": "apart",
}


class PairForm(Form):
    """How two insights are related."""

    relation: Relation
    reason: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A verdict of a model on two insights: as `KnowledgeBase.decide` takes it, and whose it is."""

    a: str
    b: str
    verdict: PairVerdict
    reason: str
    model: str
    prompt: str
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsJudged:
    """What became of the suggested pairs.

    `decided` are verdicts, in the order of the suggestions. `disagreed` counts pairs whose two
    answers differ, `unanswered` those without an answer, `passed` those that an earlier verdict
    of the same call settled. `llm` is None where nothing was asked.
    """

    pairs: int = 0
    decided: tuple[Judged, ...] = ()
    disagreed: int = 0
    unanswered: int = 0
    passed: int = 0
    llm: LlmReport | None = None
    verdicts: Mapping[str, int] = field(default_factory=dict)


def prompts_of(store: GraphStore, pairs: Iterable[Suggestion]) -> list[Prompt]:
    """What is asked about suggested pairs: two prompts each."""
    return [p for pair in pairs for p in _both(store, pair)]


def judge(
    store: GraphStore,
    embedder: Embedder,
    pairs: Sequence[Suggestion],
    *,
    session: Session,
    time: str,
) -> PairsJudged:
    """Decide on the pairs on which both answers agree, and keep whose verdict it is."""
    counted: Counter[str] = Counter()
    decided: list[Judged] = []
    for pair in pairs:
        one, other = (session.asker.ask(p, PairForm) for p in _both(store, pair))
        if one is None or other is None:
            counted["unanswered"] += 1
            continue
        if one.relation != _SWAPPED.get(other.relation, other.relation):
            counted["disagreed"] += 1
            continue
        judged = Judged(
            a=pair.a.id,
            b=pair.b.id,
            verdict=_VERDICTS[one.relation],
            reason=one.reason,
            model=session.asker.model,
            prompt=instructions("pair")[0],
            time=time,
        )
        if not _is_open(store, pair) or not _decided(store, embedder, judged):
            counted["passed"] += 1
            continue
        decided.append(judged)
    return PairsJudged(
        pairs=len(pairs),
        decided=tuple(decided),
        disagreed=counted["disagreed"],
        unanswered=counted["unanswered"],
        passed=counted["passed"],
        verdicts=dict(sorted(Counter(j.verdict for j in decided).items())),
    )


def verdicts(store: GraphStore) -> list[Judged]:
    """The verdicts of models that stand, oldest first."""
    kept = store.setting(JUDGED_PAIRS)
    return [Judged(**row) for row in json.loads(kept)] if kept else []


def take_back(store: GraphStore, embedder: Embedder, judged: Judged) -> None:
    """Take a verdict back, with the merge that followed from it."""
    if judged.verdict == "same":
        above = [{e.target for e in store.ancestry([id])} for id in (judged.a, judged.b)]
        found = store.get(sorted(above[0] & above[1])).values()
        merged = sorted((n for n in found if isinstance(n, Insight)), key=lambda n: (n.level, n.id))
        if merged:
            undo(store, embedder, merged[0].id, remember=False)
    if len(store.get([judged.a, judged.b])) == 2:
        reconsider(store, judged.a, judged.b)
    _keep(store, [j for j in verdicts(store) if (j.a, j.b) != (judged.a, judged.b)])


def _decided(store: GraphStore, embedder: Embedder, judged: Judged) -> bool:
    """Keep a verdict and do what follows from it; false where the graph does not allow it."""
    others = [j for j in verdicts(store) if (j.a, j.b) != (judged.a, judged.b)]
    # Noted first: a verdict that acts and is not noted could not be taken back.
    _keep(store, [*others, judged])
    try:
        decide(store, embedder, judged.a, judged.b, judged.verdict, time=judged.time)
    except UsageError:
        _keep(store, others)
        return False
    return True


def _keep(store: GraphStore, judged: Sequence[Judged]) -> None:
    rows = [asdict(j) for j in judged]
    store.set_setting(JUDGED_PAIRS, json.dumps(rows, ensure_ascii=False, sort_keys=True))


def _is_open(store: GraphStore, pair: Suggestion) -> bool:
    """Tell whether no earlier verdict brought the two together or took one of them away."""
    if len(store.get([pair.a.id, pair.b.id])) < 2:
        return False
    above = [
        {e.target for e in store.ancestry([id]) if e.merge_run} for id in (pair.a.id, pair.b.id)
    ]
    return not above[0] & above[1]


def _both(store: GraphStore, pair: Suggestion) -> Iterator[Prompt]:
    told = [_told(store, i) for i in (pair.a, pair.b)]
    yield _prompt(*told)
    yield _prompt(*reversed(told))


def _prompt(first: str, second: str) -> Prompt:
    version, words = instructions("pair")
    fence, data = fenced(f"First lesson\n{first}\n\nSecond lesson\n{second}")
    return Prompt(
        version=version,
        system=words,
        user=f"The lessons stand between <{fence}> and </{fence}>.\n{data}",
        form="pair",
        schema=schema_of(PairForm),
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        usual_tokens=_USUAL_TOKENS,
    )


def lesson_lines(insight: Insight) -> list[str]:
    """What an insight says, a named line each."""
    parts = (
        ("Title", insight.title),
        ("Situation", insight.description),
        ("Advice", insight.content),
        ("Says", insight.polarity),
        ("Applies when", insight.applies_when),
        ("Not when", insight.not_when),
    )
    return [f"{name}: {text[:_TEXT_CHARS]}" for name, text in parts if text]


def _told(store: GraphStore, insight: Insight) -> str:
    quotes = (f"Seen in a run: {q}" for q in _quotes(store, insight))
    return "\n".join((*lesson_lines(insight), *quotes))


def _quotes(store: GraphStore, insight: Insight) -> list[str]:
    """Words of the steps that bear an insight out, or those it was merged from."""
    below = store.edges([insight.id], types=("GENERALIZES_TO",), direction="in")
    cited = store.edges(
        [insight.id, *sorted(e.source for e in below if e.merge_run)],
        types=("CITES",),
        direction="out",
    )
    quotes = dict.fromkeys(" ".join(e.quote.split())[:_QUOTE_CHARS] for e in cited if e.quote)
    return list(quotes)[:_QUOTES]
