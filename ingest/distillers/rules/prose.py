"""Prose out of the texts that people and agents write: marks off, sentences apart; no parser."""

import re
from functools import lru_cache
from typing import Final

_MAX_CHARS: Final = 6000
"""Characters of a text that are looked at: what a task is about stands at its beginning."""

_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|<pre>.*?</pre>", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][\w-]{0,40}(?:\s[^<>\n]{0,120})?>")
_IMAGE = re.compile(r"!\[[^\]\n]{0,200}\]\([^)\n]{1,400}\)|\[image/\w+, \d+ bytes\]")
_LINK = re.compile(r"\[([^\]\n]{1,200})\]\([^)\n]{1,400}\)")
_ADDRESS = re.compile(r"<?https?://[^\s<>()\[\]\"']+>?")
_LEAD = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,3}[.)][ \t]+)"
)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_NAMED = (
    (re.compile(r"/issues/(\d+)"), "issue #{}"),
    (re.compile(r"/pull/(\d+)"), "pull request #{}"),
    (re.compile(r"/merge_requests/(\d+)"), "merge request #{}"),
    (re.compile(r"/actions/runs/(\d+)"), "a CI run"),
    (re.compile(r"/commit/([0-9a-f]{7,40})"), "a commit"),
)
FRAME = re.compile(
    r"\A(?:description|context|summary|overview|background|introduction|details?|bug report"
    r"|\(last modified by .*\)|initial checks|prerequisites?|checklist|environment|versions?"
    r"|(?:issue|hidden|problem) (?:text|statement|description|summary)|describe the (?:bug|issue)"
    r"|(?:steps )?to reproduce.*|(?:expected|actual|current)(?: behaviou?r| results?| output)?"
    r"|what happened|examples?|code|output|notes?|problem|issue|feature request|proposal|a link"
    r"|additional (?:context|information|details)|screenshots?|new issue)\W*\Z",
    re.IGNORECASE,
)
"""Lines that only head what follows."""

_ENDS = re.compile(r"(?<=[.!?])[\"')\]`]{0,2}\s+(?=[\"'(\[`]{0,2}[A-Z])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|Mr|Dr|No|fig|resp)\.|\.\.\.)\Z")
CODE_MARKS = re.compile(
    r"[{}<>=;\\|]|\w\([^)]*[,=]|\)\.\w|->|::|^\s*(?:def|class|import|from|return)\b|\w\.\w+\("
)
"""What prose does not hold."""


def plain(text: str) -> str:
    """Text without code blocks, comments, tags and list marks; addresses become what they are."""
    text = text[: _MAX_CHARS * 2].replace("\r\n", "\n").replace("\t", " ")
    for pattern in (_COMMENT, _CODE_BLOCK, _IMAGE):
        text = pattern.sub("\n\n", text)
    text = _LINK.sub(_label, text)
    text = _ADDRESS.sub(lambda match: _address_name(match[0]), text)
    text = _EMPHASIS.sub(r"\2", _TAG.sub(" ", text))
    return text[:_MAX_CHARS].strip()


def _label(match: re.Match[str]) -> str:
    label = match[1]
    return _address_name(label) if label.startswith("http") else label


def _address_name(address: str) -> str:
    """What an address leads to, as far as it says: `issue #12`, `a CI run`, else `a link`."""
    for pattern, name in _NAMED:
        if found := pattern.search(address):
            return name.format(found[1])
    return "a link"


def lines_of(text: str) -> list[str]:
    """The lines of plain text that hold something, without marks of lists and headings."""
    return [line for raw in text.split("\n") if (line := without_marks(raw))]


def without_marks(line: str) -> str:
    """A line without the marks that make it a heading, a quote or an item of a list."""
    before = ""
    while line != before:
        before, line = line, _LEAD.sub("", line, count=1)
    return line.strip().strip("*#").strip()


@lru_cache(maxsize=512)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text without its code and marks; headings and list items stand alone."""
    return tuple(s for block in _blocks(plain(text)) for s in split_sentences(block))


def _blocks(text: str) -> list[str]:
    """Paragraphs as one line each; a line that opens with a mark begins a new one."""
    blocks: list[str] = []
    open_block = False
    for raw in text.split("\n"):
        line = without_marks(raw)
        if not line:
            open_block = False
        elif open_block and not (_LEAD.match(raw) or FRAME.match(line)):
            blocks[-1] += f" {line}"
        else:
            blocks.append(line)
            open_block = not (raw.lstrip().startswith("#") or FRAME.match(line))
    return [" ".join(block.split()) for block in blocks]


def split_sentences(block: str) -> list[str]:
    """Split one paragraph where a full stop is followed by a capital, but not after `e.g.`."""
    found: list[str] = []
    for part in _ENDS.split(block):
        if found and _ABBREVIATION.search(found[-1]):
            found[-1] += f" {part}"
        elif part.strip():
            found.append(part.strip())
    return found


def cut(text: str, max_words: int) -> str:
    """The text, or its first words and an ellipsis."""
    words = text.split()
    if len(words) <= max_words:
        return " ".join(words)
    return " ".join(words[:max_words]).rstrip(",;:–-") + " …"
