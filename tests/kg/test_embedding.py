"""The static embedder and its tokeniser."""

import json
import unicodedata
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stepladder.kg.embedding import static
from stepladder.kg.embedding.static import StaticEmbedder
from stepladder.kg.embedding.wordpiece import WordPiece
from stepladder.kg.errors import EmbeddingError

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("static_golden.json")
VOCABULARY = (ROOT / "kg/embedding/vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
TEXTS = st.lists(st.text(max_size=60), max_size=12)

embedder = StaticEmbedder()
wordpiece = WordPiece(VOCABULARY, limit=10_000)


# Made with the package `tokenizers` (BertNormalizer, BertPreTokenizer, WordPiece) and vocab.txt.
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", []),
        ("  \t\n", []),
        (
            "Always re-run the tests after an edit.",
            [2467, 2128, 1011, 2448, 1996, 5852, 2044, 2019, 10086, 1012],
        ),
        (
            "parser/_lexer.py:42: SyntaxError",
            [
                11968,
                8043,
                1013,
                1035,
                17244,
                2121,
                1012,
                1052,
                2100,
                1024,
                4413,
                1024,
                20231,
                2121,
                29165,
            ],
        ),
        (
            "Naïve Ünïcode — “quoted” … 東京 tower ✓",
            [15743, 27260, 1517, 1523, 9339, 1524, 1529, 1879, 1755, 3578, 100],
        ),
        (
            "ＦＵＬＬ ﬁne ½ İstanbul ΣΑΣ",
            [100, 1984, 2638, 1092, 9960, 1173, 14608, 29733],
        ),
        (
            "\x1b[31mFAILED\x1b[0m test_x",
            [1031, 2861, 2213, 7011, 18450, 1031, 1014, 2213, 3231, 1035, 1060],
        ),
        (
            "zero\u200bwidth soft\u00adhyphen \ufffd",
            [5717, 9148, 11927, 2232, 3730, 10536, 8458, 2368],
        ),
        ("x" * 101 + " y", [100, 1061]),
    ],
)
def test_texts_are_cut_into_the_pieces_of_bert(text: str, ids: list[int]) -> None:
    assert wordpiece.ids(text).tolist() == ids


@given(st.text(max_size=80))
@example("a\x00b\x1fc d\u2028e\u00a0f")
@example("漢字kana" + "q" * 120)
def test_the_fast_tokeniser_equals_a_plain_one(text: str) -> None:
    assert wordpiece.ids(text).tolist() == plain_ids(text)
    assert wordpiece.ids(text).tolist() == plain_ids(text), "the second time comes from memory"


def test_no_more_pieces_than_the_limit_are_read() -> None:
    cut = WordPiece(VOCABULARY, limit=3)
    text = "one.two three four five"
    assert cut.ids(text).tolist() == wordpiece.ids(text).tolist()[:3]


def test_a_full_memory_changes_no_answer() -> None:
    small = WordPiece(["[UNK]", "a", "b", "##a", "##b"])
    for number in range(60_000):
        small.ids(format(number, "b").replace("0", "a").replace("1", "b"))
    assert small.ids("abab ab").tolist() == [1, 4, 3, 4, 1, 4]
    assert small.ids("bbbbbbbbbbbbbbbbbbaa").tolist() == [2] + [4] * 17 + [3] * 2


def test_the_vectors_are_those_of_the_first_release() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    vectors = embedder.encode(list(golden))
    np.testing.assert_allclose(vectors, np.array(list(golden.values())), rtol=0, atol=1e-6)


@given(TEXTS)
def test_a_text_has_the_same_vector_alone_and_in_a_batch(texts: list[str]) -> None:
    together = embedder.encode(texts)
    alone = [embedder.encode([text])[0] for text in texts]
    assert together.shape == (len(texts), 256)
    assert together.dtype == np.float32
    assert all(np.array_equal(row, single) for row, single in zip(together, alone, strict=True))


@given(TEXTS)
def test_rows_have_length_one_or_are_zero_where_there_is_no_word(texts: list[str]) -> None:
    lengths = np.linalg.norm(embedder.encode(texts), axis=1)
    expected = [1.0 if len(wordpiece.ids(text)) else 0.0 for text in texts]
    np.testing.assert_allclose(lengths, expected, atol=1e-6)


def test_a_paraphrase_is_nearer_than_another_subject() -> None:
    lesson, paraphrase, other = embedder.encode(
        [
            "Run the whole test suite before submitting a patch.",
            "Before you hand in a fix, execute all unit tests.",
            "Rotate the image by ninety degrees and crop the border.",
        ]
    )
    assert lesson @ paraphrase > 0.4 > 0.3 > lesson @ other


def test_the_centre_is_what_its_script_computes(shared_data: Path) -> None:
    spec = spec_from_file_location("embedding_centre", ROOT / "scripts" / "embedding_centre.py")
    assert spec is not None
    assert spec.loader is not None
    script = module_from_spec(spec)
    spec.loader.exec_module(script)
    np.testing.assert_allclose(embedder.centre, script.compute(shared_data / "eval"), atol=1e-6)


def test_the_centre_is_shorter_than_the_vectors_it_is_the_mean_of() -> None:
    assert embedder.centre.shape == (256,)
    assert embedder.centre.dtype == np.float32
    assert 0.1 < np.linalg.norm(embedder.centre) < 0.9


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 torn", b"text"])
def test_a_missing_or_torn_model_file_says_how_to_mend_it(
    content: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.npz"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(static, "_TABLE", path)
    with pytest.raises(EmbeddingError, match=r"table\.npz") as caught:
        StaticEmbedder().encode(["text"])
    assert caught.value.hint == "Install again: pip install --force-reinstall stepladder"


def plain_ids(text: str) -> list[int]:
    """BERT's tokeniser letter by letter, as its authors describe it."""
    place = {piece: number for number, piece in enumerate(VOCABULARY)}
    words: list[str] = []
    word = ""
    for char in text + " ":
        if char.isspace():
            words, word = [*words, word], ""
            continue
        if unicodedata.category(char) in ("Cc", "Cf") or char == "\ufffd":
            continue
        for letter in unicodedata.normalize("NFD", char.lower()):
            kind = unicodedata.category(letter)
            if kind == "Mn":
                continue
            symbol = letter.isascii() and kind[0] == "S"
            if kind[0] == "P" or symbol or is_ideograph(ord(letter)):
                words, word = [*words, word, letter], ""
            else:
                word += letter
    ids: list[int] = []
    for word in filter(None, words):
        pieces: list[int] = []
        rest, prefix = word, ""
        while rest:
            known = [n for n in range(len(rest), 0, -1) if prefix + rest[:n] in place]
            if not known or len(word) > 100:
                pieces = [place["[UNK]"]]
                break
            pieces.append(place[prefix + rest[: known[0]]])
            rest, prefix = rest[known[0] :], "##"
        ids += pieces
    return ids


def is_ideograph(code: int) -> bool:
    blocks = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F))
    return any(first <= code <= last for first, last in blocks)
