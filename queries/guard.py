"""What a statement must be before any store sees it: one that reads, in the portable dialect.

It is the first of two bars; the second is the store's own (a read-only view, read access mode).
"""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

from ..kg.errors import UsageError
from .dialect import dialect
from .statement import Statement, Token, read

_ONLY_READS: Final = "Change the graph with stepladder ingest, import, consolidate or forget."
_DIALECT: Final = "What may stand in a statement is in docs/cypher.md."
_OPENING: Final = ("(", "[", "{")
_CLOSING: Final = (")", "]", "}")
_BEFORE_PATTERN: Final = ("MATCH", "WHERE", "AND", "OR", "NOT", "XOR")
_INTEGERS: Final = range(-(2**63), 2**63)
_PARAMETER_DEPTH: Final = 20


def check(statement: str, parameters: Mapping[str, Any]) -> Statement:
    """Return the statement as it may be run: without comments and closing semicolon.

    Raises:
        UsageError: it does more than read, is not in the portable dialect, or a parameter is
            missing or no JSON value.
    """
    found = read(statement)
    for place in range(len(found.tokens)):
        _check_word(found.tokens, place)
    _check_pattern_maps(found.tokens)
    _check_parameters(found, parameters)
    return found


def names_of_parameters(statement: str) -> tuple[str, ...]:
    """The parameters a statement uses, in the order in which they first stand there."""
    tokens = read(statement).tokens
    return tuple(dict.fromkeys(t.text[1:] for t in tokens if t.kind == "parameter"))


def _check_word(tokens: tuple[Token, ...], place: int) -> None:
    rules = dialect()
    token = tokens[place]
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if token.kind != "word":
        if place == 0:
            raise _unknown_start(token)
        if after is not None and after.text == "(" and token.kind in ("name", "parameter"):
            raise UsageError("Functions are called by their plain names.", hint=_DIALECT)
        if before is not None and token.kind != "sign" and _is_value(before):
            raise UsageError(f"{token.text} cannot follow {before.text}.", hint=_DIALECT)
        return
    if before is not None and before.text == ".":
        if after is not None and after.text == "(":
            _check_function(_dotted(tokens, place))
        return
    if token.upper in rules.refused:
        raise UsageError(rules.refused[token.upper].format(word=token.upper), hint=_ONLY_READS)
    if place == 0 and token.upper not in rules.start:
        raise _unknown_start(token)
    if before is not None and _is_value(before) and token.upper not in rules.continues:
        raise UsageError(f"{token.text} cannot follow {before.text}.", hint=_DIALECT)
    if token.upper == "CALL" and (after is None or after.text not in ("{", "(")):
        raise UsageError(
            "CALL of a procedure is not allowed; only of a sub-query: CALL { ... }.", hint=_DIALECT
        )
    if after is not None and after.text == "(" and token.upper not in rules.before_bracket:
        _check_function(token.text)


def _check_pattern_maps(tokens: tuple[Token, ...]) -> None:
    """Refuse `(b {id: a.id})`: kglite silently finds nothing where `a` is of the same clause."""
    open_ones: list[int] = []
    for place, token in enumerate(tokens):
        if token.text in _OPENING:
            open_ones.append(place)
        elif token.text in _CLOSING:
            open_ones.pop()
        elif token.text == "." and tokens[place - 1].kind in ("word", "name"):
            *outer, inner = [-1, *open_ones]
            if inner >= 0 and tokens[inner].text == "{" and _is_pattern(tokens, outer[-1]):
                access = f"{tokens[place - 1].text}.{tokens[place + 1].text}"
                raise UsageError(
                    f"{access} cannot stand in the map of a pattern; stores read it differently.",
                    hint=f"Write WITH {access} AS value before, or compare it in WHERE.",
                )


def _is_pattern(tokens: tuple[Token, ...], place: int) -> bool:
    """Tell whether the bracket at a place opens a node or a relationship."""
    if place < 1:
        return False
    before = tokens[place - 1]
    if tokens[place].text == "[":
        return before.text == "-"
    if tokens[place].text != "(":
        return False
    return before.text in ("-", ">", ",", "=", "(") or before.upper in _BEFORE_PATTERN


def _is_value(token: Token) -> bool:
    """Tell whether a token ends a value or a name, so that an operator or clause must follow."""
    if token.kind == "word":
        return token.upper in dialect().values or token.upper not in dialect().keywords
    return token.kind != "sign" or token.text in _CLOSING


def _dotted(tokens: tuple[Token, ...], place: int) -> str:
    """The name that ends at a place, with the parts before its dots."""
    parts = [tokens[place].text]
    while place >= 2 and tokens[place - 1].text == ".":
        place -= 2
        parts.insert(0, tokens[place].text)
    return ".".join(parts)


def _check_function(name: str) -> None:
    known = dialect().functions
    if name.lower() in known:
        return
    close = get_close_matches(name.lower(), known, n=1)
    guess = f" Did you mean {known[close[0]]}?" if close else ""
    raise UsageError(f"The function {name} is not in the portable dialect.{guess}", hint=_DIALECT)


def _unknown_start(token: Token) -> UsageError:
    *first, last = dialect().start
    return UsageError(
        f"A statement begins with {', '.join(first)} or {last}, not with {token.text}.",
        hint=_DIALECT,
    )


def _check_parameters(found: Statement, parameters: Mapping[str, Any]) -> None:
    used = dict.fromkeys(t.text[1:] for t in found.tokens if t.kind == "parameter")
    missing = [f"${name}" for name in used if name not in parameters]
    if missing:
        raise UsageError(
            f"No value for {', '.join(missing)}.", hint="Give it with --param name=value."
        )
    for name, value in parameters.items():
        _check_value(name, value)


def _check_value(name: str, value: Any, *, depth: int = 0) -> None:
    if depth > _PARAMETER_DEPTH:
        raise UsageError(f"The parameter {name} is nested too deeply.")
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        for inner in value.values():
            _check_value(name, inner, depth=depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            _check_value(name, inner, depth=depth + 1)
    elif isinstance(value, int) and value not in _INTEGERS:
        raise UsageError(f"The parameter {name} holds a number of more than 64 bits.")
    elif value is not None and not isinstance(value, str | bool | int | float):
        raise UsageError(f"The parameter {name} is no JSON value: {type(value).__name__}.")
