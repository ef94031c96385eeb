"""The record of a run: what each call did, how it ended, and what the agent made."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.record import Fault, RunRecord, StepRecord
from stepladder.ingest.shell import parse
from stepladder.ingest.source import Source
from stepladder.ingest.steps.build import build
from stepladder.ingest.trajectory import Failure, Observation, ToolCall, Trajectory, Turn


def _call(
    name: str, text: str | None = "", *, code: int | None = None, failure: Failure = "", **args: Any
) -> ToolCall:
    seen = None if text is None else Observation(text=text, exit_code=code, failure=failure)
    return ToolCall(name=name, arguments=args, observation=seen)


def _sh(command: str, text: str = "", code: int | None = 0) -> ToolCall:
    return _call("bash", text, code=code, command=command)


def _run(*calls: ToolCall, cwd: str = "/testbed", format: str = "mini-swe-agent") -> RunRecord:
    turns = (
        Turn(role="user", text="Fix it."),
        *(Turn(role="agent", thought=f"thought {i}", calls=(c,)) for i, c in enumerate(calls)),
    )
    trajectory = Trajectory(id="t", format=format, source="", agent="a", turns=turns, cwd=cwd)
    return _build(trajectory)


def _build(trajectory: Trajectory) -> RunRecord:
    return build(
        trajectory, trace_id="trace", task_id="task", project="p", domain="", language="python"
    )


def _one(call: ToolCall, **how: Any) -> StepRecord:
    return _run(call, **how).steps[0]


def _files(step: StepRecord) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return step.reads, step.edits, step.creates


def test_a_run_of_shell_lines_becomes_a_record() -> None:
    script = "cat <<'EOF' > repro.py\nimport lib\nassert lib.f() == 1\nEOF"
    failed = 'Traceback (most recent call last):\n  File "/testbed/repro.py"\nAssertionError'
    calls = (
        _sh("grep -n 'def f' src/lib.py", "3:def f():"),
        _sh(script),
        _sh("python repro.py", failed, 1),
        _sh("sed -i 's/2/1/' src/lib.py"),
        _sh("python repro.py"),
        _sh("pytest -q tests/test_lib.py", "3 passed in 0.10s"),
        _sh("rm repro.py"),
    )
    turns = (
        Turn(role="system", text="You are an agent."),
        Turn(role="user", text="Fix f."),
        Turn(role="agent", text="two actions", rejected=True, calls=calls[:1]),
        Turn(role="user", text="reminder", injected=True),
        *(Turn(role="agent", text=f"step {i}", calls=(c,)) for i, c in enumerate(calls)),
    )
    trajectory = Trajectory(
        id="t", format="mini-swe-agent", source="s", agent="a", turns=turns, cwd="/testbed"
    )
    record = _build(trajectory)
    commands = [parse(str(call.arguments["command"])) for call in calls]

    def step(index: int, **fields: Any) -> StepRecord:
        line = commands[index]
        return StepRecord(
            index=index,
            turn=index + 4,
            call=calls[index],
            kind="shell",
            command=str(calls[index].arguments["command"]),
            main=line[0],
            commands=line,
            thought=f"step {index}",
            **{"exit_code": 0, **fields},
        )

    assert record.steps == (
        step(
            0,
            phase="search",
            reads=("src/lib.py",),
            purpose="search grep src/lib.py",
            observation="3:def f():",
        ),
        step(
            1,
            phase="edit",
            edits=("repro.py",),
            creates=("repro.py",),
            own=True,
            purpose="edit repro.py",
        ),
        step(
            2,
            phase="run",
            reads=("repro.py",),
            own=True,
            check=True,
            purpose="run python repro.py",
            observation=failed,
            exit_code=1,
            failure="environment",
            failed=True,
            verdict="fail",
            fault=Fault(
                error_class="assertion", signature="AssertionError", message="AssertionError"
            ),
        ),
        step(3, phase="edit", edits=("src/lib.py",), purpose="edit src/lib.py"),
        step(
            4,
            phase="run",
            reads=("repro.py",),
            own=True,
            check=True,
            purpose="run python repro.py",
            verdict="pass",
        ),
        step(
            5,
            phase="test",
            reads=("tests/test_lib.py",),
            check=True,
            purpose="test pytest tests/test_lib.py",
            observation="3 passed in 0.10s",
            verdict="pass",
        ),
        step(6, phase="other", edits=("repro.py",), own=True, purpose="other rm repro.py"),
    )
    assert (record.trajectory, record.trace_id, record.task_id) == (trajectory, "trace", "task")
    assert (record.requests, record.rejected_turns) == ((turns[1],), (2,))
    assert (record.own_files, record.first_edit, record.last_edit) == (
        frozenset({"repro.py"}),
        3,
        3,
    )
    assert [(r.failing, r.passing, r.changed, r.by) for r in record.repairs] == [
        (2, 4, (3,), "source")
    ]


TOOLS: list[tuple[str, Mapping[str, Any], str, str, str, tuple[Any, Any]]] = [
    # name, arguments, kind, phase, command, (reads, edits)
    ("Read", {"file_path": "/r/a.py"}, "read", "read", "Read /r/a.py", (("a.py",), ())),
    ("Edit", {"file_path": "/r/a.py", "old_string": "x"}, "edit", "edit", "", ((), ("a.py",))),
    ("MultiEdit", {"file_path": "/r/a.py", "edits": []}, "edit", "edit", "", ((), ("a.py",))),
    ("Write", {"file_path": "/r/a.py", "content": ""}, "write", "edit", "", ((), ("a.py",))),
    ("NotebookEdit", {"notebook_path": "/r/a.ipynb"}, "edit", "edit", "", ((), ("a.ipynb",))),
    ("Grep", {"pattern": "x", "path": "src"}, "search", "search", "Grep x src", (("src",), ())),
    ("Glob", {"pattern": "**/*.ts"}, "list", "explore", "Glob **/*.ts", ((), ())),
    ("WebFetch", {"url": "https://a.b"}, "fetch", "read", "WebFetch https://a.b", ((), ())),
    ("WebSearch", {"query": "x"}, "fetch", "search", "WebSearch x", ((), ())),
    ("TodoWrite", {"todos": []}, "plan", "think", "TodoWrite", ((), ())),
    ("Task", {"description": "look"}, "delegate", "delegate", "Task look", ((), ())),
    ("AskUserQuestion", {"questions": []}, "other", "other", "AskUserQuestion", ((), ())),
    ("mcp__linear__get_issue", {"id": "3"}, "other", "other", "", ((), ())),
    ("mcp__files__read_file", {"path": "a.py"}, "read", "read", "", (("a.py",), ())),
    ("exec_command", {"cmd": "ls src", "workdir": "/r"}, "shell", "explore", "ls src", ((), ())),
    ("shell", {"command": ["bash", "-lc", "nl a.py"]}, "shell", "read", "nl a.py", (("a.py",), ())),
    (
        "shell",
        {"command": ["apply_patch", "*** Begin Patch\n*** Add File: b.py\n+x\n*** End Patch"]},
        "shell",
        "edit",
        "",
        ((), ("b.py",)),
    ),
    ("update_plan", {"plan": []}, "plan", "think", "update_plan", ((), ())),
    ("run_shell_command", {"command": "npm test"}, "shell", "test", "npm test", ((), ())),
    ("write_file", {"file_path": "a.py", "content": ""}, "write", "edit", "", ((), ("a.py",))),
    ("replace", {"file_path": "a.py", "old_string": "x"}, "edit", "edit", "", ((), ("a.py",))),
    ("read_many_files", {"paths": ["a.py", "b.py"]}, "read", "read", "", (("a.py", "b.py"), ())),
    ("search_file_content", {"pattern": "x"}, "search", "search", "", ((), ())),
    ("list_directory", {"path": "src"}, "list", "explore", "", (("src",), ())),
    ("read", {"filePath": "/r/a.ts"}, "read", "read", "read /r/a.ts", (("a.ts",), ())),
    (
        "apply_patch",
        {"patchText": "*** Update File: a.ts\n@@\n*** Delete File: b.ts\n*** Move to: c.ts"},
        "edit",
        "edit",
        "apply_patch a.ts b.ts c.ts",
        ((), ("a.ts", "b.ts", "c.ts")),
    ),
    (
        "str_replace_editor",
        {"command": "view", "path": "/r/a.py"},
        "read",
        "read",
        "str_replace_editor view /r/a.py",
        (("a.py",), ()),
    ),
    (
        "str_replace_editor",
        {"command": "str_replace", "path": "/r/a.py", "old_str": "x"},
        "edit",
        "edit",
        "str_replace_editor str_replace /r/a.py",
        ((), ("a.py",)),
    ),
    ("str_replace_editor", {"command": "undo_edit", "path": "a"}, "edit", "undo", "", ((), ("a",))),
    ("file_editor", {"command": "create", "path": "/r/b.py"}, "write", "edit", "", ((), ("b.py",))),
    ("execute_bash", {"command": "make"}, "shell", "build", "make", ((), ())),
    ("terminal", {"command": "git log", "is_input": "false"}, "shell", "vcs", "git log", ((), ())),
    ("terminal", {"command": "", "is_input": "true"}, "shell", "other", "terminal", ((), ())),
    (
        "execute_ipython_cell",
        {"code": "edit_file_by_replace('/r/a.py', to_replace='x', new_content='y')"},
        "edit",
        "edit",
        "edit_file_by_replace /r/a.py",
        ((), ("a.py",)),
    ),
    ("execute_ipython_cell", {"code": "print(1)"}, "shell", "run", "", ((), ())),
    ("think", {"thought": "hm"}, "think", "think", "think", ((), ())),
    ("finish", {"message": "done"}, "submit", "submit", "finish done", ((), ())),
    ("open", {"path": "a.py", "line_number": 3}, "read", "read", "open a.py", (("a.py",), ())),
    ("create", {"filename": "b.py"}, "write", "edit", "create b.py", ((), ("b.py",))),
    ("find_file", {"file_name": "a.py", "dir": "src"}, "list", "explore", "", (("src",), ())),
    ("search_dir", {"search_term": "x"}, "search", "search", "search_dir x", ((), ())),
    ("submit", {}, "submit", "submit", "submit", ((), ())),
    ("bash_command", {"keystrokes": "ls\n"}, "shell", "explore", "ls", ((), ())),
    ("mark_task_complete", {}, "submit", "submit", "mark_task_complete", ((), ())),
    ("execute_command", {"command": "cargo test"}, "shell", "test", "cargo test", ((), ())),
    ("replace_in_file", {"path": "a.py", "diff": "x"}, "edit", "edit", "", ((), ("a.py",))),
    ("attempt_completion", {"result": "x"}, "submit", "submit", "attempt_completion", ((), ())),
    ("read_files", {"files": [{"path": "a.py"}, {"path": "b.py"}]}, "read", "read", "",
     (("a.py", "b.py"), ())),
    ("editor", {"path": "a.py", "old_text": "x"}, "edit", "edit", "editor a.py", ((), ("a.py",))),
    ("run_commands", {"commands": ["cd src", "ls"]}, "shell", "explore", "cd src\nls", ((), ())),
    ("view", {"path": "/r"}, "read", "read", "view /r", ((".",), ())),
    ("replace_string_in_file", {"filePath": "a.ts"}, "edit", "edit", "", ((), ("a.ts",))),
    ("multi_replace_string_in_file", {"replacements": [{"filePath": "a.ts"}, {"filePath": "b.ts"}]},
     "edit", "edit", "", ((), ("a.ts", "b.ts"))),
    ("run_terminal_cmd", {"command": "rg x"}, "shell", "search", "rg x", ((), ())),
    ("edit_file", {"target_file": "a.py"}, "edit", "edit", "edit_file a.py", ((), ("a.py",))),
    ("execute_sql", {"sql": "select 1"}, "other", "run", "execute_sql select 1", ((), ())),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "kind", "phase", "command", "files"), TOOLS)
def test_native_tools_have_kind_phase_and_files(
    name: str, arguments: Mapping[str, Any], kind: str, phase: str, command: str, files: Any
) -> None:
    call = ToolCall(name=name, arguments=arguments, observation=Observation(text="done"))
    step = _one(call, cwd="/r")
    assert (step.kind, step.phase, step.reads, step.edits) == (kind, phase, *files)
    assert command in ("", step.command)


def test_arguments_that_are_no_valid_json_still_name_the_file() -> None:
    raw = '{"command": "create", "path": "/r/a.py", "file_text": "x = \\q"'
    call = ToolCall(name="str_replace_editor", raw=raw, observation=Observation(text="ok"))
    step = _one(call, cwd="/r")
    assert (step.kind, step.edits) == ("write", ("a.py",))


def test_a_patch_given_as_bare_text_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Add File: b.ts\n+x\n*** Update File: a.ts\n@@\n*** End Patch\n"
    call = ToolCall(name="apply_patch", raw=patch, observation=Observation(text="Success."))
    assert _files(_one(call)) == ((), ("b.ts", "a.ts"), ("b.ts",))


ENDINGS: list[tuple[ToolCall, tuple[bool, str, str]]] = [
    # (failed, failure, class of the error)
    (_sh("grep x a.py", "", 1), (False, "", "")),
    (_sh("grep x nowhere", "grep: nowhere: No such file or directory", 2),
     (True, "environment", "no-such-file")),
    (_sh("rg x", "", 1), (False, "", "")),
    (_sh("rg x", "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", 1),
     (True, "environment", "permission-denied")),
    (_sh("diff a b", "1c1", 1), (False, "", "")),
    (_sh("find / -name x", "find: '/root': Permission denied", 1), (False, "", "")),
    (_sh("cat a.py | grep x", "", 1), (False, "", "")),
    (_sh("git diff --exit-code", "", 1), (False, "", "")),
    (_sh("git config --get a.b", "", 1), (False, "", "")),
    (_sh("which foo", "", 1), (False, "", "")),
    (_sh("pylint a.py", "a.py:1:0: C0114: Missing docstring", 16), (False, "", "")),
    (_sh("pylint a.py", "pylint: error: unrecognized arguments: --x", 32),
     (True, "environment", "usage-error")),
    (_sh("timeout 5 python manage.py runserver", "", 124), (False, "", "")),
    (_sh("timeout 5 python a.py 2>/dev/null", "", 124), (True, "environment", "timeout")),
    (_sh("bin/test a", "tests finished: 3 passed, 1 failed, in 1 seconds", 1),
     (True, "environment", "test-failure")),
    (_sh("ls a b 2>/dev/null", "a", 2), (True, "environment", "no-such-file")),
    (_sh("pytest a.py | tail -3", "=== 1 failed in 0.1s ==="),
     (True, "environment", "test-failure")),
    (_sh("npm test 2>&1 | head", "error: unrecognized subcommand 'npm'"),
     (True, "environment", "unknown-target")),
    (_sh("python a.py | head", "Traceback (most recent call last):\n  x\nKeyError: 'a'"),
     (True, "environment", "key-error")),
    (_sh("cat log.txt", "Traceback (most recent call last):\n  x\nKeyError: 'a'"),
     (False, "", "")),
    (_sh("python a.py", "Traceback (most recent call last):\n  x\nKeyError: 'a'", None),
     (True, "environment", "key-error")),
    (_sh("cat log.txt", "Traceback (most recent call last):\n  x\nKeyError: 'a'", None),
     (False, "", "")),
    (_sh("foo", "bash: line 1: foo: command not found", None),
     (True, "environment", "command-not-found")),
    (_sh("strings x.img", "strings: 'x.img': No such file", None),
     (True, "environment", "no-such-file")),
    (_sh("python a.py", "asyncio.py:80: RuntimeWarning: never awaited", None), (False, "", "")),
    (_call("Edit", "File has not been read yet. Read it first.", failure="validation",
           file_path="a.py"), (True, "validation", "edit-unread")),
    (_call("str_replace_editor", "No replacement was performed, old_str `x` did not appear",
           command="str_replace", path="a.py"), (True, "validation", "edit-not-found")),
    (_call("edit", "Error: oldString not found in content", filePath="a.py"),
     (True, "validation", "edit-not-found")),
    (_call("replace", "Failed to edit, 0 occurrences found for old_string in a.py",
           file_path="a.py"), (True, "validation", "edit-not-found")),
    (_call("edit", "Your proposed edit has introduced new syntax error(s).", path="a.py"),
     (True, "validation", "edit-breaks-syntax")),
    (_call("apply_patch", "apply_patch verification failed: Failed to find context",
           patch="*** Update File: a.py"), (True, "validation", "edit-not-found")),
    (_call("read", "Error: File not found: /r/a.ts", filePath="a.ts"),
     (True, "environment", "no-such-file")),
    (_call("Read", "1\tthe file has not been read yet, says this text", file_path="a.md"),
     (False, "", "")),
    (_call("Bash", "The user doesn't want to proceed with this tool use.", failure="rejected",
           command="rm -rf x"), (False, "rejected", "")),
    (_call("Write", "User rejected write to a.py", file_path="a.py"), (False, "rejected", "")),
    (_call("Write", "Claude requested permissions to write to a.py, but you haven't granted it",
           failure="permission", file_path="a.py"), (True, "permission", "not-permitted")),
    (_call("Read", "Sibling tool call errored", failure="validation", file_path="a.py"),
     (False, "validation", "")),
    (_call("execute_bash", "Cannot execute multiple commands at once.", failure="validation",
           command="a\nb"), (True, "validation", "invalid-arguments")),
    (_call("execute_sql", "SQL Error: 000904 (42000): invalid identifier", sql="select"),
     (True, "environment", "other")),
    (_call("Bash", None, command="sleep 1"), (False, "", "")),
]  # fmt: skip


@pytest.mark.parametrize(("call", "ending"), ENDINGS)
def test_a_step_ends_as_its_exit_code_or_its_words_say(
    call: ToolCall, ending: tuple[bool, str, str]
) -> None:
    step = _one(call)
    error_class = step.fault.error_class if step.fault else ""
    assert (step.failed, step.failure, error_class) == ending


def test_a_command_that_was_stopped_for_time_failed_by_timeout() -> None:
    observation = Observation(text="...", failure="environment", interrupted=True)
    step = _one(ToolCall(name="bash", arguments={"command": "pytest"}, observation=observation))
    assert (step.failed, step.verdict, step.fault) == (
        True,
        "fail",
        Fault(error_class="timeout", signature="timed out", message="..."),
    )


def test_a_call_that_never_took_effect_changed_nothing() -> None:
    record = _run(
        _call("Write", "User rejected write", file_path="a.py", content="x"),
        _call("Edit", "String to replace not found in file.", failure="validation", file_path="b"),
        _sh("cat > types/a.ts <<'EOF'\nx\nEOF", "(eval):1: no such file: types/a.ts", 1),
        _sh("python -c \"open('c.txt','w').write(d)\"", "NameError: name 'd' is not defined", 1),
    )
    assert [_files(s)[1:] for s in record.steps] == [((), ())] * 4
    assert (record.own_files, record.first_edit) == (frozenset(), -1)


def test_files_that_were_read_or_listed_are_not_the_agents_own() -> None:
    record = _run(
        _sh("ls", "README.md\nsetup.py\nsrc"),
        _sh("cat setup.py"),
        _sh("find . -name '*.md'", "./docs/a.md"),
        _sh("echo x > README.md"),
        _sh("echo x > setup.py"),
        _sh("echo x > docs/a.md"),
        _sh("echo x > docs/b.md"),
        _sh("echo x > a.md"),
    )
    assert record.own_files == {"docs/b.md", "a.md"}
    assert [s.own for s in record.steps[3:]] == [False, False, False, True, True]


def test_a_file_that_was_changed_in_place_was_there_before() -> None:
    record = _run(
        _sh("sed -i s/a/b/ a.py"),
        _call("Edit", "", file_path="b.py", old_string="x", new_string="y"),
        _sh("apply_patch <<'EOF'\n*** Add File: new.py\n+x\n*** Update File: c.py\n@@\nEOF"),
        _call("edit_file", "", target_file="made.py"),
    )
    assert [s.edits for s in record.steps[:2]] == [("a.py",), ("b.py",)]
    assert record.own_files == {"new.py", "made.py"}


def test_code_that_writes_a_new_file_makes_it() -> None:
    arguments = {"code": "open('out.txt', 'w').write('x')"}
    call = ToolCall(name="python", arguments=arguments, observation=Observation())
    assert _files(_one(call)) == ((), ("out.txt",), ("out.txt",))


def test_a_writing_tool_says_whether_the_file_was_there() -> None:
    record = _run(
        _call("Write", "The file /r/a.py has been updated.", file_path="/r/a.py", content=""),
        _call("Write", "File created successfully at: /r/b.py", file_path="/r/b.py", content=""),
        _call("write_file", "Successfully overwrote file: c.py", file_path="c.py", content=""),
        cwd="/r",
    )
    assert record.own_files == {"b.py"}


def test_an_own_file_that_was_removed_and_written_again_is_still_own() -> None:
    record = _run(
        _sh("echo 'x' > a.py"),
        _sh("ls", "a.py"),
        _sh("rm a.py"),
        _sh("echo 'y' > a.py"),
    )
    assert record.steps[3].own
    assert record.own_files == {"a.py"}


def test_removing_what_a_program_left_behind_is_no_edit_of_the_project() -> None:
    record = _run(_sh("sed -i s/a/b/ src/a.py"), _sh("rm -rf build plot.png"))
    assert (record.steps[1].edits, record.last_edit) == ((), 0)


def test_removing_a_folder_removes_the_own_files_in_it() -> None:
    record = _run(_sh("mkdir app && touch app/a.py app/b.py"), _sh("rm -rf app other"))
    step = record.steps[1]
    assert (step.edits, step.own, record.last_edit) == (("app/a.py", "app/b.py"), True, -1)


def test_running_an_own_script_that_writes_files_edits_them() -> None:
    source = "path = 'src/a.py'\ntext = open(path).read()\nopen(path, 'w').write(text)"
    fix = f"cat > fix.py <<'EOF'\n{source}\nEOF"
    record = _run(
        _sh("cat src/a.py"), _sh(fix), _sh("python3 fix.py"), _sh(f"{fix}\npython fix.py")
    )
    step = record.steps[2]
    assert (step.phase, step.check, step.own, step.verdict) == ("edit", False, False, "")
    assert _files(step) == ((), ("src/a.py",), ())
    assert record.steps[3].edits == ("fix.py", "src/a.py")
    assert (record.first_edit, record.last_edit) == (2, 3)


def test_a_script_written_by_a_tool_is_followed_through_its_edits() -> None:
    record = _run(
        _sh("cat src/a.py src/b.py"),
        _call("Write", "", file_path="fix.py", content="open('src/a.py', 'w')"),
        _call("Edit", "", file_path="fix.py", old_string="src/a.py", new_string="src/b.py"),
        _sh("python fix.py"),
    )
    assert record.steps[3].edits == ("src/b.py",)


def test_a_script_with_a_test_name_is_an_existing_test_only_where_the_agent_did_not_make_it() -> (
    None
):
    record = _run(
        _sh("cat > test_mine.py <<'EOF'\nx\nEOF\npython test_mine.py"),
        _sh("python test_mine.py"),
        _sh("python tests/test_theirs.py"),
        _sh("pytest test_mine.py", "1 passed in 0.1s"),
    )
    assert [(s.phase, s.own) for s in record.steps] == [
        ("run", True),
        ("run", True),
        ("test", False),
        ("test", True),
    ]


def test_an_own_script_is_judged_by_what_it_prints_without_counting_as_failed() -> None:
    record = _run(
        _sh("echo 'x' > repro.py"),
        _sh("python repro.py", "FAILURE: result is 2"),
        _sh("python repro.py", "SUCCESS: result is 1"),
        _sh("python theirs.py", "FAILURE: result is 2"),
        _sh("python -c 'assert f()'", "AssertionError", 1),
    )
    assert [(s.verdict, s.failed) for s in record.steps[1:]] == [
        ("fail", False),
        ("pass", False),
        ("pass", False),
        ("fail", True),
    ]


def test_a_filter_after_a_check_hides_its_exit_code() -> None:
    record = _run(_sh("pytest a.py | grep foo", "foo"), _sh("pytest a.py"))
    assert [s.verdict for s in record.steps] == ["", "pass"]


def test_a_script_passes_where_nothing_failed_and_no_exit_codes_are_recorded() -> None:
    script = _sh("python a.py", "344", None)
    assert _one(script).verdict == "pass"
    assert [s.verdict for s in _run(script, _sh("ls", "a.py", 0)).steps] == ["", ""]
    assert _one(_sh("pytest a.py", "...", None)).verdict == ""


def test_a_complaint_of_a_later_command_is_not_the_verdict_of_the_check() -> None:
    step = _one(_sh("pytest a.py\ncat log.txt", "cat: log.txt: No such file or directory", 1))
    assert (step.failed, step.verdict) == (True, "")


def test_folders_of_a_line_and_of_a_shell_that_stays_are_followed() -> None:
    calls = (_sh("cd src && cat a.py"), _sh("cat b.py"), _sh("cd .. && cat c.py"))
    per_call = _run(*calls, format="mini-swe-agent")
    staying = _run(*calls, format="openhands")
    assert [s.reads for s in per_call.steps] == [("src/a.py",), ("b.py",), ("../c.py",)]
    assert [s.reads for s in staying.steps] == [("src/a.py",), ("src/b.py",), ("c.py",)]


@pytest.mark.parametrize(
    ("cwd", "path", "relative"),
    [
        ("/home/x/p", "/home/x/p/src/a.py", "src/a.py"),
        ("/home/x/p", "./src/../a.py", "a.py"),
        ("/home/x/p", "/etc/hosts", "/etc/hosts"),
        ("", "/testbed/src/a.py", "src/a.py"),
        ("", "/workspace/proj__1.2/a.py", "a.py"),
        ("/workspace", "/workspace/proj/a.py", "a.py"),
        ("D:\\p", "D:\\p\\src\\a.go", "src/a.go"),
    ],
)
def test_paths_are_relative_to_the_project(cwd: str, path: str, relative: str) -> None:
    assert _one(_call("Read", "x", file_path=path), cwd=cwd).reads == (relative,)


def test_the_windowed_editor_says_which_file_it_edited() -> None:
    shown = "[File: /own__repo/src/a.py (9 lines total)]\n1:x"
    assert _one(_call("edit", shown, replacement_text="x"), cwd="").edits == ("src/a.py",)


def test_looking_at_a_background_command_continues_it() -> None:
    started = _call("exec_command", "collecting", cmd="pytest tests/a.py", session_id=7)
    done = _call("write_stdin", "1 passed in 3.1s", session_id=7, chars="")
    first, second = _run(started, done).steps
    assert (second.phase, second.purpose, second.check) == ("test", first.purpose, True)
    assert (second.verdict, second.command) == ("pass", "write_stdin 7")


def test_lines_that_stand_in_every_output_are_no_reason_to_fail() -> None:
    noise = (
        "Traceback (most recent call last):\n  File 'site.py'\n"
        "ModuleNotFoundError: No module named '_hack'\n"
    )
    quiet = [_sh(f"python -c 'print({i})'", f"{noise}{i}") for i in range(5)]
    record = _run(*quiet, _sh("python a.py", f"{noise}boom happened", 1))
    last = record.steps[-1]
    assert [s.failed for s in record.steps[:5]] == [False] * 5
    assert last.fault == Fault(
        error_class="other", signature="boom happened", message="boom happened"
    )
    assert last.observation.startswith("Traceback")


def test_handing_in_is_a_phase_of_its_own() -> None:
    line = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git add -A && git diff --cached"
    assert _one(_sh(line)).phase == "submit"


def test_a_huge_observation_is_cut_and_still_judged() -> None:
    size = 10_000_000
    texts = ["x" * size, "error: a b\n" * (size // 11), "\x1b[31mx\x1b[0m" * (size // 10)]
    steps = [_one(_sh("pytest tests/a.py", text + "\n=== 1 failed in 1s ===", 1)) for text in texts]
    assert [(s.verdict, s.failed, len(s.observation) < 200_000) for s in steps] == [
        ("fail", True, True)
    ] * 3


_TEXT = st.text(max_size=60)
_VALUES = st.one_of(
    _TEXT, st.none(), st.booleans(), st.integers(), st.lists(_TEXT, max_size=2),
    st.lists(st.dictionaries(st.sampled_from(["path", "x"]), _TEXT, max_size=2), max_size=2),
)  # fmt: skip
_CALLS = st.builds(
    ToolCall,
    name=st.one_of(_TEXT, st.sampled_from([row[0] for row in TOOLS])),
    arguments=st.dictionaries(
        st.sampled_from(["command", "cmd", "path", "file_path", "edits", "code", "input"]), _VALUES
    ),
    raw=_TEXT,
    observation=st.one_of(
        st.none(),
        st.builds(
            Observation,
            text=_TEXT,
            exit_code=st.one_of(st.none(), st.integers(-9, 300)),
            failure=st.sampled_from(["", "environment", "validation", "rejected", "permission"]),
        ),
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(_CALLS, max_size=5))
def test_any_calls_make_a_record_and_the_same_one_each_time(calls: list[ToolCall]) -> None:
    record = _run(*calls)
    assert record == _run(*calls)
    assert [s.index for s in record.steps] == list(range(len(calls)))
    assert all(s.fault is None or s.failed for s in record.steps)
    assert {path for s in record.steps for path in s.creates} == record.own_files


def test_runs_of_every_format_have_kinds_files_and_failures(shared_data: Path) -> None:
    readers = load_readers()
    folders = {
        "claude-code-jsonl": ("edit", "read", "shell"),
        "codex-rollout": ("edit", "shell"),
        "gemini-session": ("write", "read", "shell"),
        "mini-swe-agent-v1": ("shell",),
        "opencode-export": ("edit", "read", "search", "shell"),
        "openhands-output-jsonl": ("edit", "read", "shell"),
        "swe-agent-traj": ("edit", "write", "read", "list", "shell"),
    }
    for folder, kinds in folders.items():
        steps: list[StepRecord] = []
        for path in sorted((shared_data / "trajectories" / folder).iterdir()):
            source = Source(path)
            reader = reader_for(source, readers)
            runs = reader.read(source) if reader else ()
            steps += [step for run in runs for step in _build(run).steps]
        assert set(kinds) <= {s.kind for s in steps}, folder
        assert sum(bool(s.edits) for s in steps) >= 5, folder
        assert sum(s.kind == "other" for s in steps) <= 0.06 * len(steps), folder
        assert folder == "gemini-session" or any(s.failed and s.fault for s in steps), folder


def test_a_redirected_git_command_changes_no_file_of_the_project() -> None:
    run = _run(_sh("git diff > patch.txt"))
    assert (run.first_edit, run.last_edit) == (-1, -1)
    assert run.steps[0].creates == ("patch.txt",)
