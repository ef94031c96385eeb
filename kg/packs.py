"""The form of packs: a first line that says what it is, then an insight a line."""

import hashlib
from typing import Final

FORM: Final = 1
"""Number of the form that this program writes and reads."""

MARK: Final = "stepladder_pack"
"""What the first line has and no memory has; its value is the form."""


def checksum(rows: bytes) -> str:
    """What sums up all lines but the first: SHA-256 in hexadecimal digits."""
    return hashlib.sha256(rows).hexdigest()
