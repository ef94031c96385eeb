"""The side-car that carries verdicts for formats without a place for one."""

import json
from pathlib import Path
from typing import Any

from .formats import text
from .recording import Recording, Verdict

SIDE_CAR = "outcomes.jsonl"
_EVIDENCE_LINES = 3


def row(recording: Recording, verdict: Verdict, *, file: str) -> dict[str, Any]:
    """Make the row of a verified run: the file, the verdict, and the verifier's last words."""
    scenario = recording.scenario
    return {
        "file": file,
        "instance_id": scenario.name,
        "resolved": verdict.resolved,
        "domain": scenario.domain,
        "project": scenario.project.remote.removeprefix("https://github.com/"),
        "verifier": verdict.command,
        "exit_code": verdict.exit_code,
        "evidence": "\n".join(verdict.output.strip().splitlines()[-_EVIDENCE_LINES:]),
    }


def merge(path: Path, new: dict[str, Any]) -> None:
    """Put a row into a side-car in place of the one for the same file, in the order of files."""
    rows = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            old = json.loads(line)
            rows[old["file"]] = old
    rows[new["file"]] = new
    path.write_text(text.lines(rows[file] for file in sorted(rows)), encoding="utf-8", newline="")
