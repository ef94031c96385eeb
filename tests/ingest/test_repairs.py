"""Which failing steps are repaired, by what, and what had been tried in vain."""

from typing import Any

import pytest

from stepladder.ingest.record import Repair
from stepladder.ingest.steps.build import build
from stepladder.ingest.trajectory import Failure, Observation, ToolCall, Trajectory, Turn


def _sh(command: str, text: str = "", code: int = 0) -> ToolCall:
    seen = Observation(text=text, exit_code=code)
    return ToolCall(name="bash", arguments={"command": command}, observation=seen)


def _tool(name: str, text: str = "", failure: Failure = "", **arguments: Any) -> ToolCall:
    return ToolCall(
        name=name, arguments=arguments, observation=Observation(text=text, failure=failure)
    )


def _repairs(*calls: ToolCall) -> tuple[Repair, ...]:
    turns = tuple(Turn(role="agent", calls=(call,)) for call in calls)
    trajectory = Trajectory(
        id="t", format="mini-swe-agent", source="", agent="a", turns=turns, cwd="/testbed"
    )
    record = build(trajectory, trace_id="", task_id="", project="", domain="", language="")
    return record.repairs


def _write(path: str, source: str = "x") -> ToolCall:
    return _sh(f"cat > {path} <<'EOF'\n{source}\nEOF")


EDIT = _sh("sed -i s/a/b/ src/lib.py")
LOOK = _sh("cat src/lib.py")
NO_PYTEST = "/usr/bin/python: No module named pytest"
NO_TABLE = "Traceback (most recent call last):\n  x\nOperationalError: no such table: a"
ASSERTION = "Traceback (most recent call last):\n  x\nAssertionError"
FAILED = "FAILED tests/a.py::t\n=== 1 failed in 0.1s ==="
PASSED = "=== 1 passed in 0.1s ==="


def test_a_failing_test_is_repaired_by_a_change_of_the_source() -> None:
    assert _repairs(
        _sh("pytest tests/a.py", FAILED, 1),
        EDIT,
        _sh("pytest -x tests/a.py", FAILED, 1),
        EDIT,
        _sh("pytest tests/a.py::t", PASSED),
    ) == (
        Repair(failing=0, passing=4, tried=(2,), changed=(1, 3), by="source"),
        Repair(failing=2, passing=4, changed=(3,), by="source"),
    )


def test_a_test_that_fails_again_is_not_repaired() -> None:
    assert _repairs(_sh("pytest a.py", FAILED, 1), EDIT, _sh("pytest a.py", FAILED, 1)) == ()


def test_a_stumble_is_repaired_when_the_check_then_says_no() -> None:
    assert _repairs(
        _write("repro.py"),
        _sh("python repro.py", NO_TABLE, 1),
        _write("repro.py", "y"),
        _sh("python repro.py", ASSERTION, 1),
    ) == (Repair(failing=1, passing=3, changed=(2,), by="own file"),)


def test_another_stumble_repairs_nothing() -> None:
    name = "Traceback (most recent call last):\n  x\nModuleNotFoundError: No module named 'a'"
    assert (
        _repairs(
            _write("repro.py"),
            _sh("python repro.py", NO_TABLE, 1),
            _write("repro.py", "y"),
            _sh("python repro.py", name, 1),
        )
        == ()
    )


def test_a_script_that_prints_its_finding_repairs_a_stumble() -> None:
    found = _repairs(
        _write("repro.py"),
        _sh("python repro.py", NO_TABLE, 1),
        _write("repro.py", "y"),
        _sh("python repro.py", "ISSUE REPRODUCED: two rows"),
    )
    assert found == (Repair(failing=1, passing=3, changed=(2,), by="own file"),)


def test_tests_that_ran_nothing_repair_nothing() -> None:
    assert (
        _repairs(
            _sh("pytest tests/a.py", "ERROR: file or directory not found: tests/a.py", 4),
            _sh("pytest tests/a.py -k b", "=== 3 deselected in 0.1s ===", 5),
        )
        == ()
    )


