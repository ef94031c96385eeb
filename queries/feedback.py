"""What is said about an answer afterwards: how the work went, and which memories were of use."""

from collections.abc import Iterable
from dataclasses import replace

from ..kg.errors import UsageError
from ..kg.protocols import GraphStore
from ..kg.types import Batch, Edge, OutcomeSource, OutcomeStatus, Retrieval


def reported(
    store: GraphStore,
    id: str,
    *,
    outcome: OutcomeStatus,
    used: Iterable[str] = (),
    source: OutcomeSource,
) -> tuple[Batch, tuple[str, ...]]:
    """The batch that keeps a report on a retrieval, and the memories that it is credited to.

    Ids in `used` may be shortened. What was reported as used before stays so.

    Raises:
        UsageError: the id is no retrieval's, or it did not show a memory that is said to be used.
    """
    node = store.get([id]).get(id)
    if not isinstance(node, Retrieval):
        raise UsageError(
            f"{id!r} is no retrieval.", hint="Give the id from the answer, such as r-52ab."
        )
    edges = store.edges([id], types=("SHOWED", "USED"), direction="out")
    shown = [e.target for e in edges if e.type == "SHOWED"]
    now_used = [_among(shown, wanted, retrieval=id) for wanted in used]
    new = tuple(Edge(source=id, type="USED", target=target) for target in now_used)
    credited = sorted({*now_used, *(e.target for e in edges if e.type == "USED")}) or sorted(shown)
    node = replace(node, outcome=outcome, outcome_source="none" if outcome == "unknown" else source)
    return Batch(nodes=(node,), edges=new), tuple(credited)


def _among(shown: list[str], wanted: str, *, retrieval: str) -> str:
    found = [id for id in shown if id.startswith(wanted)] if wanted else []
    if wanted in found:
        return wanted
    if len(found) != 1:
        what = "did not show" if not found else "showed several that begin with"
        raise UsageError(
            f"{retrieval} {what} {wanted!r}.", hint=f"It showed: {', '.join(shown) or 'nothing'}."
        )
    return found[0]
