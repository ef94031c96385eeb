"""Words as numbers: tokenizer, numbers of terms, counts."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepladder.kg.terms import TermCounts, count_terms, term_id, tokenize

TEXTS = st.text(st.characters(), max_size=200)
"""Any characters, lone surrogates and NUL among them."""


def counts_of(terms: TermCounts) -> dict[int, tuple[int, int]]:
    rows = zip(terms.ids.tolist(), terms.key.tolist(), terms.full.tolist(), strict=True)
    return {id: (key, full) for id, key, full in rows}


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", ""),
        ("... --- !!!", ""),
        ("Running the tests, RUNS tested", "run the test run test"),
        ("caf\u00e9 na\u00efve \u0130stanbul", "cafe naiv istanbul"),
        ("snake_case node.js C++ 3.14 don't", "snake case node js c 3 14 don t"),
        ("\u6f22\u5b57 \u0444\u0430\u0439\u043b", "\u6f22\u5b57 \u0444\u0430\u0439\u043b"),
        ('AND OR NOT NEAR "quoted" (x) ^y*', "and or not near quot x y"),
        ("before\0after", "befor after"),
    ],
)
def test_text_is_split_into_stems(text: str, terms: str) -> None:
    assert tokenize(text) == terms.split()


def test_a_stem_need_not_be_its_own_stem() -> None:
    """Why the terms of a query must never be tokenized a second time."""
    assert tokenize("universities") == ["univers"]
    assert tokenize("generalisations") == ["generalis"]
    assert tokenize("generalis") == ["generali"]


def test_numbers_of_terms_never_change() -> None:
    """They are stored, so another number for the same term would lose every match."""
    numbers = {"": 634351890, "test": 435260276, "caf\u00e9": 3603235629}
    assert {term: term_id(term) for term in numbers} == numbers


@given(TEXTS)
def test_a_number_has_32_bits(text: str) -> None:
    assert 0 <= term_id(text) < 2**32


def test_counts_tell_the_key_from_the_whole_text() -> None:
    terms = count_terms("Run tests", "Run tests\nTests that ran are run again")
    assert counts_of(terms) == {
        term_id("run"): (1, 2),
        term_id("test"): (1, 2),
        term_id("that"): (0, 1),
        term_id("ran"): (0, 1),
        term_id("ar"): (0, 1),
        term_id("again"): (0, 1),
    }
    assert (terms.key_length, terms.full_length) == (2, 8)


def test_a_count_is_cut_at_255_and_the_length_is_not() -> None:
    terms = count_terms("go " * 300, "go " * 900)
    assert counts_of(terms) == {term_id("go"): (255, 255)}
    assert (terms.key_length, terms.full_length) == (300, 900)


def test_a_text_without_words_has_no_terms() -> None:
    terms = count_terms("", "?!")
    assert (terms.ids.tolist(), terms.key_length, terms.full_length) == ([], 0, 0)


@given(TEXTS, TEXTS)
def test_counts_are_those_of_the_tokens(key: str, content: str) -> None:
    full = f"{key}\n{content}"
    terms = count_terms(key, full)
    assert terms.ids.dtype == np.uint32
    assert terms.key.dtype == terms.full.dtype == np.uint8
    assert terms.ids.tolist() == sorted(set(terms.ids.tolist()))
    in_key = Counter(term_id(t) for t in tokenize(key))
    in_full = Counter(term_id(t) for t in tokenize(full))
    assert counts_of(terms) == {id: (in_key[id], in_full[id]) for id in in_full}
    assert (terms.key_length, terms.full_length) == (in_key.total(), in_full.total())
