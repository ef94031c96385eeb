"""Words of a task text and their weights."""

import math

import numpy as np

from stepladder.kg.protocols import TermStatistics
from stepladder.kg.terms import term_id, tokenize
from stepladder.queries.terms import FULL_TERMS, Word, read_words, surfaces, weigh


def statistics(memories: int, **frequencies: tuple[int, int]) -> TermStatistics:
    return TermStatistics(
        memories=memories,
        traces=0,
        mean_key_length=10.0,
        mean_full_length=100.0,
        document_frequency={term_id(tokenize(w)[0]): df for w, df in frequencies.items()},
    )


def test_words_are_stems_counted_once_each_without_stop_words() -> None:
    words = read_words("The parser fails: the parsers of dates should not fail")
    assert list(words.values()) == [Word("parser", 2), Word("fail", 2), Word("date", 1)]
    assert list(words) == [term_id("parser"), term_id("fail"), term_id("date")]


def test_a_text_of_stop_words_or_nothing_asks_for_nothing() -> None:
    assert read_words("") == {}
    assert read_words("it should not be that") == {}
    assert weigh(read_words("to be or not to be"), statistics(5)).words == ()


def test_question_words_are_kept_as_they_tell_kinds_of_task_apart() -> None:
    assert [w.stem for w in read_words("Who wrote it, and when?").values()] == [
        "who",
        "wrote",
        "when",
    ]


def test_the_order_is_by_frequency_in_the_text_times_rarity_in_the_store() -> None:
    known = statistics(1000, file=(300, 800), lexer=(1, 3), token=(5, 40))
    terms = weigh(read_words("file file file token token lexer unheard"), known)

    def idf(df: int) -> float:
        return math.log1p((1000 - df + 0.5) / (df + 0.5))

    assert [w.stem for w in terms.words] == ["unheard", "lexer", "token", "file"]
    np.testing.assert_allclose(terms.full_idf, [idf(0), idf(3), idf(40), idf(800)])
    np.testing.assert_allclose(terms.key_idf, [idf(0), idf(1), idf(5), idf(300)])
    assert terms.ids.tolist() == [term_id(w.stem) for w in terms.words]
    assert terms.self_weight == terms.full_idf.sum()


def test_only_the_heaviest_words_are_compared_with_whole_texts() -> None:
    text = " ".join(f"word{n}" for n in range(50))
    terms = weigh(read_words(text), statistics(100))
    assert len(terms.words) == 50
    assert len(terms.heaviest) == FULL_TERMS
    assert terms.self_weight == terms.full_idf[:FULL_TERMS].sum()


def test_a_word_in_more_memories_than_counted_still_has_a_weight_above_zero() -> None:
    terms = weigh(read_words("stale"), statistics(3, stale=(9, 9)))
    assert (terms.full_idf > 0).all()


def test_an_endless_text_is_cut() -> None:
    words = read_words("needles " + "hay " * 100_000 + "lost")
    assert [w.stem for w in words.values()] == ["needl", "hai"]


def test_stems_are_shown_as_they_were_first_written() -> None:
    assert surfaces("Databases of a database")["databas"] == "Databases"
