"""Packs: insights that somebody else handed out, one JSON object a line under one on them all."""

import json
from dataclasses import dataclass
from pathlib import Path

from ..kg.errors import UsageError
from ..kg.packs import FORM, MARK, checksum


@dataclass(frozen=True, slots=True, kw_only=True)
class PackHead:
    """What the first line of a pack says: the licence of its insights and what sums them up."""

    licence: str
    made: str
    rows: int
    sha256: str

    @property
    def name(self) -> str:
        """What is kept with every insight of the pack."""
        return f"{self.licence} sha256:{self.sha256[:16]}"


def pack_head(file: Path) -> PackHead | None:
    """The first line of a pack whose rows are what it says; None where a file is no pack.

    Raises:
        UsageError: the pack is of a newer form, or its rows are not those it was made with.
    """
    first, _, rest = file.read_bytes().partition(b"\n")
    try:
        values = json.loads(first)
    except ValueError:
        return None
    if not isinstance(values, dict) or MARK not in values:
        return None
    if values[MARK] != FORM:
        raise UsageError(
            f"The pack {file} is of form {values[MARK]}; this program reads form {FORM}.",
            hint="Upgrade with: pip install --upgrade stepladder",
        )
    found = checksum(rest if not rest or rest.endswith(b"\n") else rest + b"\n")
    if found != values.get("sha256"):
        raise UsageError(
            f"The pack {file} is not what it was when it was made: its checksum is another one.",
            hint="Fetch it again. Without its first line it is imported as loose memories.",
        )
    return PackHead(
        licence=str(values.get("licence", "")),
        made=str(values.get("made", "")),
        rows=int(values.get("rows", 0)),
        sha256=found,
    )
