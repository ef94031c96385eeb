"""Fixtures that several parts of the test suite share."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with public trajectories and evaluation sets; tests skip where it is not there."""
    path = Path(os.environ.get("STEPLADDER_DATA", ROOT / ".." / "shared" / "data")).resolve()
    if not (path / "trajectories").is_dir():
        pytest.skip(f"no data at {path}; set STEPLADDER_DATA to its folder")
    return path
