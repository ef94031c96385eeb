"""Projects and languages, told from what a run names."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepladder.ingest.project import language_of, name_of_remote, project_of


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/ada/shop.git", "ada/shop"),
        ("https://ada:token@github.com/ada/shop/", "ada/shop"),
        ("git@github.com:ada/shop.git", "ada/shop"),
        ("github.com:ada/shop", "ada/shop"),
        ("ssh://git@example.org:2222/ada/shop.git", "ada/shop"),
        ("https://gitlab.com/group/team/shop.git", "group/team/shop"),
        ("git@gitlab.com:group/team/shop.git", "group/team/shop"),
        ("https://dev.azure.com/org/project/_git/shop", "org/project/shop"),
        ("git@ssh.dev.azure.com:v3/org/project/shop", "org/project/shop"),
        ("/srv/git/shop.git", "shop"),
        ("file:///srv/git/shop.git", "shop"),
        ("C:\\git\\shop.git", "shop"),
        ("https://github.com/", ""),
        ("", ""),
    ],
)
def test_a_remote_names_its_project(url: str, name: str) -> None:
    assert name_of_remote(url) == name
    assert project_of("", url) == name


@pytest.mark.parametrize(
    ("cwd", "name"),
    [
        ("/home/ada-x/shop", "shop"),
        ("/home/ada-x/projects/shop", "shop"),
        ("/home/ada-x/projects/acme/shop", "acme/shop"),
        ("/home/ada-x/go/src/github.com/acme/shop", "acme/shop"),
        ("/Users/ada-x/Code/shop/apps/web", "shop"),
        ("/Users/ada-x/Code/shop/src/", "shop"),
        ("D:\\shop\\src", "shop"),
        ("C:\\repos\\Shop", "Shop"),
        ("C:/Users/ada-x/source/repos/Shop", "Shop"),
        ("/mnt/c/Users/ada-x/source/repos/Shop", "Shop"),
        ("/Users/ada-x/code/shop/.claude/worktrees/fix-1/src", "shop"),
        ("/Users/ada-x/code/shop/.worktrees/streaming", "shop"),
        ("/Users/ada-x/code/shop/worktrees/streaming", "shop"),
        ("/Users/ada-x/code/shop/worktree-streaming/src", "shop"),
        ("/Users/ada-x/code/shop.worktrees/streaming", "shop"),
        ("C:\\Users\\ada-x\\code\\shop\\.claude\\worktrees\\fix", "shop"),
        ("/home/ada-x/.codex/worktrees/ab12/shop", "shop"),
        ("/home/ada-x/.cursor/worktrees/shop/x1", "shop"),
        ("/private/var/folders/3b/abc/T/shop", "shop"),
    ],
)
def test_a_folder_names_its_project(cwd: str, name: str) -> None:
    assert project_of(cwd, "") == name


@pytest.mark.parametrize(
    "cwd", ["", "/", "/home/ada-x", "C:\\Users\\ada-x", "/testbed", "/nowhere-tmp/..", "a/b", "~/a"]
)
def test_a_folder_that_tells_nothing_names_none(cwd: str) -> None:
    expected = "nowhere-tmp/.." if ".." in cwd else ""
    assert project_of(cwd, "") == expected


def repository(root: Path, config: str = "") -> Path:
    (root / ".git").mkdir(parents=True)
    (root / ".git" / "config").write_text("[core]\n\tbare = false\n" + config)
    return root


REMOTES = """[remote "upstream"]
\turl = https://github.com/acme/shop
[branch "main"]
\tremote = origin
[remote "origin"]
\turl = git@github.com:ada/shop.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
"""


def test_a_repository_on_this_machine_is_named_by_its_remote_from_any_folder_of_it(
    tmp_path: Path,
) -> None:
    root = repository(tmp_path / "clone", REMOTES)
    inner = root / "apps" / "web"
    inner.mkdir(parents=True)
    assert project_of(str(root), "") == "ada/shop"
    assert project_of(str(inner), "") == "ada/shop"


def test_a_repository_without_a_remote_is_named_by_its_folder(tmp_path: Path) -> None:
    root = repository(tmp_path / "shop")
    (root / "src").mkdir()
    assert project_of(str(root / "src"), "") == "shop"


def test_a_worktree_belongs_to_its_repository_while_it_is_there_and_after(tmp_path: Path) -> None:
    root = repository(tmp_path / "clone", REMOTES)
    private = root / ".git" / "worktrees" / "fix"
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".git").write_text(f"gitdir: {private}\n")
    assert project_of(str(elsewhere), "") == "ada/shop"
    gone = root / ".claude" / "worktrees" / "fix"
    assert project_of(str(gone), "") == "ada/shop"


def test_what_the_run_says_of_its_repository_counts_more_than_the_folder(tmp_path: Path) -> None:
    root = repository(tmp_path / "clone", REMOTES)
    assert project_of(str(root), "https://github.com/other/name") == "other/name"


@given(st.text(), st.text())
def test_any_text_gives_a_name_or_nothing(cwd: str, url: str) -> None:
    assert isinstance(project_of(cwd, url), str)


@pytest.mark.parametrize(
    ("paths", "language"),
    [
        (["a.py", "b.py", "c.ts"], "python"),
        (["src/a.tsx", "src/b.ts", "x.js"], "typescript"),
        (["README.md", "pyproject.toml", "docs/a.md", "run.sh"], "bash"),
        (["README.md", "docs/a.md", "a.json"], "markdown"),
        (["a.h", "b.h", "c.cpp"], "cpp"),
        (["a.h", "b.c"], "c"),
        (["C:\\shop\\Program.cs"], "csharp"),
        (["Makefile", ".gitignore", "dir.py/LICENSE"], ""),
        ([], ""),
    ],
)
def test_the_language_is_what_most_files_are_in(paths: list[str], language: str) -> None:
    assert language_of(paths) == language
