"""The JSON of a migration; a contract like `json_forms`."""

from typing import Any

from ..kg.migrate import MigrateReport


def migrate_json(report: MigrateReport, *, to: str, dry_run: bool) -> dict[str, Any]:
    """What was moved, or would be; `to` is an address without a password."""
    return {
        "to": to,
        "dry_run": dry_run,
        "nodes": dict(report.nodes),
        "edges": dict(report.edges),
        "added": report.added,
        "changed": report.changed,
        "edges_added": report.edges_added,
        "vectors": report.vectors,
        "checksums": dict(report.checksums),
    }
