"""Cards about commands and the environment they run in."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit
from stepladder.ingest.trajectory import Observation, ToolCall

HELP = "Usage: deploy [options]\n\nOptions:\n  --to NAME   where to\n  --dry-run   show only\n" * 2
UNKNOWN = "deploy: error: unrecognized arguments: --target"
NO_REPO = "fatal: not a git repository (or any of the parent directories): .git"
TAKEN = "OSError: [Errno 98] Address already in use"
NAMES = "a.txt\nb.txt\nc.txt"
BROKEN = "Traceback (most recent call last):\nNameError: name 'rows' is not defined"


def timed_out(line: str) -> ToolCall:
    observation = Observation(
        text="Command timed out after 120s", failure="environment", interrupted=True
    )
    return ToolCall(name="Bash", arguments={"command": line}, observation=observation)


def in_background(line: str) -> ToolCall:
    arguments = {"command": line, "run_in_background": True}
    observation = Observation(text="Command running in background with ID: b1")
    return ToolCall(name="Bash", arguments=arguments, observation=observation)


def asked_again(text: str, exit_code: int) -> ToolCall:
    observation = Observation(text=text, exit_code=exit_code)
    return ToolCall(name="BashOutput", arguments={"bash_id": "b1"}, observation=observation)


def cell(code: str, answer: str, failure: str = "") -> tuple[Any, ...]:
    return ("execute_ipython_cell", {"code": code}, answer, failure)


WHOLE = "rows = [1, 2]\nfor row in rows:\n    print(row)"
PART = "for row in rows:\n    print(row)"

CASES = [
    ("usage-help", "the help is read and the command works",
     [("deploy --target web", UNKNOWN, 2), ("deploy --help", HELP), ("deploy --to web", "ok")],
     [(0, 1, 2)]),
    ("usage-help", "the option is guessed again",
     [("deploy --target web", UNKNOWN, 2), ("deploy --to web", "ok")], []),
    ("help-first", "the help, then the first use",
     [("deploy --help", HELP), ("deploy --to web", "ok")], [(0, 1)]),
    ("help-first", "the program was used before",
     [("deploy --to db", "ok"), ("deploy --help", HELP), ("deploy --to web", "ok")], []),
    ("wrong-folder", "the same command in the right folder",
     [("git log --oneline", NO_REPO, 128), ("cd anchor && git log --oneline", "a1 first")],
     [(0, 1)]),
    ("wrong-folder", "another command in another folder",
     [("git log --oneline", NO_REPO, 128), ("cd anchor && git status", "clean")], []),
    ("probe-tool", "it is there and then used",
     [("command -v jq", "/usr/bin/jq"), ("jq . data.json", "{}")], [(0, 1)]),
    ("probe-tool", "it is not there",
     [("command -v jq", "", 1), ("python -m json.tool data.json", "{}")], []),
    ("timeout-other-way", "only one file of the tests",
     [timed_out("pytest tests"), ("pytest tests -k dates", "3 passed in 0.1s")], [(0, 1)]),
    ("timeout-other-way", "the same again", [timed_out("pytest tests"), timed_out("pytest tests")],
     []),
    ("server-background", "a request is answered",
     [in_background("npm run dev"), ("curl -s http://localhost:3000", "<html>")], [(0, 1)]),
    ("server-background", "a request elsewhere",
     [in_background("npm run dev"), ("curl -s https://example.org", "<html>")], []),
    ("wait-for-check", "the result is asked for",
     [in_background("npm run test"), ("ls", "a"), asked_again("Tests: 3 passed, 3 total", 0)],
     [(0, 2)]),
    ("wait-for-check", "a server gives no result",
     [in_background("npm run dev"), asked_again("listening on 3000", 0)], []),
    ("output-to-file", "the log is searched",
     [("make test > /tmp/out.log 2>&1", "", 2), ("grep -n error /tmp/out.log", "9: error")],
     [(0, 1)]),
    ("output-to-file", "the log is not looked at",
     [("make test > /tmp/out.log 2>&1", "", 2), ("ls", "a")], []),
    ("dry-run-first", "rehearsed, then run",
     [("git push --dry-run origin main", "a..b"), ("git push origin main", "a..b")], [(0, 1)]),
    ("dry-run-first", "something else is pushed",
     [("git push --dry-run origin main", "a..b"), ("git push origin v2", "a..b")], []),
    ("port-in-use", "the holder is looked up",
     [("python server.py", TAKEN, 1), ("lsof -i :8000", "python 77"), ("kill 77",),
      ("python server.py", "ready")], [(0, 1, 3)]),
    ("port-in-use", "it is only tried again",
     [("python server.py", TAKEN, 1), ("python server.py", "ready")], []),
    ("secret-not-shown", "only whether it is set",
     [('echo "token: ${API_TOKEN:+set}"', "token: set")], [(0,)]),
    ("secret-not-shown", "the value is printed", [('echo "token: $API_TOKEN"', "token: abc")], []),
    ("count-with-tool", "listed, then counted",
     [("ls *.txt", NAMES), ("ls *.txt | wc -l", "3")], [(0, 1)]),
    ("count-with-tool", "something else is counted",
     [("ls *.txt", NAMES), ("ls *.csv | wc -l", "2")], []),
    ("inline-code-repaired", "the whole piece with the name defined",
     [cell(PART, BROKEN, "environment"), cell(WHOLE, "1\n2")], [(0, 1)]),
    ("inline-code-repaired", "another piece runs",
     [cell(PART, BROKEN, "environment"), cell("import os\nprint(os.name)\nx = 1", "posix")], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "steps", "found"),
    [pytest.param(card, steps, found, id=f"{card}: {says}") for card, says, steps, found in CASES],
)
def test_a_card_holds_where_it_says_and_only_there(
    card: str, steps: list[Any], found: list[tuple[int, ...]], make_run: Any, hits: Any
) -> None:
    assert hits(card, make_run(*steps)) == [Hit(steps=indexes) for indexes in found]
