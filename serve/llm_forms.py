"""What language models were asked, as JSON of a stable shape."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..ingest.redistill import Redistilled


def redistilled_json(done: "Redistilled") -> dict[str, Any]:
    """What became of the chosen runs."""
    return asdict(done)
