"""Brings a file to the schema this program knows, one numbered script after the other."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

import apsw

from ...errors import StoreError
from .connection import fetch, newer_schema

APPLICATION_ID: Final = 0x53544C44
"""Marks a file as ours in SQLite's header: `STLD`."""

_SCRIPT = re.compile(r"m(\d{3})_\w+\.sql")


@cache
def scripts() -> tuple[str, ...]:
    """The SQL of every migration, in order; the first makes version 1."""
    folder = files(__package__)
    found = sorted((f for f in folder.iterdir() if _SCRIPT.fullmatch(f.name)), key=lambda f: f.name)
    return tuple(f.read_text(encoding="utf-8") for f in found)


def migrate(connection: apsw.Connection) -> None:
    """Run the scripts the file has not seen, each in a transaction of its own."""
    if version(connection) == len(scripts()):
        return
    for number, script in enumerate(scripts(), start=1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            if version(connection) < number:
                connection.execute(script)
                connection.pragma("application_id", APPLICATION_ID)
                connection.pragma("user_version", number)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def version(connection: apsw.Connection) -> int:
    """The schema version of the file, 0 where it is empty.

    Raises:
        SchemaError: the file is newer than this program.
        StoreError: the file belongs to another program.
    """
    # In this order: whoever sees the tables of a file being made now also sees its mark.
    ((tables,),) = fetch(connection, "SELECT count(*) FROM sqlite_master")
    found = int(connection.pragma("user_version"))
    ours = connection.pragma("application_id") == APPLICATION_ID
    path = connection.filename
    if not ours and (found or tables):
        raise StoreError(
            f"The file {path} is a database of another program.",
            hint="Give the path of another file, or of one that does not exist yet.",
        )
    if found > len(scripts()):
        raise newer_schema(path, found=found, known=len(scripts()))
    return found
