"""Cards about commits, branches and pushes."""

from typing import Any

import pytest

from stepladder.ingest.distillers.rules.card import Hit

DONE = "[work 1a2b3c4] change\n 1 file changed"
REJECTED = " ! [rejected]  main -> main (fetch first)\nerror: failed to push some refs"
HOOK = "pre-commit hook failed\nsrc/a.py:3:1: F401 unused import"
NO_MATCH = "fatal: pathspec 'src/a.py' did not match any files"
CONFLICT = "CONFLICT (content): Merge conflict in src/a.py\nAutomatic merge failed"
OTHERS = " M src/a.py\n?? notes/mine.txt\n"


def edit(path: str) -> tuple[Any, ...]:
    arguments = {"file_path": f"/repo/{path}", "old_string": "a", "new_string": "b"}
    return ("Edit", arguments, f"The file /repo/{path} has been updated.")


COMMIT = ("git commit -m change", DONE)
TESTS = ("pytest", "3 passed in 0.1s")

CASES = [
    ("check-before-commit", "tests pass between the change and the commit",
     [edit("src/a.py"), TESTS, COMMIT], [(0, 1, 2)]),
    ("check-before-commit", "another change comes after the tests",
     [edit("src/a.py"), TESTS, edit("src/a.py"), COMMIT], []),
    ("diff-before-commit", "the diff is read before the commit",
     [edit("src/a.py"), ("git diff", "+b"), COMMIT], [(1, 2)]),
    ("diff-before-commit", "a change comes after the diff",
     [("git diff", "+b"), edit("src/a.py"), COMMIT], []),
    ("stage-by-name", "an unrelated file stays out",
     [("git status --short", OTHERS), ("git add src/a.py",), COMMIT], [(0, 1, 2)]),
    ("stage-by-name", "everything is added",
     [("git status --short", OTHERS), ("git add -A",), COMMIT], []),
    ("stage-by-name", "there is nothing unrelated",
     [("git status --short", " M src/a.py\n"), ("git add src/a.py",), COMMIT], []),
    ("hook-repaired", "the finding is corrected and the commit goes through",
     [("git commit -m change", HOOK, 1), edit("src/a.py"), COMMIT], [(0, 1, 2)]),
    ("hook-repaired", "the hook is bypassed",
     [("git commit -m change", HOOK, 1), edit("src/a.py"),
      ("git commit --no-verify -m change", DONE)], []),
    ("push-rejected", "the remote's commits are taken over",
     [("git push origin main", REJECTED, 1), ("git pull --rebase", "Successfully rebased"),
      ("git push origin main", "a..b main -> main")], [(0, 1, 2)]),
    ("push-rejected", "the push is forced",
     [("git push origin main", REJECTED, 1),
      ("git push --force origin main", "a..b main -> main")], []),
    ("pathspec-checked", "the same from another folder",
     [("git add src/a.py", NO_MATCH, 128), ("git -C /repo add src/a.py",)], [(0, 1)]),
    ("pathspec-checked", "it is not tried again",
     [("git add src/a.py", NO_MATCH, 128), ("git status", "clean")], []),
    ("look-after-push", "the CI is looked at",
     [("git push origin main", "a..b main -> main"), ("gh run list --limit 1", "queued")],
     [(0, 1)]),
    ("look-after-push", "the push was only a rehearsal",
     [("git push --dry-run origin main", "a..b"), ("gh run list --limit 1", "queued")], []),
    ("branch-first", "a branch, then the first commit",
     [("git checkout -b work", "Switched to a new branch 'work'"), edit("src/a.py"), COMMIT],
     [(0, 2)]),
    ("branch-first", "the branch comes after a commit",
     [COMMIT, ("git checkout -b work", "Switched to a new branch 'work'"), COMMIT], []),
    ("fetch-first", "a fetch at the start",
     [("git fetch origin", "From origin"), edit("src/a.py")], [(0,)]),
    ("fetch-first", "a fetch after the change",
     [edit("src/a.py"), ("git fetch origin", "From origin")], []),
    ("conflict-resolved", "the file is edited and the rebase completed",
     [("git rebase main", CONFLICT, 1), edit("src/a.py"),
      ("git add src/a.py && git rebase --continue", "Successfully rebased")], [(0, 1, 2)]),
    ("conflict-resolved", "the rebase is given up",
     [("git rebase main", CONFLICT, 1), ("git rebase --abort",)], []),
    ("trial-in-worktree", "made, used and removed",
     [("git worktree add ../trial v1", "Preparing worktree"), ("ls ../trial", "src"),
      ("git worktree remove ../trial",)], [(0, 2)]),
    ("trial-in-worktree", "never removed",
     [("git worktree add ../trial v1", "Preparing worktree"), ("ls ../trial", "src")], []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("card", "steps", "found"),
    [pytest.param(card, steps, found, id=f"{card}: {says}") for card, says, steps, found in CASES],
)
def test_a_card_holds_where_it_says_and_only_there(
    card: str, steps: list[Any], found: list[tuple[int, ...]], make_run: Any, hits: Any
) -> None:
    assert hits(card, make_run(*steps)) == [Hit(steps=indexes) for indexes in found]
