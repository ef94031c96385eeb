"""Which answers of the memory a run was shown: their fences name the retrieval."""

from ..kg.marks import retrievals_in
from .trajectory import Trajectory


def marked_in(trajectory: Trajectory) -> list[str]:
    """The ids of the retrievals whose marks a run was shown, sorted; not those it only spoke of."""
    found: set[str] = set()
    for turn in trajectory.turns:
        if turn.role != "agent":
            found.update(retrievals_in(turn.text))
        for call in turn.calls:
            if call.observation:
                found.update(retrievals_in(call.observation.text))
    return sorted(found)
