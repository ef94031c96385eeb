"""Which answers have an outcome: a list beside the graph, so that no answer reads the whole log.

A store that is asked at every prompt keeps thousands of answers, of which few are ever reported on
or found again in a run. The ranking learns from those alone.
"""

import json
from collections.abc import Iterable
from typing import Final

from .protocols import GraphStore

SETTING: Final = "episodes"
"""The setting that holds the list."""

MOST: Final = 1000
"""The latest answers that are kept in the list. Chosen by us."""


def note_outcomes(store: GraphStore, retrievals: Iterable[str]) -> None:
    """Keep that the outcome of these answers is known, or that one in the list changed.

    Where two processes do so at the same moment, one of them may be lost to the ranking.

    Raises:
        StoreError: the store could not be read or written.
    """
    kept = store.setting(SETTING)
    changes, known = _parsed(kept)
    new = list(dict.fromkeys(retrievals))
    ids = [*(id for id in known if id not in set(new)), *new][-MOST:]
    store.set_setting(SETTING, json.dumps({"changes": changes + 1, "ids": ids}))


def noted_outcomes(store: GraphStore) -> tuple[str, tuple[str, ...]]:
    """The answers in the list, latest last, and a text that changes with every `note_outcomes`.

    Raises:
        StoreError: the store could not be read.
    """
    kept = store.setting(SETTING) or ""
    return kept, tuple(_parsed(kept)[1])


def _parsed(kept: str | None) -> tuple[int, list[str]]:
    if not kept:
        return 0, []
    values = json.loads(kept)
    return values["changes"], values["ids"]
