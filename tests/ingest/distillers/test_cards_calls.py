"""Cards about calls of tools: edits that are refused, permissions, plans, sub-agents."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit

REFUSED = "The user doesn't want to proceed with this tool use. The tool use was rejected."
UNREAD = "File has not been read yet. Read it first before writing to it."
STALE = "File has been modified since read, either by the user or by a linter."
MISSED = "No replacement was performed, old_str `return a` did not appear verbatim in /repo/a.py."
SEVERAL = "Found 3 matches of the string to replace, but replace_all is false."
LINTED = "Your proposed edit has introduced new syntax error(s).\nERRORS:\n- E999 IndentationError"
NOT_APPLIED = "error: patch failed: src/a.py:12\nerror: src/a.py: patch does not apply"
BWRAP = "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted"


def edit(path: str, answer: str = "", failure: str = "", new: str = "b") -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "old_string": "a", "new_string": new}
    return ("Edit", arguments, answer or f"The file /repo/{path} has been updated.", failure)


def write(path: str, answer: str = "", failure: str = "", text: str = "x") -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "content": text}
    return ("Write", arguments, answer or f"File created successfully at: /repo/{path}", failure)


def read(path: str, text: str = "1\treturn a") -> tuple[Any, ...]:
    return ("Read", {"file_path": f"/repo/{path}"}, text)


def plan(*states: str) -> tuple[Any, ...]:
    todos = [{"content": f"part {i}", "status": state} for i, state in enumerate(states)]
    return ("TodoWrite", {"todos": todos}, "Todos have been modified successfully.")


REPORT = "The logging set-up is in src/log.py; " + "it is called from the entry point. " * 5
ANSWERED = 'User has answered your questions: "Which one?"="The first".'

CASES = [
    ("edit-unread", "an edit of an unread file, a read of it, an edit that works",
     [edit("a.py", UNREAD, "validation"), read("a.py"), edit("a.py")], [(0, 1, 2)]),
    ("edit-unread", "another file is read",
     [edit("a.py", UNREAD, "validation"), read("b.py"), edit("b.py")], []),
    ("edit-exact", "a look at the file between an edit that misses and one that works",
     [edit("a.py", MISSED, "environment"), read("a.py"), edit("a.py", new="c")], [(0, 1, 2)]),
    ("edit-exact", "no look before the edit that works",
     [edit("a.py", MISSED, "environment"), edit("a.py", new="c")], []),
    ("edit-ambiguous", "an edit with several matches, then one that works",
     [edit("a.py", SEVERAL, "environment"), edit("a.py", new="c")], [(0, 1)]),
    ("edit-ambiguous", "the edit that works is of another file",
     [edit("a.py", SEVERAL, "environment"), edit("b.py")], []),
    ("edit-stale", "a file that changed is read again and edited",
     [edit("a.py", STALE, "validation"), read("a.py"), edit("a.py")], [(0, 1, 2)]),
    ("edit-stale", "the file is not edited after the read",
     [edit("a.py", STALE, "validation"), read("a.py"), ("ls", "a.py")], []),
    ("edit-lint-refused", "a corrected edit of the same file",
     [edit("a.py", LINTED, "validation"), edit("a.py", new="    b")], [(0, 1)]),
    ("edit-lint-refused", "the editor refuses every time",
     [edit("a.py", LINTED, "validation"), edit("a.py", LINTED, "validation")], []),
    ("patch-context", "the target is read and changed in another way",
     [("git apply fix.diff", NOT_APPLIED, 1), ("cat src/a.py", "x = 1"), edit("src/a.py")],
     [(0, 1, 2)]),
    ("patch-context", "another file is changed",
     [("git apply fix.diff", NOT_APPLIED, 1), ("cat src/a.py", "x = 1"), edit("src/b.py")], []),
    ("shell-edit-checked", "sed, then the changed lines",
     [("sed -i 's/a/b/' src/a.py",), ("sed -n '1,9p' src/a.py", "b")], [(0, 1)]),
    ("shell-edit-checked", "sed, then a run",
     [("sed -i 's/a/b/' src/a.py",), ("python main.py", "ok"), ("cat src/a.py", "b")], []),
    ("shell-edit-checked", "a new file is no change",
     [("echo x > notes.txt",), ("cat notes.txt", "x")], []),
    ("call-arguments", "the missing parameter is given",
     [("Task", {"description": "look"}, "InputValidationError: The required parameter `prompt` "
       "is missing", "validation"), ("Task", {"prompt": "look at it"}, "found it")], [(0, 1)]),
    ("call-arguments", "another tool is used instead",
     [("Task", {"description": "look"}, "InputValidationError: The required parameter `prompt` "
       "is missing", "validation"), read("a.py")], []),
    ("rejected-new-plan", "the next call is another one",
     [write("LICENSE", REFUSED, "rejected"), write("LICENSE", text="Acme")], [(0, 1)]),
    ("rejected-new-plan", "the same call comes again",
     [write("LICENSE", REFUSED, "rejected"), write("LICENSE")], []),
    ("rejected-again", "the same call comes again",
     [write("LICENSE", REFUSED, "rejected"), read("a.py"), write("LICENSE")], [(0, 2)]),
    ("rejected-again", "the user has spoken in between",
     [write("LICENSE", REFUSED, "rejected"), "Sorry, do it.", write("LICENSE")], []),
    ("sandbox-failure", "the same command works outside the sandbox",
     [("git log --oneline", BWRAP, 1), ("git log --oneline", "a1 first")], [(0, 1)]),
    ("sandbox-failure", "the command itself is not allowed to write",
     [("touch /etc/x", "touch: cannot touch '/etc/x': Permission denied", 1),
      ("touch /etc/x", "")], []),
    ("plan-kept", "items are done one by one while work goes on",
     [plan("pending", "pending"), read("a.py"), plan("completed", "pending"), edit("a.py"),
      plan("completed", "completed")], [(0, 2, 4)]),
    ("plan-kept", "an item stays open",
     [plan("pending", "pending"), read("a.py"), plan("completed", "pending"), edit("a.py"),
      plan("completed", "pending")], []),
    ("ask-first", "an answer before the first change",
     [read("a.py"), ("AskUserQuestion", {"questions": []}, ANSWERED), edit("a.py")], [(1, 2)]),
    ("ask-first", "the question comes after the change",
     [read("a.py"), edit("a.py"), ("AskUserQuestion", {"questions": []}, ANSWERED)], []),
    ("delegate-checked", "a file of the report is read",
     [("Task", {"prompt": "find it"}, REPORT), read("src/log.py")], [(0, 1)]),
    ("delegate-checked", "a file that the report does not name is read",
     [("Task", {"prompt": "find it"}, REPORT), read("src/other.py")], []),
    ("context-restored", "the state is looked at after a summary",
     [edit("a.py"), "This session is being continued from a previous conversation that ran out "
      "of context.", ("git status", "M a.py"), edit("a.py")], [(1,)]),
    ("context-restored", "a change comes first",
     [edit("a.py"), "This session is being continued from a previous conversation that ran out "
      "of context.", edit("a.py"), ("git status", "M a.py")], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "steps", "found"),
    [pytest.param(card, steps, found, id=f"{card}: {says}") for card, says, steps, found in CASES],
)
def test_a_card_holds_where_it_says_and_only_there(
    card: str, steps: list[Any], found: list[tuple[int, ...]], make_run: Any, hits: Any
) -> None:
    assert hits(card, make_run(*steps)) == [Hit(steps=indexes) for indexes in found]


DENIED = "Claude requested permissions to write to /repo/NOTES.md, but you haven't granted it yet."


def test_a_refused_write_that_is_reported_as_done_is_a_hit(make_run: Any, hits: Any) -> None:
    run = make_run(read("a.py"), write("NOTES.md", DENIED, "permission"), end="Created NOTES.md.")
    assert hits("refused-reported-done", run) == [Hit(steps=(1,))]


@pytest.mark.parametrize(
    ("later", "end"),
    [
        ([], "NOTES.md was not written: the permission is missing."),
        ([write("NOTES.md")], "Created NOTES.md."),
        ([], "Created the other file."),
    ],
    ids=["the refusal is told", "it was written later", "another file is reported"],
)
def test_a_refused_write_is_no_hit_where_nothing_false_is_said(
    later: list[Any], end: str, make_run: Any, hits: Any
) -> None:
    run = make_run(write("NOTES.md", DENIED, "permission"), *later, end=end)
    assert hits("refused-reported-done", run) == []
