"""The contract of `GraphStore`, run on the store in a SQLite file."""

from pathlib import Path

import pytest

from stepladder.kg.contract import DIM, STORE_CASES, StoreCase
from stepladder.kg.stores.sqlite import SQLiteStore


@pytest.mark.parametrize("case", STORE_CASES, ids=lambda case: case.name)
def test_the_sqlite_store_keeps_the_contract(case: StoreCase, tmp_path: Path) -> None:
    case.check(lambda: SQLiteStore.open(tmp_path / "memory.db", dim=DIM))
