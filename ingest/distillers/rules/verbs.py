"""Verbs in which people ask for work and report it, and the forms they come in."""

from collections.abc import Iterator
from typing import Final

from ...shell.programs import names

CHANGES: Final = names(
    "fix modify replace change update add remove move rename implement refactor rewrite correct "
    "adjust introduce convert extend handle improve switch drop delete create make set wrap guard "
    "simplify extract restore split merge resolve patch reorder align bump document write "
    "configure enable disable prevent pass use catch escape normalize include exclude build "
    "install apply override check raise return skip strip"
)
"""What somebody does who changes something."""

ASKS: Final = names(
    "review audit release publish tag commit push rebase land ship debug repair solve address "
    "investigate unify migrate clean consolidate deduplicate port test cover verify validate run "
    "execute deploy provision describe explain show find tell list analyse analyze look understand "
    "explore summarize summarise read search compare identify count query calculate compute "
    "support allow generate develop integrate design scaffold initialize initialise bootstrap "
    "translate decrypt decode crack exploit bypass solve plan decide check help start stop close "
    "open copy print store apply download upload train evaluate benchmark optimize optimise "
    "reproduce research examine inspect determine answer walk figure trace"
)
"""What somebody asks for."""

_IRREGULAR: Final = {
    "built": "build", "made": "make", "wrote": "write", "written": "write", "ran": "run",
    "found": "find", "told": "tell", "shown": "show", "rewrote": "rewrite",
    "rewritten": "rewrite", "understood": "understand", "caught": "catch",
}  # fmt: skip


def _forms(verb: str) -> Iterator[str]:
    """Every spelling that a regular verb may have; a few of them are no words, which does no harm.

    >>> sorted(set(_forms("fix")))
    ['fix', 'fixed', 'fixes', 'fixing', 'fixs', 'fixxed', 'fixxing']
    """
    stem = verb[:-1] if verb.endswith("e") else verb
    yield from (verb, f"{verb}s", f"{stem}ed", f"{stem}ing")
    yield f"{verb}es" if not verb.endswith("e") else f"{verb}d"
    if verb.endswith("y"):
        yield from (f"{verb[:-1]}ies", f"{verb[:-1]}ied")
    elif stem == verb:
        yield from (f"{verb}{verb[-1]}ed", f"{verb}{verb[-1]}ing")


_BASES: Final = {form: verb for verb in sorted(CHANGES | ASKS) for form in _forms(verb)}
_BASES.update(_IRREGULAR)


def base_form(word: str) -> str:
    """The base form of a known verb in any of its forms; other words stay as they are.

    >>> [base_form(w) for w in ("replaced", "stopping", "fixes", "ran", "using", "spring")]
    ['replace', 'stop', 'fix', 'run', 'use', 'spring']
    """
    return _BASES.get(word, word)
