"""The whole catalogue: what every card has to be, whoever wrote it."""

import re
from pathlib import Path

import pytest

from stepladder.ingest.distillers.rules.card import Card
from stepladder.ingest.distillers.rules.cards import catalogue
from stepladder.kg.types import KINDS, SHARED

HERE = Path(__file__).parent
CARDS = catalogue()

CLAIMS = re.compile(
    r"\b(?:improv\w*|ensur\w*|guarante\w*|help(?:s|ed|ful|ing)|success rates?|better results?)\b"
)
"""Words that promise what no card has shown."""
PATH = re.compile(r"(?<![\w<])(?:~|\.{0,2})/\w|\b\w+/\w+/|[A-Za-z]:\\")
URL = re.compile(r"https?:|www\.|\w@\w")
HASH = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b")
SENTENCE_END = re.compile(r"[.!?](?=\s|$)")
FAMILIES = (
    "claude code", "codex", "openhands", "swe-agent", "opencode", "gemini", "cursor", "copilot",
)  # fmt: skip


def texts(card: Card) -> tuple[str, ...]:
    return (
        card.title, card.situation, card.seen, card.advice, card.applies_when, card.not_when,
    )  # fmt: skip


def test_the_catalogue_is_ordered_by_names_that_are_unique() -> None:
    names = [card.name for card in CARDS]
    assert names == sorted(set(names))


def test_ids_of_insights_are_unique() -> None:
    assert len({card.insight_id for card in CARDS}) == len(CARDS)


def test_no_two_cards_have_the_same_title_or_advice() -> None:
    assert len({card.title for card in CARDS}) == len(CARDS)
    assert len({card.advice for card in CARDS}) == len(CARDS)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: str(card.name))
class TestCard:
    def test_its_name_is_the_one_of_its_module(self, card: Card) -> None:
        assert re.fullmatch(r"[a-z]+(?:-[a-z]+)*", card.name)
        assert card.detect.__module__.endswith("." + card.name.replace("-", "_"))

    def test_its_title_is_a_short_line(self, card: Card) -> None:
        assert 3 <= len(card.title.split()) <= 15
        assert card.title[0].isupper()
        assert not card.title.endswith(".")

    def test_it_says_in_sentences_what_was_seen_and_what_to_do(self, card: Card) -> None:
        for text in (card.seen, card.advice):
            assert text[0].isupper()
            assert text.endswith(".")
            assert 1 <= len(SENTENCE_END.findall(text)) <= 2

    def test_it_says_when_it_applies_and_when_not(self, card: Card) -> None:
        assert len(card.situation.split()) >= 6
        assert len(card.applies_when.split()) >= 3
        assert len(card.not_when.split()) >= 3

    def test_its_kind_is_one_of_the_ten(self, card: Card) -> None:
        assert card.kind in KINDS
        assert card.polarity in ("do", "avoid")

    def test_its_texts_name_no_place_and_no_person(self, card: Card) -> None:
        for text in texts(card):
            assert not PATH.search(text), text
            assert not URL.search(text), text
            assert not HASH.search(text), text
            assert sum(c.isdigit() for c in text) <= 4, text

    def test_its_texts_name_no_agent(self, card: Card) -> None:
        said = " ".join(texts(card)).lower()
        assert not [name for name in FAMILIES if name in said]

    def test_its_texts_claim_no_effect(self, card: Card) -> None:
        assert CLAIMS.findall(" ".join(texts(card)).lower()) == []

    def test_its_insight_may_be_read_by_every_project(self, card: Card) -> None:
        insight = card.insight()
        assert insight.scope == SHARED
        assert (insight.card, insight.polarity) == (card.name, card.polarity)
        assert insight.content == f"{card.seen} {card.advice}"

    def test_some_test_is_about_it(self, card: Card) -> None:
        tests = sorted(HERE.glob("test_cards_*.py"))
        assert any(f'"{card.name}"' in path.read_text(encoding="utf-8") for path in tests)
