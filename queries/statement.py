"""A Cypher statement as tokens; what two engines could read in two ways is refused."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from ..kg.errors import UsageError

Kind = Literal["word", "name", "parameter", "number", "text", "sign"]

MAX_CHARS: Final = 20_000
MAX_DEPTH: Final = 60
"""How deep brackets may nest. Chosen by us: kglite gives up at 512 levels of expression."""

_USE_PARAMETERS: Final = "Give texts as parameters: write $text and pass its value."

_TOKEN: Final = re.compile(
    r"""
      (?P<space> [ \t\r\n]+ )
    | (?P<comment> //[^\r\n]* | /\*.*?\*/ )
    | (?P<text> '(?:[^'\\]|\\['"\\nrtbf])*' | "(?:[^"\\]|\\['"\\nrtbf])*" )
    | (?P<name> `[^`\\\r\n\0]{1,200}` )
    | (?P<parameter> \$[A-Za-z_][A-Za-z0-9_]* )
    | (?P<number> 0[xo][0-9A-Fa-f]+ | \d+(?:\.\d+)?(?:[eE][+-]?\d+)? )
    | (?P<word> [A-Za-z_][A-Za-z0-9_]* )
    | (?P<sign> (?!/[*/]) (?: \.\. | [-()\[\]{}<>=!+*/%^.,:|&~] ) )
    """,
    re.VERBOSE | re.DOTALL,
)

_PAIRS: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a statement as it was written; `start` is its place in `Statement.text`."""

    kind: Kind
    text: str
    start: int

    @property
    def upper(self) -> str:
        """A word in upper case; other tokens as they are. Words are ASCII, so nothing folds."""
        return self.text.upper() if self.kind == "word" else self.text


@dataclass(frozen=True, slots=True)
class Statement:
    """The tokens of a statement, and its text without comments and closing semicolon."""

    tokens: tuple[Token, ...]
    text: str


def read(statement: str) -> Statement:
    """Cut a statement into tokens.

    Comments are taken out, so that what is looked at is what is run.

    Raises:
        UsageError: it is empty, too long, unbalanced, or holds what could be read in two ways.
    """
    text = statement.strip(" \t\r\n")
    if text.endswith(";"):
        text = text[:-1].rstrip(" \t\r\n")
    if len(text) > MAX_CHARS:
        raise UsageError(
            f"The statement has {len(text):,} characters; {MAX_CHARS:,} are allowed.",
            hint=_USE_PARAMETERS,
        )
    if re.search(r"\\[uU]", text):
        raise UsageError(
            "Unicode escapes are not allowed in a statement; write the character itself.",
            hint=_USE_PARAMETERS,
        )
    tokens: list[Token] = []
    kept = ""
    for kind, part in _pieces(text):
        if kind == "comment":
            kept += "\n" if "\n" in part else " "
            continue
        if kind != "space":
            tokens.append(Token(kind, part, len(kept)))  # type: ignore[arg-type]
        kept += part
    if not tokens:
        raise UsageError("The statement is empty.", hint="Try: MATCH (n) RETURN count(n)")
    _check_brackets(tokens)
    return Statement(tuple(tokens), kept)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or _runs_on(match, text):
            raise _unreadable(text, position)
        assert match.lastgroup is not None
        yield match.lastgroup, match.group()
        position = match.end()


def _runs_on(match: "re.Match[str]", text: str) -> bool:
    """Tell whether a number, text or name is followed at once by what could belong to it."""
    after = text[match.end() : match.end() + 1]
    if match.lastgroup == "number":
        dotted = after == "." and text[match.end() + 1 : match.end() + 2] != "."
        return dotted or after == "_" or (after.isascii() and after.isalnum())
    if match.lastgroup in ("text", "name"):
        return after in ("'", '"', "`") or (after.isascii() and after.isalnum())
    return False


def _unreadable(text: str, position: int) -> UsageError:
    character = text[position]
    place = f"at character {position + 1}"
    if character in "'\"":
        return UsageError(
            f"A text {place} has no end, or an escape other than \\' \\\" \\\\ \\n \\r \\t.",
            hint=_USE_PARAMETERS,
        )
    if character == "`":
        return UsageError(
            f"A name in back-ticks {place} has no end, or holds a back-tick, backslash or line end."
        )
    if character == ";":
        return UsageError("One statement at a time; there is a semicolon in the middle.")
    if text.startswith("/*", position):
        return UsageError(f"A comment {place} has no end.")
    if character.isdigit() and character.isascii():
        return UsageError(f"A number {place} runs on into something else.")
    if character.isascii() and character.isprintable():
        return UsageError(f"The character {character!r} {place} means nothing in a statement.")
    name = unicodedata.name(character, "a control character")
    return UsageError(
        f"U+{ord(character):04X} ({name}) {place} is allowed only inside quotes.",
        hint="Write keywords in plain letters, and names with others in back-ticks.",
    )


def _check_brackets(tokens: list[Token]) -> None:
    open_ones: list[str] = []
    for token in tokens:
        if token.kind != "sign":
            continue
        if token.text in _PAIRS.values():
            open_ones.append(token.text)
        elif token.text in _PAIRS and (not open_ones or open_ones.pop() != _PAIRS[token.text]):
            raise UsageError(f"A {token.text!r} closes nothing.")
        if len(open_ones) > MAX_DEPTH:
            raise UsageError(f"Brackets nest deeper than {MAX_DEPTH}.")
    if open_ones:
        raise UsageError(f"A {open_ones[-1]!r} is not closed.")
