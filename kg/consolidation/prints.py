"""Fingerprints of insights by the hundred thousand, kept as one block of bytes."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

PRINT_BYTES: Final = 8

_NUMBERS: Final = ">u8"


@dataclass(frozen=True, slots=True)
class Prints:
    """A set of fingerprints of eight bytes each; `block` holds them one after the other, in order.

    As objects of their own a hundred thousand would take longer to make than a run with little to
    do may last.
    """

    block: bytes = b""

    @classmethod
    def of(cls, prints: Iterable[bytes]) -> "Prints":
        """A set of these fingerprints."""
        return cls(b"".join(sorted(set(prints))))

    @classmethod
    def joined(cls, some: Iterable["Prints"]) -> "Prints":
        """Everything that is in one of some sets."""
        rows = np.frombuffer(b"".join(p.block for p in some), _NUMBERS)
        return cls(np.unique(rows.astype(np.uint64)).astype(_NUMBERS).tobytes())

    def __len__(self) -> int:
        return len(self.block) // PRINT_BYTES

    def __contains__(self, print: bytes) -> bool:
        place = bisect_left(range(len(self)), print, key=self._at)
        return place < len(self) and self._at(place) == print

    def _at(self, place: int) -> bytes:
        return self.block[place * PRINT_BYTES : (place + 1) * PRINT_BYTES]
