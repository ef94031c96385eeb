"""From the text of a shell line to its simple commands, by tree-sitter's Bash grammar."""

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from .programs import names

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_CODE_BYTES = 16_000
"""Bytes of a line that are parsed, here-doc bodies of longer lines not counted.

The grammar needs quadratic time for long pipelines: 0.4 s at this size on one core, minutes at
1 MB. Source: measured; the longest of 16,694 public commands has 15,230 characters.
"""
_MAX_HEREDOCS = 64


@dataclass(slots=True)
class Call:
    """A command under construction."""

    words: list[str] = field(default_factory=list)
    assigns: list[tuple[str, str]] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    heredoc: str = ""
    background: bool = False
    piped: bool = False
    wrapper: list[str] = field(default_factory=list)


@cache
def _parser() -> "Parser":
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def calls_of(text: str) -> list[Call]:
    """Return the simple commands of `text` in order, wrappers still on."""
    text = text.replace("\r\n", "\n").replace("\0", " ").replace("\x1a", " ")
    bodies: dict[str, str] = {}
    if len(text) > MAX_CODE_BYTES:
        text, bodies = _without_bodies(text)
    source = text.encode("utf-8", "replace")
    if len(source) > MAX_CODE_BYTES:
        source = source[:MAX_CODE_BYTES].decode("utf-8", "ignore").encode()
    return _walk(_parser().parse(source).root_node, bodies) if source.strip() else []


_HEREDOC = re.compile(r"<<-?[ \t]{0,9}(?P<quote>['\"]?)(?P<tag>\w{1,80})(?P=quote)[^\n]{0,300}\n")


def _without_bodies(text: str) -> tuple[str, dict[str, str]]:
    """Put a short mark in the place of each here-doc body; return the text and mark -> body."""
    bodies: dict[str, str] = {}
    pieces: list[str] = []
    start = 0
    for _ in range(_MAX_HEREDOCS):
        opening = _HEREDOC.search(text, start)
        if not opening:
            break
        closing = re.compile(rf"^[ \t]{{0,40}}{opening['tag']}[ \t]{{0,40}}$", re.MULTILINE)
        end = closing.search(text, opening.end())
        pieces.append(text[start : opening.end()])
        start = opening.end()
        if end:
            mark = f"\x1a{len(bodies)}\n"
            bodies[mark] = text[start : end.start()]
            pieces.append(mark)
            start = end.start()
    return "".join([*pieces, text[start:]]), bodies


_CONTAINERS = names(
    "program list pipeline negated_command subshell compound_statement if_statement elif_clause "
    "else_clause for_statement c_style_for_statement while_statement case_statement case_item "
    "do_group function_definition redirected_statement ERROR"
)
_REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})


def _walk(root: "Node", bodies: dict[str, str]) -> list[Call]:
    """Collect the commands below `root` with a stack of our own: nesting may be very deep."""
    calls: list[Call] = []
    stack: list[tuple[Node, bool, bool]] = [(root, False, False)]
    while stack:
        node, piped, background = stack.pop()
        kind = node.type
        if kind in _CONTAINERS:
            if kind == "redirected_statement" and not node.child_by_field_name("body"):
                calls.append(Call(piped=piped, background=background))
            stack.extend(reversed(_children(node, piped, background)))
        elif kind in _REDIRECTS:
            if calls:
                later = _redirect(calls[-1], node, bodies)
                stack.extend((child, piped, background) for child in reversed(later))
        else:
            call, later = _call(node)
            if call.words or call.assigns:
                call.piped, call.background = piped, background
                calls.append(call)
            stack.extend((child, piped, background) for child in reversed(later))
    return calls


