"""Up to which write of the store every insight was considered, so that the next run starts there.

It is kept with the store and not in the graph, because a sequence is of one store only.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

from ..protocols import GraphStore
from .record import Considered, Record
from .state import is_plain

SETTING: Final = "consolidation.progress"
"""The name under which a store keeps it."""

_KEPT: Final = 20
"""Runs of which it is kept, so that taking back the last ones costs no reading of everything."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Up to `sequence` every insight was considered; there were so many others and merged ones.

    Imported runs were linked up to the sequence `linked`; of those without a link `waiting` are the
    domains. None is for what is not known.
    """

    sequence: int
    merged: int
    insights: int | None = None
    linked: int | None = None
    waiting: tuple[str, ...] = ()


def considered_up_to(store: GraphStore, records: Sequence[Record]) -> Progress | None:
    """How far the runs that stand considered every insight, None where that is unknown.

    What was kept with a run counts as long as all runs up to it stand: those that it relied on
    considered what it did not.
    """
    kept = _read(store)
    for number in range(len(records), 0, -1):
        value = kept.get(records[number - 1].id)
        if value is not None and value["runs"] == _runs(records[:number]):
            return Progress(
                sequence=value["sequence"],
                merged=value["merged"],
                insights=value.get("insights"),
                linked=value.get("linked"),
                waiting=tuple(value.get("waiting", ())),
            )
    return None


def keep_progress(
    store: GraphStore,
    records: Sequence[Record],
    *,
    verified: int,
    merged: int,
    linked: int | None,
    waiting: Sequence[str],
) -> None:
    """Keep with the last of some runs that all insights there are now were considered.

    `verified` is a sequence up to which that is known, `merged` counts merged insights; `linked`
    and `waiting` are as in `Progress`. Where another process wrote an insight since, this sequence
    is kept. If another process removes one while a run writes, the merged insight above it is
    looked at with the next removal only.
    """
    sequence = store.sequence()
    considered = Considered(records)
    changed = store.changed("Insight", since=verified)
    unseen = sum(i not in considered for i in changed.memories if is_plain(i))
    if unseen:
        sequence = verified
    there = {r.id for r in records}
    kept = {id: value for id, value in _read(store).items() if id in there}
    kept.pop(records[-1].id, None)
    kept[records[-1].id] = {
        "sequence": sequence,
        "merged": merged,
        "insights": None if changed.count is None else changed.count - merged - unseen,
        "linked": linked,
        "waiting": list(waiting),
        "runs": _runs(records),
    }
    last = dict(list(kept.items())[-_KEPT:])
    store.set_setting(SETTING, json.dumps(last, separators=(",", ":")))


def _read(store: GraphStore) -> dict[str, Any]:
    text = store.setting(SETTING)
    return json.loads(text) if text else {}


def _runs(records: Sequence[Record]) -> str:
    """A short text that is another one where the runs are others."""
    ids = "\n".join(r.id for r in records)
    return blake2b(ids.encode("utf-8", errors="surrogatepass"), digest_size=16).hexdigest()
