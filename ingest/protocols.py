"""What a trajectory reader and a distiller must offer.

A third party adds a format with one file that defines a reader and one entry point in the group
`stepladder.readers`; a distiller likewise in `stepladder.distillers`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..kg.types import Edge, Node
from .record import RunRecord
from .source import Source
from .trajectory import Trajectory


@runtime_checkable
class TrajectoryReader(Protocol):
    """Reads one format. Found by content: `recognises` looks at the head of the file.

    `format` names the format in words of its users, such as `claude-code`.
    """

    format: str

    def recognises(self, source: Source) -> bool:
        """Tell whether this file is of the reader's format; cheap, and never raises."""
        ...

    def read(self, source: Source) -> Iterator[Trajectory]:
        """Yield the runs of the file.

        A damaged line is left out with a warning that names it; what stands around it is kept.

        Raises:
            ReadError: nothing of the file could be read.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Distillate:
    """What a distiller made of one run: memories above the trace, and the edges between them."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


@runtime_checkable
class Distiller(Protocol):
    """Climbs from one run to workflows, a summary and insights."""

    name: str

    def distill(self, run: RunRecord) -> Distillate:
        """Return the memories of a run; the same run gives the same ones."""
        ...