@pytest.mark.parametrize(
    ("failing", "passing"),
    [
        (
            _sh("python -m pytest tests/a.py", NO_PYTEST, 1),
            _sh("bin/test tests/a.py", "tests finished: 3 passed, in 1 seconds"),
        ),
        (
            _sh("pytest tests/a.py", "bash: pytest: command not found", 127),
            _sh("python tests/a.py"),
        ),
        (
            _sh("pytest", "bash: pytest: command not found", 127),
            _sh("tox -e py3", "  congratulations :)"),
        ),
        (_sh("ed a.py <<EOF\n1d\nEOF", "bash: ed: command not found", 127), _sh("sed -i 1d a.py")),
        (_sh("cat a/x.py", "cat: a/x.py: No such file or directory", 1), _sh("cat b/x.py")),
        (_sh("git add x", "fatal: pathspec 'x' did not match any files", 128), _sh("git add a/x")),
        (
            _sh("python -c 'import a; print(a.b(c))'", ASSERTION.replace("Assertion", "Name"), 1),
            _sh("python -c 'import a; print(a.b(1))'", "1"),
        ),
    ],
)
def test_another_command_repairs(failing: ToolCall, passing: ToolCall) -> None:
    assert _repairs(failing, passing) == (Repair(failing=0, passing=1, by="other command"),)


def test_an_installation_repairs_only_where_something_was_installed() -> None:
    missing = "Traceback (most recent call last):\n  x\nModuleNotFoundError: No module named 'a'"
    run = [_write("r.py"), _sh("python r.py", missing, 1)]
    done = _sh("python r.py", "3")
    installed = _sh("pip install a", "Successfully installed a-1.0")
    there = _sh("pip install a", "Requirement already satisfied: a in /usr/lib")
    assert _repairs(*run, installed, done) == (
        Repair(failing=1, passing=3, changed=(2,), by="install"),
    )
    assert _repairs(*run, there, done) == (Repair(failing=1, passing=3, by="re-run"),)


def test_an_edit_tool_that_refused_is_repaired_by_a_second_try() -> None:
    unread = "File has not been read yet. Read it first before writing to it."
    assert _repairs(
        _tool("Edit", unread, "validation", file_path="a.py", old_string="x", new_string="y"),
        _tool("Read", "x", file_path="a.py"),
        _tool("Edit", "ok", file_path="a.py", old_string="x", new_string="y"),
    ) == (Repair(failing=0, passing=2, by="second try"),)


def test_an_edit_that_a_person_rejected_repairs_nothing() -> None:
    gone = "String to replace not found in file."
    assert (
        _repairs(
            _tool("Edit", gone, "validation", file_path="a.py"),
            _tool("Edit", "The user doesn't want to proceed", "rejected", file_path="a.py"),
        )
        == ()
    )


def test_a_rejected_push_is_repaired_by_bringing_the_other_changes() -> None:
    assert _repairs(
        _sh("git push", "error: failed to push some refs to 'x'", 1),
        _sh("git pull --rebase"),
        _sh("git push"),
    ) == (Repair(failing=0, passing=2, changed=(1,), by="other"),)


def test_undoing_a_broken_edit_is_part_of_the_repair() -> None:
    broken = "  File 'src/lib.py', line 2\nIndentationError: unexpected indent"
    assert _repairs(
        _write("r.py"),
        EDIT,
        _sh("python r.py", broken, 1),
        _sh("git checkout src/lib.py"),
        EDIT,
        _sh("python r.py", "SUCCESS"),
    ) == (Repair(failing=2, passing=5, changed=(3, 4), by="source"),)


def test_a_success_too_far_away_is_no_repair() -> None:
    assert _repairs(_sh("make", "x", 2), *[LOOK] * 13, _sh("make")) == (
        Repair(failing=0, passing=14, by="re-run"),
    )
    assert _repairs(_sh("make", "x", 2), *[LOOK] * 14, _sh("make")) == ()


def test_a_read_of_another_file_is_no_repair_of_a_read_that_failed() -> None:
    assert _repairs(_sh("cat a/x.py", "cat: a/x.py: No such file", 1), _sh("cat b/y.py")) == ()
