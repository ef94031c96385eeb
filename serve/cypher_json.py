"""The JSON of Cypher: rows, the schema and the named queries; a contract like `json_forms`."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from ..kg.cypher import Rows
from ..queries.export import Exported
from ..queries.library import NamedQuery
from ..queries.schema import Schema


def rows_json(rows: Rows) -> dict[str, Any]:
    """The answer to a statement; each row is a list in the order of the columns."""
    return {
        "columns": list(rows.columns),
        "rows": [list(row) for row in rows.rows],
        "truncated": rows.truncated,
        "why": rows.why,
        "milliseconds": round(rows.milliseconds, 1),
        "notes": list(rows.notes),
    }


def schema_json(schema: Schema) -> dict[str, Any]:
    """Labels and relationships with what they mean, their properties and counts."""
    return asdict(schema)


def exported_json(written: Exported) -> dict[str, Any]:
    """Nodes by label and relationships by type in an exported file, and its checksum."""
    return asdict(written)


def queries_json(queries: Iterable[NamedQuery]) -> dict[str, Any]:
    """The named queries: what each answers, what it takes, which columns it gives."""
    return {"queries": [asdict(query) for query in queries]}
