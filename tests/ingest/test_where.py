"""Filters in words: what they hold for, and what is no filter."""

from collections.abc import Collection
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepladder.ingest.where import Condition, Fact, Filter, parse_where
from stepladder.kg.errors import StepladderError, UsageError

FIELDS = ("distiller", "project", "steps", "model")
FACTS: dict[str, Collection[Fact]] = {
    "distiller": ["llm", "rules"],
    "project": ["acme/api"],
    "steps": [12],
    "model": [""],
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("", True),
        ("distiller = 'rules'", True),
        ("distiller='rules'", True),
        ('distiller = "RULES"', True),
        ("distiller = agent", False),
        ("distiller != 'rules'", False),
        ("distiller != 'agent'", True),
        ("project ~ acme and steps > 11", True),
        ("project ~ 'acme' AND steps > 12", False),
        ("steps >= 12 AND steps <= 12 AND steps = 12", True),
        ("steps < 100", True),
        ("steps = many", False),
        ("model = ''", True),
        ("project = 'it''s'", False),
    ],
)
def test_a_filter_holds_where_all_its_conditions_do(text: str, holds: bool) -> None:
    assert parse_where(text, fields=FIELDS).holds(FACTS) is holds


def test_a_quote_is_doubled_inside_quotes() -> None:
    found = parse_where("project = 'it''s; DROP TABLE node --'", fields=FIELDS)
    assert found == Filter((Condition("project", "=", "it's; DROP TABLE node --"),))


@pytest.mark.parametrize(
    "text",
    [
        "distiller",
        "distiller =",
        "= rules",
        "distiller = 'rules",
        "distiller = rules AND",
        "distiller = rules OR steps > 1",
        "distiller = rules steps > 1",
        "distiller == rules",
        "'distiller' = rules",
        "a" * 3000,
    ],
)
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="Not a filter"):
        parse_where(text, fields=FIELDS)


def test_an_unknown_field_is_named_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"'projekt'\. Did you mean 'project'"):
        parse_where("projekt = a", fields=FIELDS)


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error_of_ours(text: str) -> None:
    with suppress(StepladderError):
        parse_where(text, fields=FIELDS).holds(FACTS)
