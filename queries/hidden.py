"""Statements that do not see the nodes a store keeps for itself."""

from collections.abc import Iterator, Sequence
from typing import Final

from .statement import Statement, Token

_OPEN: Final = ("(", "[", "{")
_CLOSE: Final = (")", "]", "}")
_AFTER_PATTERNS: Final = frozenset(
    ("WHERE", "RETURN", "WITH", "UNWIND", "CALL", "OPTIONAL", "ORDER", "SKIP", "LIMIT", "UNION")
)
_PATTERN_FUNCTIONS: Final = ("SHORTESTPATH", "ALLSHORTESTPATHS")
_COUNTED: Final = ("EXISTS", "COUNT")


def without_labels(statement: Statement, labels: Sequence[str]) -> str:
    """The statement, where a pattern that begins with any node begins with one of no such label.

    These nodes are linked to no others, so the first node of a pattern decides for all of it.
    """
    if not labels:
        return statement.text
    test = ":" + "&".join(f"!{label}" for label in labels)
    text = statement.text
    for place in reversed(list(_unlabelled(statement.tokens))):
        text = text[:place] + test + text[place:]
    return text


def _unlabelled(tokens: Sequence[Token]) -> Iterator[int]:
    """Where in the text a label belongs, for each pattern whose first node has none."""
    depth = 0
    matching: list[int] = []  # depths of the MATCH clauses we are in
    for place, token in enumerate(tokens):
        if token.text in _CLOSE:
            depth -= 1
            while matching and matching[-1] > depth:
                matching.pop()
        elif token.upper == "MATCH":
            if not (matching and matching[-1] == depth):
                matching.append(depth)
        elif token.upper in _AFTER_PATTERNS and matching and matching[-1] == depth:
            matching.pop()
        if token.text == "(" and _begins_pattern(tokens, place, depth, matching):
            after_name = place + 1 + (tokens[place + 1].kind in ("word", "name"))
            if tokens[after_name].upper in (")", "{", "WHERE"):
                yield tokens[after_name].start
        if token.text in _OPEN:
            depth += 1


def _begins_pattern(
    tokens: Sequence[Token], place: int, depth: int, matching: Sequence[int]
) -> bool:
    before = tokens[place - 1] if place else None
    if before is None:
        return False
    if before.text == "{":
        return place >= 2 and tokens[place - 2].upper in _COUNTED
    clause = matching[-1] if matching else None
    if before.text == "(":
        return clause == depth - 1 and tokens[place - 2].upper in _PATTERN_FUNCTIONS
    in_clause = clause == depth
    return in_clause and (before.upper == "MATCH" or before.text in (",", "="))
