"""`KnowledgeBase`: the facade over store, embedder, readers and distillers."""

from .asking import Asking
from .asking_models import AskingModels
from .feeding import Feeding, ImportReport
from .looking import Looking, Shown, Stats
from .measuring import Measuring
from .merging import Merging
from .moving import Moving
from .reembedding import Reembedding

__all__ = ["ImportReport", "KnowledgeBase", "Shown", "Stats"]


class KnowledgeBase(
    Feeding, Asking, Looking, Measuring, Merging, Moving, AskingModels, Reembedding
):
    """A graph of memories: runs in, answers out.

    Use it as a context manager, or call `close`.

    >>> with KnowledgeBase.open("memory.db") as kb:  # doctest: +SKIP
    ...     kb.ingest(["runs/"])
    ...     answer = kb.retrieve("tests fail only in CI after the lock file changed")
    """
