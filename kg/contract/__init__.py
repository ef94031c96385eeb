"""What every store must do, as cases that run on any of them.

    from stepladder.kg.contract import check_store
    check_store(make_store)

where `make_store` gives a new, empty store that keeps vectors of `DIM` numbers, or a test a case:

    @pytest.mark.parametrize("case", STORE_CASES, ids=lambda case: case.name)
    def test_my_store_keeps_the_contract(case):
        case.check(make_store)

Every case is deterministic: random graphs come from seeded generators.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..protocols import GraphStore
from . import evidence, graph, reading, scope, search
from .model import DIM

__all__ = ["DIM", "STORE_CASES", "StoreCase", "check_store"]


@dataclass(frozen=True, slots=True)
class StoreCase:
    """One promise of a store: a sentence, and the function that checks it on an empty store."""

    name: str
    run: Callable[[GraphStore], None]

    def check(self, make_store: Callable[[], GraphStore]) -> None:
        """Run the case on a new store.

        Raises:
            AssertionError: the store broke the promise.
        """
        store = make_store()
        try:
            self.run(store)
        finally:
            store.close()


def check_store(make_store: Callable[[], GraphStore]) -> None:
    """Run every case, each on a new, empty store that keeps vectors of `DIM` numbers.

    Raises:
        AssertionError: the store broke a promise; the message names the case.
    """
    for case in STORE_CASES:
        try:
            case.check(make_store)
        except AssertionError as error:
            raise AssertionError(f"{case.name}: {error}") from error


STORE_CASES: Final = tuple(
    StoreCase(run.__name__, run)
    for run in (*graph.CASES, *search.CASES, *evidence.CASES, *scope.CASES, *reading.CASES)
)
"""Every promise, in the order in which `check_store` tries them."""
