"""Stepladder: memory for coding agents."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .facade import KnowledgeBase

__all__ = ["KnowledgeBase"]


def __getattr__(name: str) -> Any:
    """Import the facade when it is asked for, so that `stepladder --help` stays quick."""
    if name == "KnowledgeBase":
        from .facade import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
