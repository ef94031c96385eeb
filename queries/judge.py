"""Which nominees may be shown and fit, and why the others are withheld."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .applicability import REASONS, Nominee, Reason, Situation, refusal
from .floors import Floors, Verdict
from .render import key_text


@dataclass(frozen=True, slots=True)
class Judged:
    """Nominees that may be shown and fit, in order, and how many were refused, by reason.

    `lead` is the verdict on the one that fits best of all that may be shown.
    """

    fitting: tuple[tuple[Nominee, Verdict], ...]
    refused: Counter[Reason]
    lead: Verdict


def judge(nominees: Sequence[Nominee], situation: Situation, floors: Floors) -> Judged:
    """Hold every nominee against the situation and its floor; an equal key is taken once.

    What cannot reach any floor is refused for that, unread, as most nominees are.
    """
    refused: Counter[Reason] = Counter()
    fitting: list[tuple[Nominee, Verdict]] = []
    lead: Verdict | None = None
    said: set[str] = set()
    lowest = floors.lowest
    for nominee in nominees:
        if lead and floors.best_margin(nominee, lowest=lowest) < min(0.0, lead.margin):
            refused["floor"] += 1
            continue
        reason = refusal(nominee.hit.memory, situation)
        if reason is None:
            verdict = floors.judge(nominee)
            lead = verdict if lead is None else max(lead, verdict, key=lambda v: v.margin)
            if verdict.margin < 0:
                reason = "floor"
            elif (words := key_text(nominee.hit.memory).casefold()) in said:
                reason = "repeated"
            else:
                said.add(words)
                fitting.append((nominee, verdict))
        if reason is not None:
            refused[reason] += 1
    return Judged(tuple(fitting), refused, lead or Verdict(0.0, floors.lowest))


def why_nothing(lead: Verdict, withheld: Mapping[Reason, int]) -> str:
    """Why an answer is empty, in one or two sentences."""
    if not sum(withheld.values()):
        return "There is no memory that may be shown here."
    if withheld["budget"]:
        return "The budget is too small for any memory that fits."
    looked_at = f"Of {sum(withheld.values())} memories looked at"
    counts = [f"{n} {REASONS[r]}" for r in REASONS if r != "floor" and (n := withheld[r])]
    others = f" {looked_at}, {', '.join(counts)}." if counts else ""
    if not withheld["floor"]:
        return f"Nothing that fits may be shown here.{others}"
    best = f"the best score is {lead.confidence:.1f}, the floor {lead.floor:.1f}"
    return f"Nothing fits well enough: {best}.{others}"
