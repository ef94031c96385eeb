"""What stands against merging two texts, read off their words alone."""

from pathlib import Path
from typing import Final

import pytest

from stepladder.kg.consolidation.guards import Veto, marks, veto
from stepladder.kg.consolidation.wording import wording
from stepladder.kg.types import Insight

HERE: Final = Path(__file__).parent


def between(a: str, b: str) -> Veto | None:
    """What stands against merging two texts."""
    one, other = (Insight(id=t, created="", title=t, content=t) for t in (a, b))
    return veto(marks(one, wording(one)), marks(other, wording(other)))


def listed(name: str) -> list[tuple[str, str]]:
    """The pairs of a file."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [tuple(line.split(" | ", 1)) for line in lines if not line.startswith("#")]  # type: ignore[misc]


@pytest.mark.parametrize("name", ["opposites.txt", "swaps.txt"])
def test_of_made_up_pairs_that_must_stay_apart_nearly_all_are_kept_apart(name: str) -> None:
    pairs = listed(name)
    missed = [pair for pair in pairs if between(*pair) is None]
    assert len(missed) <= len(pairs) // 20, missed


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Never keep secrets in the repository.", "Never keep any secrets in the repository."),
        ("Profile before optimizing. Measure, don't guess.", "Profile before optimizing."),
        ("Run the tests with python3 -m pytest", "Run the tests with python -m pytest"),
    ],
)
def test_nothing_stands_between_two_ways_to_say_the_same(a: str, b: str) -> None:
    assert between(a, b) is None


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (
            "Wait for the replica to catch up before reading.",
            "Read from the replica right away, do not wait for it to catch up.",
            Veto("opposite", "one denies wait"),
        ),
        (
            "Give up after the third failed attempt.",
            "Keep trying after the third failed attempt.",
            Veto("opposite", "one forbids what the other asks for"),
        ),
        (
            "Convert the key, then the certificate, to the format of the server.",
            "Convert the certificate, then the key, to the format of the server.",
            Veto("opposite", "certif kei is on the other side"),
        ),
        (
            "Schedule the backup during the day.",
            "Schedule the backup during the night.",
            Veto("opposite", "day / night"),
        ),
        (
            "Run the tests of the module with `bin/test <file>`.",
            "Run the tests of the module with `bin/test`.",
            Veto("narrower", "only one has <file>"),
        ),
        (
            "Use real addresses in the fixtures of a test.",
            "Use pretty addresses in the fixtures of a test.",
            Veto("words", "real / pretti"),
        ),
    ],
)
def test_a_veto_names_the_words_that_speak_against_a_merge(a: str, b: str, found: Veto) -> None:
    assert between(a, b) == found
