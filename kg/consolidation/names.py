"""Names that a text is about: tools, languages and services, identifiers, numbers."""

import re
from functools import cache
from importlib.resources import files
from typing import Final

_WORD: Final = re.compile(r"[.@]?[A-Za-z0-9][A-Za-z0-9_]*(?:[-./+#][A-Za-z0-9_]+)*[+#]{0,2}")
_CODE: Final = re.compile(r"`([^`\n]{1,120})`")
_INTERPRETER: Final = re.compile(r"\bpython3(?:\.\d+)?\b")
_PLACEHOLDER: Final = re.compile(r"<[\w .-]+>|\{[\w .-]+\}")
_IDENTIFIER: Final = re.compile(
    r"(?<![\w-])(?:--?[a-z][\w-]*(?![\w-])"  # an option
    r"|[A-Za-z]\w*_\w+"  # snake_case
    r"|_+[A-Za-z]\w*"
    r"|[a-z]+[a-z0-9]*[A-Z]\w*"  # camelCase
    r"|(?:[A-Z][a-z0-9]+){2,}"  # PascalCase
    r"|[A-Za-z_]\w*\(\)?"  # a call
    r"|[\w-]+\.[a-z]{1,5}(?![\w.])"  # a file
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)"  # dotted
)
_NUMBER: Final = re.compile(r"(?<![\w.])\d{1,6}(?![\w.]|\.\d)(?!\s*%)|(?<![\w.])\d{1,3}(?=%)")
_NUMBER_WORD: Final = re.compile(
    r"\b(?:(two)|(three)|(four)|(five)|(six)|(seven)|(eight)|(nine)|(ten)|(eleven)|(twelve))\b",
    re.IGNORECASE,
)
_LONGEST_NAME: Final = 3
_SHORTEST: Final = 2
_EXAMPLE: Final = re.compile(
    r"\b(?:e\.g\.|for example|such as|like|including)(?:[^;().]|\.(?=\S))*", re.IGNORECASE
)
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;]\s+|\n\s*)$")


def names_in(text: str) -> frozenset[str]:
    """The tools, languages and services that a text names, each by its first spelling."""
    known = _known_names()
    words = list(_WORD.finditer(text))
    found: set[str] = set()
    place = 0
    while place < len(words):
        for length in range(min(_LONGEST_NAME, len(words) - place), 0, -1):
            last = words[place + length - 1]
            said = text[words[place].start() : last.end()]
            name = known.get(" ".join(said.lower().split()))
            if name and _is_meant(name, text, words[place].start(), said):
                found.add(name[0])
                place += length
                break
        else:
            place += 1
    return frozenset(found)


def without_examples(text: str) -> str:
    """A text without what follows "e.g.", "such as" and the like, up to the end of the clause."""
    return _EXAMPLE.sub(" ", text)


def identifiers_in(text: str) -> dict[str, str]:
    """Names from code in a text, as written, by their form without capitals and punctuation.

    Code in backticks counts as a whole, without what stands in it for something else, such as
    `<file>`.
    """
    spans = code_in(text)
    plain = _IDENTIFIER.findall(_CODE.sub(" ", text))
    found = {_folded(s): s for s in (*spans, *plain) if s.lower() not in _known_names()}
    return {folded: s for folded, s in found.items() if len(folded) > _SHORTEST}


def code_in(text: str) -> list[str]:
    """The code in backticks in a text, in order, without what stands in it for something else."""
    spans = (_PLACEHOLDER.sub(" ", _INTERPRETER.sub("python", s)) for s in _CODE.findall(text))
    return [" ".join(s.split()) for s in spans]


def placeholders_in(text: str) -> frozenset[str]:
    """What stands for something else in the code of a text, such as `<file>`."""
    return frozenset(p for s in _CODE.findall(text) for p in _PLACEHOLDER.findall(s))


def numbers_in(text: str) -> frozenset[str]:
    """Whole numbers from 0 and number words from two on; versions are no numbers."""
    words = {str((m.lastindex or 0) + 1) for m in _NUMBER_WORD.finditer(text)}
    return frozenset({*_NUMBER.findall(text), *words})


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


def _is_meant(name: tuple[str, bool], text: str, start: int, said: str) -> bool:
    """Tell whether a word that is an English word too stands here as a name.

    Such a name counts where it has its capital inside a sentence, or where it begins one and
    another name or a capital follows.
    """
    _, cased = name
    if not cased:
        return True
    if not said[:1].isupper():
        return False
    return not _SENTENCE_START.search(text[:start])


@cache
def _known_names() -> dict[str, tuple[str, bool]]:
    """Every spelling in small letters, with its name and whether it needs its capital."""
    known: dict[str, tuple[str, bool]] = {}
    source = files(__package__).joinpath("names.txt").read_text(encoding="utf-8")
    for line in source.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        spellings = [s.strip() for s in line.split(",")]
        for spelling in spellings:
            known[spelling.lower()] = (spellings[0].lower(), spelling[:1].isupper())
    return known
