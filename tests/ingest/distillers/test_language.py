"""What a request asks for, whatever its form, and what a sentence says."""

import pytest

from stepladder.ingest.distillers.rules.asks import Ask, expectation_of, understood
from stepladder.ingest.distillers.rules.intent import asked_for, is_goal
from stepladder.ingest.distillers.rules.language import Clause, clause_of, clauses_of
from stepladder.ingest.distillers.rules.prose import cut, plain, sentences_of
from stepladder.ingest.distillers.rules.verbs import base_form


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Options with commas are mangled\n\nSteps: ...", "Options with commas are mangled"),
        ("### Add a dark mode\nIt should be nice.", "Add a dark mode"),
        ("<!-- read the guide first -->\nFix the parser", "Fix the parser"),
        ("Hello! Could you rename the helper?", "Could you rename the helper?"),
        ("/review", "the command /review"),
        ("/review the last commit. Be short.", "/review: the last commit. Be short"),
        ("8", "a request that says only “8”"),
        ("", "a request without words"),
        (
            "Implement the following plan:\n\n# Plan: Sign the binaries\n\n## Context\n...",
            "Implement a plan: Sign the binaries",
        ),
        (
            "You are a code reviewer. Your job is to review code changes and give feedback.\n---\n",
            "Review code changes and give feedback",
        ),
        (
            "You are picking up work from an agent.\n\n**Original Task:** Create a file a.txt\n",
            "Create a file a.txt",
        ),
        (
            "Create the components of the app:\n1. An item\n2. A list",
            "Create the components of the app",
        ),
        (
            "➜  api git:(main) ✗ git push origin main\nerror: failed to push some refs",
            "`git push origin main` ends with: error: failed to push some refs",
        ),
        (
            "analyse https://github.com/acme/api/issues/76",
            "analyse issue #76",
        ),
        (
            "Given the following table:\n  id   name\n  1    a\n\nWrite a query that counts names.",
            "Write a query that counts names",
        ),
        (
            "The server stops [11:35:44.030] GET /api/jobs 500",
            "The server stops",
        ),
        (
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen",
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen …",
        ),
    ],
)  # fmt: skip
def test_a_title_is_what_the_request_says_it_wants(text: str, title: str) -> None:
    assert understood(text).title == title


def test_the_form_of_a_request_is_kept() -> None:
    assert understood("/fix-tests of the parser") == Ask(
        title="/fix-tests: of the parser", line="/fix-tests: of the parser", command="fix-tests",
        form="command",
    )  # fmt: skip
    plan = understood("Implement this plan:\n\nPlan: Split the store\n\nFirst ...")
    assert (plan.form, plan.subject) == ("plan", "Split the store")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "Thanks for the tool. I have a problem. Options with commas should stay whole. Bye.",
            "Options with commas should stay whole.",
        ),
        ("Should this work? I expected more than that from it.", ""),
        ("The call `parse(a, b)` should return {1, 2} and not fail.", ""),
        ("Please include a minimal example that fails in your report.", ""),
        ("This should not be the first sentence nor a question about the options.",
         "This should not be the first sentence nor a question about the options."),
        ("Expected behavior\nThe list keeps its order and must not be sorted.",
         "The list keeps its order and must not be sorted."),
        ("which should be a fragment that fails without a beginning.", ""),
    ],
)  # fmt: skip
def test_an_expectation_is_a_whole_sentence_about_the_program(body: str, expected: str) -> None:
    assert expectation_of(understood(f"A title of four words\n\n{body}")) == expected


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Fix the rounding of totals", "Fix a reported fault"),
        ("Options with commas are mangled", "Fix a reported fault"),
        ("TimeDelta precision\n\nI found quite strange behaviour.", "Fix a reported fault"),
        ("Add a toggle for dark mode", "Build a feature"),
        ("New template filter for sequences", "Build a feature"),
        ("review this PR", "Review a change"),
        ("/review", "Review a change"),
        ("You are a reviewer. Your job is to review changes. Fix nothing.", "Review a change"),
        ("commit, push and pr it", "Commit and hand over a change"),
        ("Create a release 0.3.0, update the changelog first", "Release a version"),
        ("can you add a standard MIT license?", "Write documentation"),
        ("add unit tests for the parser", "Write or run tests"),
        ("add new text to test-notes.txt", "Build a feature"),
        ("why does this work on unix only?", "Answer a question"),
        ("Refactor the store", "Refactor code"),
        ("Query optimization breaks the filter", "Fix a reported fault"),
        ("Implement the following plan:\n# A\n", "Carry out a plan"),
        ("Run the command: sleep 10", "Run a command"),
        ("Find the flag of this challenge", "Solve a challenge"),
        ("", "Look into a project"),
    ],
)
def test_the_sort_of_a_request_is_told_from_its_verb_or_its_words(text: str, intent: str) -> None:
    assert asked_for(understood(text)) == intent


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("can you also add a single retry?", True),
        ("fix lint", True),
        ("/review", True),
        ("ok", False),
        ("yes, do it like that please", False),
        ("this has happened twice now", False),
        ("Traceback (most recent call last):\n  File 'a.py'\nValueError: no", False),
    ],
)
def test_a_later_request_opens_new_work_or_only_answers(text: str, goal: bool) -> None:
    assert is_goal(text) is goal


def test_a_clause_names_verb_subject_and_helpers() -> None:
    assert clause_of("The linter should report all findings.") == Clause(
        verb="report", tag="VB", subject="linter", object="findings", helpers=("should",)
    )
    assert clause_of("Please fix the rounding.").opens


def test_sentences_are_parsed_once_and_in_order() -> None:
    sentences = ["Fix the parser.", "The parser fails.", "Fix the parser."]
    assert [c.verb for c in clauses_of(sentences)] == ["fix", "fails", "fix"]
    assert clauses_of([]) == []


def test_prose_loses_code_marks_and_addresses() -> None:
    text = "# Title\n\nSee [the guide](http://a.b/c) and **this**.\n```py\nx = 1\n```\nEnd."
    assert plain(text) == "# Title\n\nSee the guide and this.\n\n\n\nEnd."


def test_sentences_end_at_full_stops_headings_and_items() -> None:
    text = "Heading\n\n- one thing, e.g. this. And more.\n- another\nthat goes on\n"
    assert sentences_of(text) == (
        "Heading", "one thing, e.g. this.", "And more.", "another that goes on",
    )  # fmt: skip


def test_a_text_is_cut_after_whole_words() -> None:
    assert cut("a b, c d", 2) == "a b …"
    assert cut("a b", 2) == "a b"


def test_verbs_are_known_in_their_forms() -> None:
    words = ("replaced", "stopping", "fixes", "ran", "using", "verified", "spring")
    assert [base_form(w) for w in words] == [
        "replace",
        "stop",
        "fix",
        "run",
        "use",
        "verify",
        "spring",
    ]
