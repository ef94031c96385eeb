"""Cards about edits from the shell, and about what small accepted changes have in common."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit
from stepladder.ingest.trajectory import Outcome

ACCEPTED = Outcome(status="success", source="verifier", confidence=1.0)
UNPARSED = 'Traceback (most recent call last):\n  File "/repo/src/a.py", line 4\nSyntaxError: bad'
ONE_LINE = ('python -c "class A: x=1; print(A)"', '  File "<string>", line 1\nSyntaxError: bad', 1)
DEBUG = ("sed -i '4i\\    print(f\"DEBUG: {x}\")' src/a.py",)
SCRIPT = (
    "cat > fix.py <<'EOF'\nlines = open('src/a.py').read()\nif 'old' in lines:\n"
    "    open('src/a.py', 'w').write(lines)\n    print('Applied the fix')\nEOF"
)
JOIN = "SELECT month, sum(cents) FROM orders JOIN shipments ON id = order_id GROUP BY month"
COUNT = "SELECT count(*), count(DISTINCT id) FROM orders JOIN shipments ON id = order_id"
COMMIT = ("git commit -am 'client: token from the environment'", "[main 1a2b3c] client")
LEAK = "A token was committed to this repository by mistake. Remove it."


def sql(query: str, answer: str = "3") -> tuple[str, str]:
    return (f'sqlite3 shop.db "{query}"', answer)


def sed(old: str, new: str, path: str = "src/a.py") -> tuple[str]:
    return (f"sed -i 's/{old}/{new}/' {path}",)


def changed(old: str, new: str, path: str = "src/a.py") -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "old_string": old, "new_string": new}
    return ("Edit", arguments, f"The file /repo/{path} has been updated.")


CASES = [
    ("indent-after-edit", "the check shows it and the file is repaired",
     [sed("old", "new"), ("python run.py", UNPARSED, 1), sed("new", "newer"),
      ("python run.py", "ok")], [(0, 1, 2)]),
    ("indent-after-edit", "another file cannot be parsed",
     [sed("old", "new", "src/a_b.py"), ("python run.py", UNPARSED, 1), sed("new", "x", "src/b.py"),
      ("python run.py", "ok")], []),
    ("undo-retry", "changed, undone, changed",
     [sed("old", "new"), ("git checkout src/a.py",), sed("old", "newer")], [(0, 1, 2)]),
    ("undo-retry", "undone only to compare",
     [sed("old", "new"), ("git checkout src/a.py",), ("bin/test", "Ran 2 tests\n\nOK"),
      sed("old", "new")], []),
    ("sed-no-effect", "the look lacks the text, and the edit is tried again",
     [sed("return dagger", "return (dagger)"), ("sed -n '480p' src/a.py", "def latex(self):"),
      ("sed -i '481s/dagger/return (dagger)/' src/a.py",)], [(0, 1, 2)]),
    ("sed-no-effect", "the look shows the new text",
     [sed("return dagger", "return (dagger)"), ("sed -n '480p' src/a.py", "return (dagger)"),
      ("sed -i '481s/dagger/return (dagger)/' src/a.py",)], []),
    ("pattern-too-wide", "the text stands twice, then one line is named",
     [("sed -i '/if direct:/a \\        return super().sql(compiler)' src/a.py",),
      ("grep -n sql src/a.py", "4: return super().sql(compiler)\n9: return super().sql(compiler)"),
      ("git checkout src/a.py",),
      ("sed -i '9a \\        return super().sql(compiler)' src/a.py",)], [(0, 1, 3)]),
    ("pattern-too-wide", "the text stands once",
     [("sed -i '/if direct:/a \\        return super().sql(compiler)' src/a.py",),
      ("grep -n sql src/a.py", "4: return super().sql(compiler)"),
      ("sed -i '9a \\        return super().sql(compiler)' src/a.py",)], []),
    ("number-before-sed", "the lines around it were numbered",
     [("nl -ba src/a.py | sed -n '10,14p'", "    10\ta\n    14\tb"),
      ("sed -i '12d' src/a.py",)], [(0, 1)]),
    ("number-before-sed", "other lines were numbered",
     [("grep -n def src/a.py", "212:def split"), ("sed -i '18i import csv' src/a.py",)], []),
    ("sed-to-script", "the edit failed and a script made it",
     [("cat src/a.py", "old"),
      ("sed -i 's/a/b' src/a.py", "sed: -e expression #1, char 5: unterminated `s' command", 1),
      (f"{SCRIPT}\npython fix.py", "Applied the fix")], [(1, 2)]),
    ("sed-to-script", "the edit worked",
     [sed("a", "b"), (f"{SCRIPT}\npython fix.py", "Applied the fix")], []),
    ("edit-script-reports", "it says what it did",
     [(SCRIPT,), ("python fix.py", "Applied the fix")], [(0, 1)]),
    ("edit-script-reports", "the words are those of another program",
     [(SCRIPT.replace("print('Applied the fix')", "pass"),),
      ("python fix.py", "3 files updated")], []),
    ("heredoc-quoted", "the same file, first without and then with quotes",
     [("cat > run.sh <<EOF\necho $HOME\nEOF",), ("cat run.sh", "echo /root"),
      ("cat > run.sh <<'EOF'\necho $HOME\nEOF",)], [(0, 2)]),
    ("heredoc-quoted", "nothing in it could be replaced",
     [("cat > run.sh <<EOF\necho home\nEOF",), ("cat > run.sh <<'EOF'\necho house\nEOF",)], []),
    ("one-liner-to-script", "several lines run",
     [ONE_LINE, ("python - <<'EOF'\nclass A:\n    x = 1\nprint(A)\nEOF", "A")], [(0, 1)]),
    ("one-liner-to-script", "another single line runs",
     [ONE_LINE, ("python -c \"print(1)\"", "1")], []),
    ("show-whitespace", "tabs are shown, then the file is edited",
     [("cat -A src/a.py | head", "^Ireturn$"), sed("old", "new")], [(0, 1)]),
    ("show-whitespace", "the file is only read", [("cat src/a.py", "return"), sed("a", "b")], []),
    ("syntax-check", "the edited file is parsed",
     [sed("old", "new"), ("python -m py_compile src/a.py",)], [(0, 1)]),
    ("syntax-check", "another file is parsed",
     [sed("old", "new"), ("python -m py_compile src/b.py",)], []),
    ("debug-print-removed", "added, run, removed",
     [DEBUG, ("python run.py", "DEBUG: 3"), ("sed -i '/DEBUG/d' src/a.py",)], [(0, 1, 2)]),
    ("debug-print-removed", "never removed",
     [DEBUG, ("python run.py", "DEBUG: 3"), sed("old", "new")], []),
    ("callers-first", "the uses are searched, then the parameters change",
     [("grep -rn execute_sql src", "src/b.py:3: execute_sql(a)"),
      changed("def execute_sql(a):", "def execute_sql(a, b=None):")], [(0, 1)]),
    ("callers-first", "only the definition is searched",
     [("grep -rn 'def execute_sql' src", "src/a.py:3:def execute_sql(a):"),
      changed("def execute_sql(a):", "def execute_sql(a, b=None):")], []),
    ("message-search", "words of the failure are found and the file is changed",
     [("python run.py", "ValueError: expression contains mixed types", 1),
      ("grep -rn 'expression contains mixed types' src", "src/a.py:9: 'expression contains mixed"),
      sed("mixed", "other")], [(0, 1, 2)]),
    ("message-search", "a line of code is searched",
     [("python run.py", "from app import models\nValueError: x", 1),
      ("grep -rn 'from app import models' src", "src/a.py:9: from app import models"),
      sed("mixed", "other")], []),
    ("sibling-places", "one guard in two places",
     [changed("return isinstance(args[0], A)", "return len(args) > 0 and isinstance(args[0], A)"),
      changed("return isinstance(args[0], B)", "return len(args) > 0 and isinstance(args[0], B)")],
     [(0, 1)]),
    ("sibling-places", "two renames of one variable",
     [changed("handler = 1", "adapted = 1"), changed("use(handler)", "use(adapted)")], []),
    ("join-count", "the rows of the join are counted", [sql(JOIN), sql(COUNT)], [(0, 1)]),
    ("join-count", "the rows of one table are counted",
     [sql(JOIN), sql("SELECT count(*) FROM orders")], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "steps", "expected"),
    [(name, steps, expected) for name, _, steps, expected in CASES],
    ids=[f"{name}: {what}" for name, what, _, _ in CASES],
)
def test_the_card_fires_on_exactly_these_steps(
    make_run: Any, hits: Any, name: str, steps: list[Any], expected: list[tuple[int, ...]]
) -> None:
    assert hits(name, make_run(*steps)) == [Hit(steps=found) for found in expected]


CHANGES = [
    ("none-guard", "use(x)", "if x is not None:\n    use(x)", True),
    ("none-guard", "return x is None", "return y is None", False),
    ("type-guard", "return x.name", "if isinstance(x, Named):\n    return x.name", True),
    ("type-guard", "if isinstance(x, abc.A):", "if isinstance(x, abc.B):", False),
    ("pass-option", "self.save(fields=f)", "self.save(using=db, fields=f)", True),
    ("pass-option", "re.compile(text)", "re.compile(text, re.IGNORECASE)", True),
    ("pass-option", "def save(self):", "def save(self, using=None):", False),
    ("catch-raised", "except TypeError:", "except (TypeError, ValueError):", True),
    ("catch-raised", "    pass", "    pass\nexcept TypeError:", False),
    ("catch-raised", "except TypeError:\n    a()", "except TypeError:\n    b()", False),
    ("escape-pattern", "re.compile(prefix + x)", "re.compile(re.escape(prefix) + x)", True),
    ("escape-pattern", "re.escape(a)", "re.escape(b)", False),
    ("boundary", "if following <= len(rows):", "if following < len(rows):", True),
    ("boundary", "for i in range(n):", "for i in range(n + 1):", True),
    ("boundary", "if a < b:", "if a < c:", False),
    ("clear-error", "n = 1", 'if n < 1:\n    raise ValueError("attempts start at 1")', True),
    ("clear-error", 'raise ValueError("a")', 'raise TypeError("a")', False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "expected"), CHANGES)
def test_an_accepted_small_change_shows_a_pattern(
    make_run: Any, hits: Any, name: str, old: str, new: str, expected: bool
) -> None:
    found = hits(name, make_run(changed(old, new), outcome=ACCEPTED))
    assert found == ([Hit(steps=(0,))] if expected else [])


def test_a_change_that_nobody_accepted_shows_none(make_run: Any, hits: Any) -> None:
    assert hits("none-guard", make_run(changed("use(x)", "if x is not None:\n    use(x)"))) == []


def test_a_change_of_a_test_or_one_that_was_taken_back_shows_none(make_run: Any, hits: Any) -> None:
    guard = ("use(x)", "if x is not None: use(x)")
    for steps in (
        [changed(*guard, path="tests/test_a.py")],
        [changed(*guard), ("git checkout src/a.py",)],
        [changed(*guard), changed(*reversed(guard))],
    ):
        assert hits("none-guard", make_run(*steps, outcome=ACCEPTED)) == []


def test_a_diff_at_the_end_is_believed_more_than_the_edits(make_run: Any, hits: Any) -> None:
    diff = "--- a/src/a.py\n+++ b/src/a.py\n@@ -1 +1 @@\n-if a <= b:\n+if a < b:"
    run = make_run(changed("x", "if x is None: pass"), ("git diff", diff), outcome=ACCEPTED)
    assert (hits("none-guard", run), hits("boundary", run)) == ([], [Hit(steps=(1,))])


def test_a_patch_of_a_tool_is_read_like_a_diff(make_run: Any, hits: Any) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: /repo/src/a.py\n@@\n-  use(x)\n+  if x is not None:\n"
        "+    use(x)\n*** End Patch"
    )
    run = make_run(("apply_patch", {"input": patch}, "Success."), outcome=ACCEPTED)
    assert hits("none-guard", run) == [Hit(steps=(0,))]


def test_output_that_was_cut_is_asked_for_again_in_part(make_run: Any, hits: Any) -> None:
    from stepladder.ingest.trajectory import Observation, ToolCall

    long = Observation(text="line\n" * 500, exit_code=0, truncated=True)
    cut = ToolCall(name="Bash", arguments={"command": "cat src/a.py"}, observation=long)
    assert hits("truncated", make_run(cut, ("grep -n split src/a.py", "7:def split"))) == [
        Hit(steps=(0, 1))
    ]
    assert hits("truncated", make_run(cut, ("grep -n split src/b.py", "7:def split"))) == []


def test_a_total_over_a_join_is_handed_over_uncounted(make_run: Any, hits: Any) -> None:
    write = ("Write", {"file_path": "/repo/best.py", "content": f'QUERY = "{JOIN}"'}, "created")
    assert hits("join-unchecked", make_run(write, end="Done.")) == [Hit(steps=(0,))]
    assert hits("join-unchecked", make_run(sql(COUNT), write, end="Done.")) == []


def test_a_secret_is_committed_away_without_a_look_at_the_history(make_run: Any, hits: Any) -> None:
    assert hits("secret-history", make_run(sed("token", "env"), COMMIT, task=LEAK)) == [
        Hit(steps=(0, 1))
    ]
    looked = make_run(("git log -S token", "1a2b"), sed("token", "env"), COMMIT, task=LEAK)
    assert hits("secret-history", looked) == []
