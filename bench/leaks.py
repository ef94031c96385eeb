"""Check that no shared insight names its source, on every public run.

    STEPLADDER_DATA=<folder with trajectories/> python bench/leaks.py

All runs are ingested into a scratch store; every shared insight is then held against the projects
of that store. Prints what was found and exits with 1 if that is anything. About a minute.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

from stepladder.facade import KnowledgeBase
from stepladder.ingest.distillers.rules.leaks import leaks_of
from stepladder.kg.types import SHARED

DATA: Final = Path(
    os.environ.get("STEPLADDER_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")
)


def main() -> int:
    """Print the leaks of all shared insights."""
    folders = [DATA / "trajectories", DATA / "swebench-verified-runs"]
    with (
        tempfile.TemporaryDirectory() as scratch,
        KnowledgeBase.open(Path(scratch) / "memory.db") as base,
    ):
        base.ingest(folders)
        shared = sum(n.scope == SHARED for n in base.store.find("Insight"))
        projects = len(base.store.find("Project"))
        leaks = leaks_of(base.store)
    table = Table(title=f"{len(leaks)} leaks in {shared} shared insights of {projects} projects")
    for heading in ("insight", "field", "kind", "found"):
        table.add_column(heading)
    for leak in leaks:
        table.add_row(leak.insight, leak.field, leak.kind, leak.found)
    Console().print(table)
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(main())
