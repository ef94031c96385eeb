"""Settings, read from the environment in this one place."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path, user_state_path


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a command falls back on when it is not told.

    `STEPLADDER_STORE` sets `store`, a path or an address; `STEPLADDER_EMBEDDER` sets `embedder`,
    and `STEPLADDER_EMBEDDER_URL` the server of an embedder named `openai:MODEL`;
    `STEPLADDER_STATE` sets `state`, the folder for what hooks and installations note down.
    `STEPLADDER_MODEL` and `STEPLADDER_BASE_URL` name the language model where one is asked for and
    not named, and never have one asked. `NEO4J_USERNAME` and `NEO4J_PASSWORD` stand in for
    credentials that an address does not name.
    """

    store: str
    state: Path
    embedder: str = "static-256"
    embedder_url: str = ""
    model: str = ""
    base_url: str = ""
    neo4j_username: str = ""
    neo4j_password: str = field(default="", repr=False)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Settings":
        """Take the settings from an environment; by default the store is in the user's data."""
        return cls(
            store=environment.get("STEPLADDER_STORE") or str(default_store()),
            state=Path(environment.get("STEPLADDER_STATE") or default_state()),
            embedder=environment.get("STEPLADDER_EMBEDDER") or "static-256",
            embedder_url=environment.get("STEPLADDER_EMBEDDER_URL", ""),
            model=environment.get("STEPLADDER_MODEL", ""),
            base_url=environment.get("STEPLADDER_BASE_URL", ""),
            neo4j_username=environment.get("NEO4J_USERNAME", ""),
            neo4j_password=environment.get("NEO4J_PASSWORD", ""),
        )


def default_store() -> Path:
    """The store's place in the user's data folder."""
    return user_data_path("stepladder", appauthor=False) / "memory.db"


def default_state() -> Path:
    """The folder for notes of hooks and installations in the user's own folders."""
    return user_state_path("stepladder", appauthor=False)
