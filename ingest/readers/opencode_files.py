"""Where OpenCode keeps its sessions: an export, a SQLite database, or a folder of small files."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ...kg.errors import ReadError
from ..source import Source
from .json_values import mapping, mappings, string

SQLITE: Final = b"SQLite format 3\0"
_DATABASE: Final = re.compile(r"opencode[\w.-]*\.db")
_TABLES: Final = frozenset({"session", "message", "part"})
_COPIES: Final = 3
"""How often a database that changes while it is copied is copied again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of a session with its parts, in order."""

    info: Mapping[str, Any]
    parts: list[Mapping[str, Any]]
    ref: str


@dataclass(slots=True, kw_only=True)
class Session:
    """A session as it was found, and what of it could not be read."""

    info: Mapping[str, Any]
    messages: list[Message]
    warnings: list[str] = field(default_factory=list)


def is_export(fields: Mapping[str, Any]) -> bool:
    """Tell whether this is what `opencode export` writes."""
    info, messages = mapping(fields.get("info")), fields.get("messages")
    if not isinstance(messages, list):
        return "messages" not in fields and len(fields) == 1 and _is_session(info)
    if not messages:
        return _is_session(info)
    return {"info", "parts"} <= mapping(messages[0]).keys() or (
        _is_session(info) and "info" in mapping(messages[0])
    )


def is_stored_session(fields: Mapping[str, Any]) -> bool:
    """Tell whether this is the file of a session in the storage folder."""
    return _is_session(fields) and not {"messages", "role", "messageID"} & fields.keys()


def is_stored_piece(fields: Mapping[str, Any]) -> bool:
    """Tell whether this is a message or a part of one, which is read with its session."""
    if not isinstance(fields.get("id"), str) or {"messages", "info"} & fields.keys():
        return False
    return {"sessionID", "role"} <= fields.keys() or {"messageID", "type"} <= fields.keys()


def _is_session(info: Mapping[str, Any]) -> bool:
    placed = "projectID" in info or "directory" in info
    return isinstance(info.get("id"), str) and placed and "created" in mapping(info.get("time"))


def is_database(source: Source) -> bool:
    """Tell whether this is the database of OpenCode, by its tables or else its name."""
    if not source.head.startswith(SQLITE):
        return False
    if _DATABASE.fullmatch(source.path.name):
        return True
    import apsw

    try:
        with closing(_open(source.path, "immutable=1")) as connection:
            rows = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            return {name for (name,) in rows} >= _TABLES
    except apsw.Error:
        return False


def exported(source: Source) -> Iterator[Session]:
    """Yield the session of an export."""
    document = mapping(source.document)
    yield Session(
        info=mapping(document.get("info")),
        messages=[
            _message(mapping(m.get("info")), mappings(m.get("parts")), position=position)
            for position, m in enumerate(mappings(document.get("messages")), start=1)
        ],
        warnings=list(source.warnings),
    )


def _message(info: Mapping[str, Any], parts: list[Mapping[str, Any]], *, position: int) -> Message:
    id = string(info.get("id"))
    return Message(info=info, parts=parts, ref=id if "_" in id else f"message {position}")


def stored(source: Source) -> Iterator[Session]:
    """Yield the session whose file this is, with its messages from the folders beside it.

    Newer versions keep `part/<message>/`, older ones `part/<session>/<message>/`.
    """
    session = Session(info=mapping(source.document), messages=[], warnings=list(source.warnings))
    id = string(session.info.get("id"))
    parents = source.path.parents if id and Path(id).name == id else ()
    root = next((p for p in parents if (p / "message" / id).is_dir()), None)
    if root is not None:
        for file in _files(root / "message" / id):
            info = _read(file, session.warnings)
            if info is None:
                continue
            name = string(info.get("id")) or file.stem
            folders = (root / "part" / name, root / "part" / id / name)
            read = (_read(f, session.warnings) for d in folders for f in _files(d))
            session.messages.append(Message(info=info, parts=[p for p in read if p], ref=name))
        session.messages.sort(key=lambda m: (_created(m.info), m.ref))
    yield session


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json")) if folder.is_dir() else []


def _read(file: Path, warnings: list[str]) -> Mapping[str, Any] | None:
    try:
        found = json.loads(file.read_text("utf-8", errors="replace"))
    except (OSError, ValueError, RecursionError):
        warnings.append(f"{file.parent.name}/{file.name}: not JSON; left out")
        return None
    return mapping(found)


def _created(info: Mapping[str, Any]) -> float:
    time = mapping(info.get("time")).get("created")
    return float(time) if isinstance(time, int | float) else 0.0


def in_database(source: Source) -> Iterator[Session]:
    """Yield the sessions of a database, in order of their start.

    It is read from a copy, with what has not been moved from its log to the file yet, so that
    OpenCode may go on writing and nothing of its own is touched.

    Raises:
        ReadError: the database cannot be copied or read.
    """
    import apsw

    with tempfile.TemporaryDirectory(prefix="stepladder-") as folder:
        try:
            copy = _copy(source.path, Path(folder))
            with closing(_open(copy, "")) as connection:
                for info in _rows(connection, "SELECT * FROM session ORDER BY time_created, id"):
                    yield _session(connection, info)
        except (apsw.Error, OSError) as error:
            raise ReadError(
                f"{source.path} cannot be read: {error}",
                hint="Close OpenCode and try again, or export the session: opencode export ID",
            ) from error


def _copy(path: Path, folder: Path) -> Path:
    log = path.with_name(path.name + "-wal")
    for _ in range(_COPIES):
        before = _state(path), _state(log)
        copy = Path(shutil.copyfile(path, folder / "copy.db"))
        copied_log = folder / "copy.db-wal"
        copied_log.unlink(missing_ok=True)
        if log.exists():
            shutil.copyfile(log, copied_log)
        if before == (_state(path), _state(log)):
            break
    return copy


def _state(path: Path) -> tuple[int, int]:
    if not path.exists():
        return 0, 0
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _open(path: Path, parameters: str) -> Any:
    import apsw

    flags = apsw.SQLITE_OPEN_READWRITE
    if parameters:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    name = f"{path.resolve().as_uri()}?{parameters}" if parameters else str(path)
    return apsw.Connection(name, flags=flags)


def _rows(connection: Any, statement: str, *values: str) -> list[dict[str, Any]]:
    cursor = connection.execute(statement, values)
    return [
        dict(zip((column[0] for column in cursor.getdescription()), row, strict=True))
        for row in cursor
    ]


def _session(connection: Any, row: Mapping[str, Any]) -> Session:
    id = string(row.get("id"))
    info = {
        "id": id,
        "parentID": row.get("parent_id"),
        "directory": row.get("directory"),
        "version": row.get("version"),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
    }
    session = Session(info=info, messages=[])
    parts: dict[str, list[Mapping[str, Any]]] = {}
    for part in _rows(
        connection,
        "SELECT part.* FROM part JOIN message ON message.id = part.message_id "
        "WHERE message.session_id = ? ORDER BY part.id",
        id,
    ):
        if found := _data(part, "part", session.warnings):
            parts.setdefault(string(part.get("message_id")), []).append(found)
    for message in _rows(
        connection, "SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id", id
    ):
        found = _data(message, "message", session.warnings)
        name = string(message.get("id"))
        session.messages.append(Message(info=found, parts=parts.get(name, []), ref=name))
    return session


def _data(row: Mapping[str, Any], table: str, warnings: list[str]) -> Mapping[str, Any]:
    try:
        return mapping(json.loads(row["data"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        warnings.append(f"{table} {row.get('id')}: not JSON; left out")
        return {}
