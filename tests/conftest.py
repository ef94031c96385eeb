"""Fixtures that several parts of the test suite share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with public trajectories and evaluation sets; tests that need it skip without it."""
    path = Path(os.environ.get("STEPLADDER_DATA", ROOT / ".." / "shared" / "data")).resolve()
    if not (path / "trajectories").is_dir():
        pytest.skip(f"no data at {path}; set STEPLADDER_DATA to a folder with trajectories/ and eval/")
    return path