def _children(node: "Node", piped: bool, background: bool) -> list[tuple["Node", bool, bool]]:
    """Return the statements inside a compound node with their place in pipes and background."""
    found: list[tuple[Node, bool, bool]] = []
    for child in node.children:
        kind = child.type
        if kind in _CONTAINERS or kind in _REDIRECTS or kind in _CALLS:
            found.append((child, piped, background))
        elif kind in ("|", "|&"):
            piped = True
        elif kind == "&" and found:
            found[-1] = (*found[-1][:2], True)
    return found


_CALLS = names(
    "command declaration_command unset_command test_command variable_assignment "
    "variable_assignments"
)


def _call(node: "Node") -> tuple[Call, list["Node"]]:
    """Read one simple command; also return its child nodes that are to be walked after it."""
    call = Call()
    later: list[Node] = []
    if node.type == "test_command":
        call.words = ["test", _text(node)]
        return call, later
    for child in [node] if node.type == "variable_assignment" else node.children:
        if child.type == "variable_assignment":
            name = _text(child.child_by_field_name("name"))
            call.assigns.append((name, _word(child.child_by_field_name("value"))))
        elif child.type in _REDIRECTS or child.type == "subshell":
            later.append(child)
        elif child.end_byte > child.start_byte:
            inner = child.children[0] if child.type == "command_name" else child
            call.words.append(_word(inner))
    return call, later


def _redirect(call: Call, node: "Node", bodies: dict[str, str]) -> list["Node"]:
    """Add a redirect to `call`; return the nodes inside a here-doc's line that follow the call."""
    later: list[Node] = []
    if node.type == "herestring_redirect":
        call.heredoc = _word(node.children[-1])
        return later
    if node.type == "file_redirect":
        _file_redirect(call, node)
        return later
    written = False
    for child in node.children:
        if child.type == "heredoc_body":
            body = _text(child)
            call.heredoc = bodies.get(body, body)
        elif child.type == "file_redirect":
            _file_redirect(call, child)
        elif child.type == "ERROR":
            # After an argument the grammar does not know `>`: `cat <<EOF - > file`.
            written = _text(child).startswith(">")
        elif child.type in _CONTAINERS | _CALLS:
            later.append(child)
        elif child.is_named and child.type not in _HEREDOC_MARKS:
            (call.writes if written else call.words).append(_word(child))
            written = False
    return later


_HEREDOC_MARKS = frozenset({"heredoc_start", "heredoc_end", "heredoc_body", "file_descriptor"})


def _file_redirect(call: Call, node: "Node") -> None:
    operator = next((c.type for c in node.children if not c.is_named), "")
    targets = [_word(child) for child in node.children_by_field_name("destination")]
    if not targets:
        return
    target, *rest = targets
    call.words.extend(rest)
    if operator == "<":
        call.reads.append(target)
    elif operator.startswith((">", "&>")) and not (operator == ">&" and target.isdigit()):
        call.writes.append(target)


def _text(node: "Node | None") -> str:
    text = node.text if node else None
    return text.decode("utf-8", "replace") if text else ""


_WINDOWS_PATH = re.compile(r"(?:[A-Za-z]:|\.{1,2})\\\w")
_ANSI = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


def _word(node: "Node | None") -> str:
    """Return the word that the shell would see, its variables unexpanded."""
    if node is None:
        return ""
    if node.type == "concatenation":
        return "".join(_piece(child.type, _text(child)) for child in node.children)
    return _piece(node.type, _text(node))


def _piece(kind: str, text: str) -> str:
    if kind == "raw_string":
        return text[1:-1]
    if kind in ("string", "translated_string"):
        inner = text[text.find('"') + 1 :]
        return re.sub(r'\\(?:([$`"\\])|\n)', r"\1", inner.removesuffix('"'))
    if kind == "ansi_c_string":
        return re.sub(r"\\(.)", lambda m: _ANSI.get(m[1], m[1]), text[2:-1], flags=re.DOTALL)
    if kind == "word" and "\\" in text and not _WINDOWS_PATH.match(text):
        return re.sub(r"\\(?:([^\n])|\n)", r"\1", text)
    return text
