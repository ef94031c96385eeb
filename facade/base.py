"""What every part of the facade stands on: a store, an embedder, and ids that may be short."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ..kg import plugins
from ..kg.errors import EmbeddingError, UsageError
from ..kg.protocols import Embedder, GraphStore
from ..kg.settings import Settings, default_store
from ..kg.stores import open_store
from ..kg.types import EVERYTHING, Scope

EMBEDDERS: Final[Mapping[str, str]] = {
    "static-256": "stepladder.kg.embedding.static:StaticEmbedder",
}
_EMBEDDER = "embedder"
_REMOTE: Final = "openai:"


class Base:
    """A store with the embedder that its vectors come from."""

    def __init__(self, store: GraphStore, embedder: Embedder) -> None:
        self.store = store
        self.embedder = embedder

    @classmethod
    def open(
        cls, address: str | Path | None = None, *, embedder: str | Embedder | None = None
    ) -> Self:
        """Open or make the store at a path or an address; by default in the user's data folder.

        `embedder` is an embedder or its name; None is what `STEPLADDER_EMBEDDER` names, or our own.

        Raises:
            StoreError: the store could not be opened.
            EmbeddingError: the store was made with another embedder.
        """
        if embedder is None or isinstance(embedder, str):
            embedder = load_embedder(embedder)
        store = open_store(str(address or default_store()), embedder=embedder)
        kept = store.setting(_EMBEDDER)
        if kept is None:
            store.set_setting(_EMBEDDER, embedder.name)
        elif kept != embedder.name:
            store.close()
            raise EmbeddingError(
                f"The store's vectors come from {kept!r}, not from {embedder.name!r}.",
                hint=f"Set STEPLADDER_EMBEDDER={kept}, or change them: stepladder reembed",
            )
        if expect := getattr(store, "expect_embedder", None):
            expect(embedder.name)
        return cls(store, embedder)

    def close(self) -> None:
        """Release the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def resolve(self, id: str, *, scope: Scope = EVERYTHING) -> str:
        """Return the one id in scope that begins with `id`.

        Raises:
            UsageError: no node in scope, or several, have this id.
        """
        found = list(self.store.get(self.store.resolve(id), scope=scope))
        if id in found:
            return id
        if not found:
            raise UsageError(
                f"Nothing has the id {id!r}.", hint="Find one with: stepladder query 'your task'"
            )
        if len(found) > 1:
            raise UsageError(f"{id!r} is short for several: {', '.join(found)}.")
        return found[0]


def as_scope(scope: Scope | str | None) -> Scope:
    """The scope that a caller named: a project, a scope, or None for everything."""
    if scope is None:
        return EVERYTHING
    return Scope.of(scope) if isinstance(scope, str) else scope


def iso_time(now: datetime | None) -> str:
    """A time as it is stored; None is the present."""
    return (now or datetime.now(UTC)).isoformat()


def load_embedder(name: str | None) -> Embedder:
    """The embedder of a name; None is the one that the settings name.

    `openai:MODEL` is a model behind an OpenAI-compatible server, at `STEPLADDER_EMBEDDER_URL`.

    Raises:
        UsageError: no embedder has this name.
        EmbeddingError: it could not be loaded.
    """
    settings = Settings.read(os.environ)
    name = name or settings.embedder
    if name.startswith(_REMOTE):
        from ..kg.embedding.openai import OpenAIEmbedder

        return OpenAIEmbedder(name.removeprefix(_REMOTE), settings.embedder_url or None)
    embedder: Embedder = plugins.load(name, group="stepladder.embedders", built_in=EMBEDDERS)()
    return embedder
