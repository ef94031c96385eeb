"""Settings, read from the environment in this one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a command falls back on when it is not told.

    `STEPLADDER_STORE` sets `store`, a path or an address; `STEPLADDER_EMBEDDER` sets `embedder`.
    """

    store: str
    embedder: str = "static-256"

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Settings":
        """Take the settings from an environment; the store is in the user's data folder by default."""
        return cls(
            store=environment.get("STEPLADDER_STORE") or str(default_store()),
            embedder=environment.get("STEPLADDER_EMBEDDER") or "static-256",
        )


def default_store() -> Path:
    """The store's place in the user's data folder."""
    return user_data_path("stepladder", appauthor=False) / "memory.db"
