"""Summaries say what the record shows, and no more."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from stepladder.ingest.distillers.rules.asks import ask_of
from stepladder.ingest.distillers.rules.changes import Changes, changes_of
from stepladder.ingest.distillers.rules.closing import closing_of
from stepladder.ingest.distillers.rules.summary import summary_of
from stepladder.ingest.nodes import trace_of
from stepladder.ingest.record import RunRecord
from stepladder.ingest.trajectory import Outcome, Turn
from stepladder.kg.types import Summary

MakeRun = Callable[..., RunRecord]

TASK = (
    "Totals are rounded down\n\nTotals of several cents lose a part. "
    "The total should be rounded half up."
)
REPRO = (
    ("cat src/total.py", "def total(): ..."),
    ("cat > repro.py <<'E'\nassert total(1.5) == 2\nE", ""),
    ("python repro.py", "Traceback (most recent call last):\nAssertionError", 1),
)
FIX = ("sed -i 's/floor/round/' src/total.py", "")


def test_a_repaired_fault_is_summed_up_from_its_steps(make_run: MakeRun) -> None:
    run = make_run(
        *REPRO,
        FIX,
        ("python repro.py", "ok"),
        ("pytest tests/test_total.py", "3 passed in 0.1s"),
        ("rm repro.py", ""),
        task=TASK,
        end="Replaced `floor` with `round` in the total so that halves are kept.",
        outcome=Outcome(status="success", source="verifier", confidence=1.0),
        exit_status="Submitted",
        ended="2026-01-02T03:04:05Z",
    )
    assert summary_of(run) == Summary(
        id=summary_of(run).id,
        created="2026-01-02T03:04:05Z",
        scope="acme/api",
        title="Totals are rounded down",
        description=(
            "The change was checked: a check failed before it and passed after it. "
            "The total should be rounded half up."
        ),
        content=(
            "Fix a reported fault in a Python project. Task: Totals are rounded down. "
            "The total should be rounded half up. "
            "Tried: 7 steps: 2 edits, 2 script runs, 1 read, 1 test run and 1 file operation; "
            "1 file changed; 1 file made only on the way. "
            "Turning points: the check script showed the fault before the change; "
            "the check script went from failing to passing after 1 edit. "
            "Changed, in the agent's words: "
            "Replaced `floor` with `round` in the total so that halves are kept. "
            "End: the last run of the tests passed; handed in; accepted by the verifier."
        ),
        task="task-1",
        project="acme/api",
        domains=("repo-bugfix",),
        languages=("python",),
        outcome="success",
    )


@pytest.mark.parametrize(
    ("steps", "situation"),
    [
        ((FIX,), "The change was not checked at the end."),
        ((FIX, ("pytest tests", "1 failed, 2 passed", 1)),
         "The change was checked, and the check failed."),
        ((("pytest tests", "3 passed"), FIX), "The change was not checked at the end."),
        ((("cat src/total.py", "..."),),
         "No file was changed in the end, only looked at and tried."),
        ((("git push origin main", ""),),
         "No file was changed in the end, what was there was handed over."),
        ((FIX, ("pytest tests", "", None)),
         "The change was checked, what the check said is not recorded."),
    ],
)  # fmt: skip
def test_the_situation_is_one_line_of_general_words(
    make_run: MakeRun, steps: tuple[object, ...], situation: str
) -> None:
    assert summary_of(make_run(*steps, task="Round the totals")).description == situation


def test_the_counts_of_steps_add_up(make_run: MakeRun) -> None:
    run = make_run(
        ("ls", "src"),
        ("mkdir out", ""),
        ("pip install rich", "Successfully installed rich"),
        ("git status", ""),
        ("TodoWrite", {"todos": []}, "ok"),
        ("strange-tool", {"x": 1}, "ok"),
        task="Set the project up",
    )
    assert (
        "Tried: 6 steps: 1 listing, 1 file operation, 1 installation, 1 version control step, "
        "1 planning step and 1 other step." in summary_of(run).content
    )


def test_later_requests_are_named_and_answers_are_not(make_run: MakeRun) -> None:
    run = make_run(FIX, "yes", ("git add .", ""), "now commit and push it", ("git commit -m x", ""))
    assert "Asked later: commit and push it. Tried" in summary_of(run).content
    assert "the user spoke again twice" in summary_of(run).content


def test_a_run_without_words_still_has_a_summary(make_run: MakeRun) -> None:
    run = make_run(("ls", ""), task="")
    assert summary_of(run).title == "a request without words"


# --- which files are the change -------------------------------------------------------------------


def test_a_script_that_was_removed_is_a_helper_and_a_new_module_is_not(make_run: MakeRun) -> None:
    run = make_run(
        ("cat src/app.py", "import os"),
        ("cat > src/rates.py <<'E'\nRATE = 2\nE", ""),
        ("sed -i 's/1/RATE/' src/app.py", ""),
        ("cat > try_it.py <<'E'\nimport app\nE", ""),
        ("python try_it.py", ""),
        ("cat > /tmp/x.py <<'E'\nprint(1)\nE", ""),
        task="Add rates",
    )
    assert changes_of(run) == Changes(
        changed=("src/app.py",),
        added=("src/rates.py",),
        helpers=frozenset({"try_it.py", "/tmp/x.py"}),
    )


def test_a_script_that_was_asked_for_is_the_change_though_it_was_run(make_run: MakeRun) -> None:
    run = make_run(
        ("cat > hello.py <<'E'\nprint('hello')\nE", ""),
        ("python hello.py", "hello"),
        task="Create hello.py that prints hello",
    )
    assert changes_of(run) == Changes(added=("hello.py",))


# --- what the agent says it changed ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("I've replaced the floor of totals by a rounding.",
         "I've replaced the floor of totals by a rounding."),
        ("Let me fix the totals now. I will replace the floor of totals.", ""),
        ("I created a test script to reproduce the totals.", ""),
        ("The menu was updated to hold more entries than it had.", ""),
        ("It is passed to the totals but not to the rest.", ""),
        ("Done! Updated the totals. Fixed the totals by rounding half up instead.",
         "Fixed the totals by rounding half up instead."),
        ("The issue was that totals were cut off.", "The issue was that totals were cut off."),
    ],
)  # fmt: skip
def test_closing_words_report_something_done_about_the_task(
    make_run: MakeRun, end: str, told: str
) -> None:
    run = make_run(FIX, task=TASK, end=end)
    assert closing_of(run, ask_of(run), changes_of(run)) == told


def test_closing_words_of_a_run_without_a_change_do_not_count(make_run: MakeRun) -> None:
    run = make_run(("cat src/total.py", ""), task=TASK, end="Fixed the totals by rounding.")
    assert closing_of(run, ask_of(run), changes_of(run)) == ""


def test_words_before_the_next_request_belong_to_the_change_before_it(make_run: MakeRun) -> None:
    run = make_run(
        FIX,
        Turn(role="agent", text="I changed the totals to round half up."),
        "thanks, what about the docs?",
        end="I updated the totals page to mention this.",
        task=TASK,
    )
    told = closing_of(run, ask_of(run), changes_of(run))
    assert told == "I changed the totals to round half up."


# --- the trace below ------------------------------------------------------------------------------


def test_a_trace_is_found_by_its_task_its_project_its_tools_and_files(make_run: MakeRun) -> None:
    run = make_run(*REPRO, FIX, task=TASK)
    trace = trace_of(replace(run, project="acme/api"), content_hash="h")
    assert trace.title == "Totals are rounded down"
    assert trace.description == (
        "In acme/api; python; cat, python, sed; repro.py src/total.py. "
        "Totals of several cents lose a part. The total should be rou"
    )
