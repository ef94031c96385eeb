"""Another embedder for what is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ..kg.settings import default_store
from ..kg.stores import open_store
from .base import Base, load_embedder

if TYPE_CHECKING:
    from ..kg.protocols import Embedder
    from ..kg.reembedding import Reembedded


class Reembedding(Base):
    """Changing the embedder, which needs no knowledge of the one before."""

    @classmethod
    def reembed(
        cls,
        address: str | Path | None = None,
        *,
        embedder: str | Embedder,
        approve: Callable[[list[str]], bool] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> Reembedded | None:
        """Change the embedder of the store at an address, all vectors at once.

        The new vectors are made beside the store first; interrupted, it goes on where it stopped.
        Until they are complete the store answers with the old ones. `approve` sees the texts that
        would be embedded; None comes back where it says no.

        Raises:
            UsageError: the store cannot change its vectors in one transaction.
            EmbeddingError: the embedder could not be loaded, or failed.
            StoreError: the store could not be read or written.
        """
        from ..kg.reembedding import reembed, texts_to_embed

        place = str(address or default_store())
        maker = load_embedder(embedder) if isinstance(embedder, str) else embedder
        store = open_store(place, embedder=maker)
        try:
            if approve and not approve(texts_to_embed(store)):
                return None
            return reembed(store, maker, staging=_beside(place), on_progress=on_progress)
        finally:
            store.close()


def _beside(address: str) -> Path:
    """Where vectors wait: beside a file, or in the user's data for a store at a server."""
    scheme, separator, rest = address.partition("://")
    if separator and scheme != "sqlite":
        return default_store().with_name("reembed.db")
    path = Path(rest if separator else address)
    return path.with_name(f"{path.stem}.reembed.db")
