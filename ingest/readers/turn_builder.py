"""Puts turns together from records that come one by one: calls first, their results later."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ..trajectory import Observation, Role, Turn


@dataclass(slots=True)
class TurnBuilder:
    """Turns so far, and where each call stands that waits for its result.

    A call waits under every key it was given; a later call with the same key takes it over.
    """

    turns: list[Turn] = field(default_factory=list)
    _waiting: dict[tuple[int, int], frozenset[str]] = field(default_factory=dict)
    _groups: dict[str, int] = field(default_factory=dict)

    def say(
        self,
        role: Role,
        text: str,
        *,
        ref: str,
        thought: str = "",
        timestamp: str = "",
        model: str = "",
        injected: bool = False,
    ) -> None:
        """Add a turn without calls; nothing where nothing is said."""
        if text.strip() or thought.strip():
            self.turns.append(
                Turn(
                    role=role,
                    text=text,
                    thought=thought,
                    injected=injected,
                    timestamp=timestamp,
                    model=model,
                    raw_ref=ref,
                )
            )

    def act(self, turn: Turn, *, keys: Iterable[Iterable[str]] = (), group: str = "") -> None:
        """Add a turn with calls that wait for results.

        `keys` are those of each call, in order. A turn of the same non-empty `group` as an earlier
        one is a part of that: one reply that was recorded call by call.
        """
        at = self._groups.get(group) if group else None
        if at is None:
            self.turns.append(replace(turn, calls=()))
            at = len(self.turns) - 1
            if group:
                self._groups[group] = at
        held = self.turns[at]
        start = len(held.calls)
        self.turns[at] = replace(
            held,
            calls=(*held.calls, *turn.calls),
            thought=held.thought or turn.thought,
            text=held.text or turn.text,
        )
        named = [frozenset(k for k in ks if k) for ks in keys]
        for i, _ in enumerate(turn.calls):
            self._waiting[at, start + i] = named[i] if i < len(named) else frozenset()

    def answer(self, observation: Observation, *keys: str) -> bool:
        """Attach a result to the latest call that waits under one of the keys; tell if one did."""
        wanted = {k for k in keys if k}
        found = [place for place, names in self._waiting.items() if names & wanted]
        if found:
            self._attach(max(found), observation)
        return bool(found)

    def answer_next(self, observation: Observation) -> bool:
        """Attach a result to the first waiting call of the last turn with one; tell if one did."""
        last = max((turn for turn, _ in self._waiting), default=None)
        if last is None:
            return False
        self._attach(min(place for place in self._waiting if place[0] == last), observation)
        return True

    def _attach(self, place: tuple[int, int], observation: Observation) -> None:
        at, index = place
        calls = list(self.turns[at].calls)
        calls[index] = replace(calls[index], observation=observation)
        self.turns[at] = replace(self.turns[at], calls=tuple(calls))
        del self._waiting[place]

    def reject(self, reply: str, *, ref: str, timestamp: str = "") -> None:
        """Mark the last turn as refused by its harness, or add a refused reply.

        The last turn is meant if it is the agent's and none of its calls has a result.
        """
        at = len(self.turns) - 1
        last = self.turns[at] if self.turns else None
        if last and not reply and _may_be_refused(last):
            for i, _ in enumerate(last.calls):
                self._waiting.pop((at, i), None)
            text = last.text or last.thought
            self.turns[at] = replace(last, text=text, thought="", calls=(), rejected=True)
            return
        self.turns.append(
            Turn(role="agent", text=reply, rejected=True, timestamp=timestamp, raw_ref=ref)
        )


def _may_be_refused(turn: Turn) -> bool:
    ran = any(c.observation is not None for c in turn.calls)
    return turn.role == "agent" and not turn.rejected and not ran
