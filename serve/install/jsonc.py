"""JSON with comments as a tree that knows where everything stands, so that text can be edited.

Only what is inserted or removed changes; comments, order, indentation and line ends stay.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ...kg.errors import UsageError

_SPACE: Final = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Value:
    """A value from `start` to `end`; `members` of an object, `items` of an array.

    A member is its name, where its name begins, and its value.
    """

    start: int
    end: int
    value: Any
    members: tuple[tuple[str, int, "Value"], ...] = ()
    items: tuple["Value", ...] = ()

    def get(self, name: str) -> "Value | None":
        """The value of a member; of two with one name the last, as JSON has it."""
        return next((v for n, _, v in reversed(self.members) if n == name), None)


def parse(text: str) -> Value:
    """Read a text with comments and trailing commas.

    Raises:
        UsageError: it is no such text.
    """
    reader = _Reader(text)
    value = reader.value(reader.skip(0))
    if reader.skip(value.end) != len(text):
        raise reader.wrong(value.end)
    return value


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def wrong(self, at: int) -> UsageError:
        line = self.text.count("\n", 0, at) + 1
        return UsageError(f"The settings are no JSON that can be read: line {line}.")

    def skip(self, at: int) -> int:
        """Past white space, comments and a byte-order mark."""
        text = self.text
        while at < len(text):
            if text[at] in _SPACE or text[at] == "\ufeff":
                at += 1
            elif text.startswith("//", at):
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif text.startswith("/*", at):
                end = text.find("*/", at)
                if end < 0:
                    raise self.wrong(at)
                at = end + 2
            else:
                break
        return at

    def value(self, at: int) -> Value:
        mark = self.text[at : at + 1]
        if mark == "{":
            return self._object(at)
        if mark == "[":
            return self._array(at)
        try:
            value, end = json.JSONDecoder().raw_decode(self.text, at)
        except (ValueError, RecursionError) as error:
            raise self.wrong(at) from error
        return Value(at, end, value)

    def _object(self, start: int) -> Value:
        members: list[tuple[str, int, Value]] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}":
            name = self.value(at)
            colon = self.skip(name.end)
            if not isinstance(name.value, str) or self.text[colon : colon + 1] != ":":
                raise self.wrong(at)
            value = self.value(self.skip(colon + 1))
            members.append((name.value, name.start, value))
            at = self._after(value.end, "}")
        return Value(start, at + 1, {n: v.value for n, _, v in members}, members=tuple(members))

    def _array(self, start: int) -> Value:
        items: list[Value] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            items.append(self.value(at))
            at = self._after(items[-1].end, "]")
        return Value(start, at + 1, [i.value for i in items], items=tuple(items))

    def _after(self, at: int, close: str) -> int:
        """Past a comma to the next member, or to the closing bracket."""
        at = self.skip(at)
        if self.text[at : at + 1] == ",":
            return self.skip(at + 1)
        if self.text[at : at + 1] != close:
            raise self.wrong(at)
        return at


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a member set at a path, whose last name is not there yet.

    Objects on the way are made. An empty text becomes an object.

    Raises:
        UsageError: the text is not JSON, or something on the path is no object.
    """
    if not text.strip().lstrip("\ufeff"):
        text = f"{text}{{}}\n"
    holder, rest = _holder(parse(text), path)
    for name in reversed(rest[1:]):
        value = {name: value}
    return _inserted(text, holder, value, name=rest[0])


def with_item(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a value appended to the array at a path, which is made where it is missing.

    Raises:
        UsageError: the text is not JSON, or what stands at the path is no array.
    """
    found = at_path(parse(text), path) if text.strip() else None
    if found is None:
        return with_member(text, path, [value])
    if not isinstance(found.value, list):
        raise UsageError(f"{'.'.join(path)} in the settings is no list.")
    return _inserted(text, found, value)


def at_path(root: Value, path: Sequence[str]) -> Value | None:
    """What stands at a path, or None."""
    found: Value | None = root
    for name in path:
        found = found.get(name) if found else None
    return found


def without(text: str, target: Value) -> str:
    """The text without a member's value with its name, or without an item of an array."""
    holder, start = next(_around(parse(text), target))
    before = [v.end for v in _children(holder) if v.end <= start]
    after = [s for s in _starts(holder) if s > start]
    if before:
        return text[: before[-1]] + text[target.end :]
    if after:
        return text[:start] + text[after[0] :]
    inside = text[holder.start + 1 : start] + text[target.end : holder.end - 1]
    kept = inside if inside.strip(_SPACE + ",") else ""
    return text[: holder.start + 1] + kept + text[holder.end - 1 :]


def _around(root: Value, target: Value) -> Iterator[tuple[Value, int]]:
    """The value that holds a target, and where the target with its name begins."""
    for _, start, value in root.members:
        if value == target:
            yield root, start
        yield from _around(value, target)
    for value in root.items:
        if value == target:
            yield root, value.start
        yield from _around(value, target)


def _children(holder: Value) -> list[Value]:
    return [*(v for _, _, v in holder.members), *holder.items]


def _starts(holder: Value) -> list[int]:
    return [*(s for _, s, _ in holder.members), *(v.start for v in holder.items)]


def _holder(root: Value, path: Sequence[str]) -> tuple[Value, Sequence[str]]:
    """The deepest object there is on a path, and the names that are missing in it."""
    found = root
    for depth, name in enumerate(path):
        if not isinstance(found.value, Mapping):
            where = ".".join(path[:depth]) or "The whole"
            raise UsageError(f"{where} in the settings is no object.")
        below = found.get(name)
        if below is None:
            return found, path[depth:]
        found = below
    raise UsageError(f"{'.'.join(path)} is in the settings already.")


def _inserted(text: str, holder: Value, value: Any, *, name: str | None = None) -> str:
    """The text with a member or an item after the last one of its holder."""
    newline = "\r\n" if "\r\n" in text else "\n"
    outer = _indent(text, holder.start)
    children = _children(holder)
    one_line = children and "\n" not in text[holder.start : holder.end]
    step = _step(text)
    inner = outer + step
    if children and not one_line:
        inner = _indent(text, _starts(holder)[-1])
    made = json.dumps(value, indent=step if not one_line else None, ensure_ascii=False)
    made = made.replace("\n", newline + inner)
    made = made if name is None else f"{json.dumps(name)}: {made}"
    if children:
        at = children[-1].end
        lead = " " if one_line else newline + inner
        return f"{text[:at]},{lead}{made}{text[at:]}"
    at = holder.start + 1
    tail = "" if "\n" in text[at : holder.end - 1] else newline + outer
    return f"{text[:at]}{newline}{inner}{made}{tail}{text[at:]}"


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _step(text: str) -> str:
    """The indentation of the first line that has one; two spaces where none has."""
    for line in text.split("\n"):
        if line[:1] in (" ", "\t") and line.strip():
            return line[: len(line) - len(line.lstrip(" \t"))]
    return "  "
