"""A settings file with what of ours is to stand in it: put in, recognised, and taken out."""

import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...kg.errors import UsageError
from . import jsonc
from .edits import Addition, Edit, addition, taken_back, text_of


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object at a path."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a list at a path."""

    path: tuple[str, ...]
    value: Any


@dataclass(frozen=True, slots=True)
class Table:
    """A TOML table with its header and lines."""

    path: tuple[str, ...]
    lines: tuple[str, ...]


def _nothing(_: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file and our part in it; `ours` tells which items of `lists` came from us, at any time."""

    path: Path
    members: tuple[Member, ...] = ()
    items: tuple[Item, ...] = ()
    table: Table | None = None
    lists: tuple[tuple[str, ...], ...] = ()
    ours: Callable[[Any], bool] = field(default=_nothing)

    def installed(self, kept: Addition | None) -> tuple[Edit, Addition | None]:
        """The edit that puts our part in, and what to keep of it; no change where it is there.

        Raises:
            UsageError: the file cannot be read as what it is to be.
        """
        now = text_of(self.path)
        if now is not None and self._is_complete(now):
            return Edit(path=self.path, before=now, after=now), kept
        base = now
        if now is not None and self._holds_ours(now):
            base = self._cleared(now, kept)
        stages = list(self._stages(base or ""))
        after = stages[-1] if stages else base
        made = addition(self.path, base, stages) if stages else None
        return Edit(path=self.path, before=now, after=after), made

    def removed(self, kept: Addition | None) -> Edit:
        """The edit that takes our part out; the file goes too where we made it and nothing is left.

        Raises:
            UsageError: the file cannot be read as what it is to be.
        """
        now = text_of(self.path)
        if now is None or not self._holds_ours(now):
            return Edit(path=self.path, before=now, after=now)
        return Edit(path=self.path, before=now, after=self._cleared(now, kept))

    def programs(self) -> list[str]:
        """The programs that our part of the file calls, where it is there."""
        now = text_of(self.path) or ""
        if self.table is not None:
            command = _at(_toml(now), (*self.table.path, "command"))
            return [command] if isinstance(command, str) else []
        if not now.strip():
            return []
        root = jsonc.parse(now)
        found = (jsonc.at_path(root, (*m.path, "command")) for m in self.members)
        commands = [f.value for f in found if f is not None]
        return [c[0] if isinstance(c, list) and c else str(c) for c in commands]

    def _cleared(self, text: str, kept: Addition | None) -> str | None:
        left = taken_back(text, kept) if kept else None
        if kept is None or left is None or self._holds_ours(left):
            return self._without_ours(text)
        return None if kept.created and not left else left

    def _stages(self, text: str) -> Iterator[str]:
        """The text after each of our parts."""
        if self.table is not None:
            yield _with_table(text, self.table)
            return
        for member in self.members:
            text = jsonc.with_member(text, member.path, member.value)
            yield text
        for item in self.items:
            text = jsonc.with_item(text, item.path, item.value)
            yield text

    def _is_complete(self, text: str) -> bool:
        """Tell whether our part is there, as it is to be and no more."""
        if self.table is not None:
            wanted = tomllib.loads("\n".join(self.table.lines))
            return bool(_at(_toml(text), self.table.path) == _at(wanted, self.table.path))
        root = jsonc.parse(text) if text.strip() else None
        if root is None:
            return not (self.members or self.items)
        there = [(m.path, f.value) for m in self.members if (f := jsonc.at_path(root, m.path))]
        found = [(path, item.value) for path, item in self._our_items(root)]
        return there == [(m.path, m.value) for m in self.members] and found == [
            (i.path, i.value) for i in self.items
        ]

    def _holds_ours(self, text: str) -> bool:
        if self.table is not None:
            return _at(_toml(text), self.table.path) is not None
        if not text.strip():
            return False
        root = jsonc.parse(text)
        members = any(jsonc.at_path(root, m.path) for m in self.members)
        return members or any(True for _ in self._our_items(root))

    def _our_items(self, root: jsonc.Value) -> Iterator[tuple[tuple[str, ...], jsonc.Value]]:
        for path in self.lists:
            found = jsonc.at_path(root, path)
            for item in found.items if found else ():
                if self.ours(item.value):
                    yield path, item

    def _without_ours(self, text: str) -> str:
        """Our part taken out by what it is, with the objects and lists that it leaves empty."""
        if self.table is not None:
            return _without_table(text, self.table)
        for member in self.members:
            text = _pruned(text, member.path)
        while found := next(self._our_items(jsonc.parse(text)), None):
            path, item = found
            text = jsonc.without(text, item)
            text = _without_empty(text, path)
        return text


def _pruned(text: str, path: tuple[str, ...]) -> str:
    found = jsonc.at_path(jsonc.parse(text), path)
    return text if found is None else _without_empty(jsonc.without(text, found), path[:-1])


def _without_empty(text: str, path: tuple[str, ...]) -> str:
    while path:
        found = jsonc.at_path(jsonc.parse(text), path)
        if found is None or found.value not in ({}, []):
            break
        text = jsonc.without(text, found)
        path = path[:-1]
    return text


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text.replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The settings are no TOML that can be read: {error}.") from error


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _with_table(text: str, table: Table) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    after = text + gap + newline.join(table.lines) + newline
    _toml(after)
    return after


def _without_table(text: str, table: Table) -> str:
    header = re.escape(f"[{'.'.join(table.path)}]")
    block = re.compile(
        rf"(?:\r?\n)?^{header}[ \t]*(?:#.*)?\r?\n(?:(?![ \t]*\[).*(?:\r?\n|\Z))*", re.M
    )
    left = block.sub("", text, count=1)
    if _at(_toml(left), table.path) is not None:
        raise UsageError(
            f"{'.'.join(table.path)} is written in a way that cannot be taken out safely.",
            hint="Remove it by hand.",
        )
    return left
