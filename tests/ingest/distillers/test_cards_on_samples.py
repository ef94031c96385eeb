"""Cards on the sample runs: what each sample was recorded to show is found in it."""

from dataclasses import replace
from pathlib import Path

import pytest

from stepladder.ingest.distillers.rules.cards import catalogue
from stepladder.ingest.outcome import SideCars
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.record import RunRecord
from stepladder.ingest.source import Source
from stepladder.ingest.steps.build import build

EXAMPLES = Path(__file__).parents[3] / "examples"

SHOWN = {
    "build-packaging/kit-fresh-clone.traj.json": "clean-build runner-missing existing-tests",
    "build-packaging/kit-release-files.json": "no-tests-ran",
    "build-packaging/rollout-2026-02-09T10-30-00-kit-doc-anchors.jsonl": "own-environment "
    "runner-missing",
    "data-analysis/reports-csv-encoding__fc79db7/agent/trajectory.json": "encoding-named",
    "data-analysis/reports-month-revenue.jsonl": "join-count",
    "data-analysis/session-reports-best-customers.jsonl": "join-unchecked",
    "repo-bugfix/api-accents.jsonl": "own-check-only cleanup",
    "repo-bugfix/api-last-page.traj.json": "runner-missing boundary cleanup",
    "repo-bugfix/ledger-split-cents/ledger-split-cents.traj": "fix-no-effect submit-failing",
    "repo-bugfix/ledger-split-cents-again.json": "fix-no-effect stale-build",
    "repo-bugfix/queue-order-flaky.json": "flaky-seeds existing-tests",
    "repo-bugfix/session-queue-retry-limit.json": "no-tests-ran undo-retry clear-error",
    "security/gateway-leaked-token__02898ee/agent/trajectory.json": "secret-history",
    "security/gateway-path-traversal/gateway-path-traversal.traj": "no-tests-ran existing-tests",
    "terminal-devops/rollout-2026-01-21T07-45-00-deploy-rotate-logs.jsonl": "exec-bit truncated",
    "terminal-devops/rollout-2026-01-22T06-10-00-worker-stale-lock.jsonl": "stale-lock log-named "
    "runner-missing",
    "terminal-devops/worker-retries.traj.json": "setting-no-effect fix-no-effect submit-failing",
    "web-dev/site-escape-quotes.json": "syntax-check indent-after-edit escape-pattern",
}


@pytest.mark.parametrize(("sample", "shown"), SHOWN.items())
def test_a_sample_shows_what_it_was_recorded_for(sample: str, shown: str) -> None:
    run = _record(EXAMPLES / sample)
    found = {card.name for card in catalogue() if list(card.detect(run))}
    assert set(shown.split()) <= found


def _record(path: Path) -> RunRecord:
    source = Source(path)
    reader = reader_for(source, load_readers())
    assert reader is not None
    (trajectory,) = reader.read(source)
    outcome = SideCars().outcome_of(path, task_id=trajectory.task_id) or trajectory.outcome
    return build(
        replace(trajectory, outcome=outcome),
        trace_id="trace-1",
        task_id="task-1",
        project="acme/sample",
        domain="",
        language="",
    )
