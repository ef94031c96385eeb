"""Which key goes to which server."""

import pytest

from stepladder.kg.endpoint import NO_KEY, is_here, key_for
from stepladder.kg.errors import UsageError

OPENAI = {"OPENAI_API_KEY": "openais"}
THEIRS = {**OPENAI, "STEPLADDER_API_KEY": "theirs"}


@pytest.mark.parametrize(
    ("base_url", "environment", "key"),
    [
        ("", OPENAI, None),
        ("https://api.openai.com/v1", OPENAI, None),
        ("https://eu.api.openai.com/v1", OPENAI, None),
        ("http://api.openai.com/v1", OPENAI, NO_KEY),
        ("https://api.openai.com.example.org/v1", OPENAI, NO_KEY),
        ("https://example.org/api.openai.com", OPENAI, NO_KEY),
        ("https://openrouter.ai/api/v1", OPENAI, NO_KEY),
        ("http://localhost:11434/v1", OPENAI, NO_KEY),
        ("http://localhost:11434/v1", THEIRS, "theirs"),
        ("https://openrouter.ai/api/v1", THEIRS, "theirs"),
        ("", THEIRS, "theirs"),
        ("https://a.org/v1", {**OPENAI, "OPENAI_BASE_URL": "https://a.org/v1/"}, None),
        ("https://b.org/v1", {**OPENAI, "OPENAI_BASE_URL": "https://a.org/v1/"}, NO_KEY),
        ("", {"OPENAI_BASE_URL": "http://localhost:1/v1"}, NO_KEY),
    ],
)
def test_a_key_goes_to_the_server_it_belongs_to_and_to_no_other(
    base_url: str, environment: dict[str, str], key: str | None
) -> None:
    assert key_for(base_url, environment) == key


def test_a_key_can_be_named_and_must_be_there() -> None:
    environment = {**THEIRS, "MINE": "mine"}
    assert key_for("https://a.org/v1", environment, variable="MINE") == "mine"
    with pytest.raises(UsageError, match="holds no key"):
        key_for("https://a.org/v1", environment, variable="YOURS")


def test_a_server_on_this_machine_is_told_by_its_host() -> None:
    assert is_here("http://127.0.0.1:8080/v1")
    assert is_here("http://[::1]/v1")
    assert not is_here("https://localhost.example.org/v1")
