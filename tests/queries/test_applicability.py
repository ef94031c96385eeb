"""What a task may be given, by where it runs."""

import pytest

from stepladder.kg.types import Insight, Memory, Summary, Trace, Workflow
from stepladder.queries.applicability import Situation, refusal, relation

HERE = Situation(project="acme/api", domain="repo-bugfix", language="python", tools=("pytest",))


def memory(kind: type[Memory], **fields: object) -> Memory:
    return kind(id="x", created="", title="x", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "near"),
    [
        ({"project": "acme/api", "domains": ("docs",)}, "project"),
        ({"domains": ("repo-bugfix",), "languages": ("python",)}, "environment"),
        ({"domains": ("repo-bugfix",), "languages": ("python",), "tools": ("tox",)}, "domain"),
        ({"domains": ("repo-bugfix",), "languages": ("rust",)}, "domain"),
        ({"domains": ("repo-bugfix",)}, "domain"),
        ({}, "domain"),
        ({"domains": ("data-analysis",), "languages": ("python",)}, "other"),
    ],
)
def test_evidence_is_as_near_as_project_environment_and_domain_say(
    fields: dict[str, object], near: str
) -> None:
    assert relation(memory(Insight, **fields), HERE) == near


@pytest.mark.parametrize(
    ("fields", "allowed"),
    [
        ({"project": "acme/api"}, "trace workflow summary insight"),
        ({"domains": ("repo-bugfix",), "languages": ("python",)}, "trace workflow summary insight"),
        ({"domains": ("repo-bugfix",)}, "summary insight"),
        ({"domains": ("data-analysis",)}, "insight"),
    ],
)
def test_the_nearer_the_evidence_the_more_concrete_it_may_be(
    fields: dict[str, object], allowed: str
) -> None:
    kinds = {"trace": Trace, "workflow": Workflow, "summary": Summary, "insight": Insight}
    got = [name for name, kind in kinds.items() if refusal(memory(kind, **fields), HERE) is None]
    assert got == allowed.split()


def test_raw_levels_of_a_project_stay_there_even_in_the_same_environment() -> None:
    same = {"domains": ("repo-bugfix",), "languages": ("python",), "project": "acme/web"}
    assert refusal(memory(Trace, **same), HERE) == "project"
    assert refusal(memory(Workflow, **same), HERE) == "project"
    assert refusal(memory(Workflow, **same), Situation()) == "project"
    assert refusal(memory(Insight, **same), HERE) is None


def test_another_language_or_other_tools_are_a_condition_that_an_insight_cannot_get_around() -> (
    None
):
    assert refusal(memory(Insight, languages=("rust",)), HERE) == "language"
    assert refusal(memory(Insight, languages=("rust", "Python")), HERE) is None
    assert refusal(memory(Insight, tools=("cargo",)), HERE) == "tools"
    assert refusal(memory(Insight, tools=("cargo", "pytest")), HERE) is None
    assert refusal(memory(Insight, languages=("rust",), tools=("cargo",)), Situation()) is None
