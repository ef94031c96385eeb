"""What a shell line runs, reads and writes, and which of its commands it is about."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepladder.ingest.shell.files import patched_files, script_files
from stepladder.ingest.shell.line import MAX_CODE_BYTES, Command, main_command, parse

NAMES = [
    ("pytest -q", [("pytest", "")]),
    ("/usr/bin/git status", [("git", "status")]),
    ("git -C sub -c a.b=c log --oneline -3", [("git", "log")]),
    ("git --no-pager diff HEAD~1", [("git", "diff")]),
    ("git --version", [("git", "")]),
    ("npm --prefix web run build", [("npm", "run")]),
    ("pnpm --filter web lint", [("pnpm", "lint")]),
    ("yarn workspace api test", [("yarn", "test")]),
    ("cargo +nightly clippy", [("cargo", "clippy")]),
    ("go test ./...", [("go", "test")]),
    ("docker compose -f dev.yml up -d", [("docker", "compose")]),
    ("kubectl -n prod get pods", [("kubectl", "get")]),
    ("uv pip install x", [("uv", "pip")]),
    ("make -C src -j 8 V=1 check", [("make", "check")]),
    ("make", [("make", "")]),
    ("mvn -q -pl core test", [("mvn", "test")]),
    ("./gradlew :app:test", [("./gradlew", ":app:test")]),
    ("terraform -chdir=infra plan", [("terraform", "plan")]),
    ("ruff .", [("ruff", "")]),
    ("python -m pytest tests/x.py", [("python", "-m pytest")]),
    ("python3.11 -W error -m unittest", [("python3.11", "-m unittest")]),
    ("python manage.py test app", [("python", "test")]),
    ("python -c 'print(1)'", [("python", "-c")]),
    ("python script.py --flag", [("python", "")]),
    (".venv/bin/python -m pytest", [("python", "-m pytest")]),
    ("$VENV/bin/pip install -e .", [("pip", "install")]),
    ("./node_modules/.bin/jest a.test.js", [("jest", "")]),
    ("bin/test a", [("bin/test", "")]),
    ("./bin/test a", [("bin/test", "")]),
    ("/repo/bin/test a", [("bin/test", "")]),
    ("./test", [("./test", "")]),
    ("/repo/tests/runtests.py", [("runtests.py", "")]),
    ("../tests/runtests.py x", [("../tests/runtests.py", "")]),
    ("[ -f x ] && ls", [("test", ""), ("ls", "")]),
    ("sudo -u bob env A=1 timeout -k 5 60 nice -n 5 pytest", [("pytest", "")]),
    ("time make test", [("make", "test")]),
    ("find . -name x | xargs -I{} grep -n y {}", [("find", ""), ("grep", "")]),
    ("bash -lc 'cd a && npm test'", [("cd", ""), ("npm", "test")]),
    ("sh -c \"bash -c 'ls; pwd'\"", [("ls", ""), ("pwd", "")]),
    ("bash run.sh -c x", [("bash", "")]),
    ("bash <<'EOF'\ncd a\nmake test\nEOF", [("cd", ""), ("make", "test")]),
    ("eval 'go build'", [("go", "build")]),
    ("(cd a; ls) || { pwd; }", [("cd", ""), ("ls", ""), ("pwd", "")]),
    ("if grep -q a f; then make; else ls; fi", [("grep", ""), ("make", ""), ("ls", "")]),
    ("for f in *.py; do python $f; done", [("python", "")]),
    ("while read x; do echo $x; done < f", [("read", ""), ("echo", "")]),
    ("case $x in a) ls;; esac", [("ls", "")]),
    ("! grep x y", [("grep", "")]),
    ("command -v gh && command gh pr list", [("command", ""), ("gh", "pr")]),
    ('cmd /c "npm test"', [("npm", "test")]),
    ("cmd.exe /C dir", [("dir", "")]),
    ('powershell -NoProfile -Command "Get-Content a.txt"', [("Get-Content", "")]),
    (r"C:\Tools\git.exe status", [("git", "status")]),
    (r".\gradlew.bat build", [("./gradlew", "build")]),
    ("x=$(git status)", [("", "")]),
    ('echo "$(make test)" <(ls)', [("echo", "")]),
    ("git log 'unterminated", [("git", "log")]),
    ("ls; )", [("ls", "")]),
    ("if true; then\n  ls\n", [("true", ""), ("ls", "")]),
    ("ls\r\npwd\r\n", [("ls", ""), ("pwd", "")]),
]


@pytest.mark.parametrize(("line", "expected"), NAMES, ids=[line for line, _ in NAMES])
def test_programs_and_subcommands_come_in_the_order_written(
    line: str, expected: list[tuple[str, str]]
) -> None:
    assert [(c.program, c.subcommand) for c in parse(line)] == expected


@pytest.mark.parametrize(
    ("line", "wrapper", "program", "rest"),
    [
        ("npx --yes tsc@5.4 --noEmit", "npx", "tsc", ("--noEmit",)),
        ("npx -p typescript tsc", "npx", "tsc", ()),
        ("npx @scope/tool@latest x", "npx", "@scope/tool", ("x",)),
        ("uvx --from x ruff check", "uvx", "ruff", ("check",)),
        ("uv run --with rich pytest -q", "uv run", "pytest", ("-q",)),
        ("poetry run pytest", "poetry run", "pytest", ()),
        ("cd a && bundle exec rspec spec", "bundle exec", "rspec", ("spec",)),
        ("conda run -n env python x.py", "conda run", "python", ("x.py",)),
        ("pnpm --filter web exec vitest run", "pnpm exec", "vitest", ("run",)),
        ("sudo poetry run bash -c 'flake8 src'", "poetry run", "flake8", ("src",)),
    ],
)
def test_tool_runners_are_taken_off_and_recorded(
    line: str, wrapper: str, program: str, rest: tuple[str, ...]
) -> None:
    command = parse(line)[-1]
    assert (command.wrapper, command.program, command.args) == (wrapper, program, rest)


@pytest.mark.parametrize(
    ("line", "task"),
    [
        ("npm run build -- --x", "build"),
        ("gh pr create --fill", "create"),
        ("docker compose -p x up", "up"),
        ("mise run lint", "lint"),
        ("git stash pop", "pop"),
        ("git status", ""),
    ],
)
def test_the_word_after_a_group_is_the_task(line: str, task: str) -> None:
    assert parse(line)[0].task == task


@pytest.mark.parametrize(
    ("line", "reads", "writes"),
    [
        ("pytest > out.log 2>&1", (), ("out.log",)),
        ("pytest 2>/dev/null >&2", (), ()),
        ("make &> all.log", (), ("all.log",)),
        ("cd a && ls >> out", (), ("out",)),
        ("> empty", (), ("empty",)),
        ("sort < in > out", ("in",), ("out",)),
        ("echo > out hi there", (), ("out",)),
        ("make | tee -a build.log", (), ("build.log",)),
        ("sed -n '1,5p' a.py b.py", ("a.py", "b.py"), ()),
        ("sed -i 's/a/b/' a.py", (), ("a.py",)),
        ("sed -i '' -e 's/a/b/' a.py", (), ("a.py",)),
        ("sed -Ei.bak 's/a/b/' a.py", (), ("a.py",)),
        ("perl -pi -e 's/a/b/' a.py", (), ("a.py",)),
        ("cp a b", ("a",), ("b",)),
        ("mv -f a x/b dest/", ("a", "x/b"), ("dest/a", "dest/b")),
        ("cp -t dest a", ("a",), ("dest/a",)),
        ("git mv a b", ("a",), ("b",)),
        ("cat a | head -n 3", ("a",), ()),
        ("head -n 3 a", ("a",), ()),
        ("grep -rn -A 3 'x y' src tests", ("src", "tests"), ()),
        ("grep -e x src", ("src",), ()),
        ("curl -s -o page.html http://x", (), ("page.html",)),
        ("dd if=a of=b", ("a",), ("b",)),
        ("cat <<EOF > 'a b.py'\nx\nEOF", (), ("a b.py",)),
        ("cat <<EOF - > f\nx\nEOF", (), ("f",)),
        ("patch -p1 <<'EOF'\n--- a/x.py\n+++ b/x.py\n@@\nEOF", (), ("x.py",)),
        ("patch x.py < fix.diff", ("fix.diff",), ("x.py",)),
        ("git apply fix.diff", ("fix.diff",), ()),
        ("git apply <<'EOF'\n+++ b/x.py\n+++ /dev/null\nEOF", (), ("x.py",)),
        ("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.py\n+x\nEOF", (), ("n.py",)),
        ("python - <<'EOF'\nopen('a.txt', 'w').write('x')\nEOF", (), ("a.txt",)),
        ("python3 -c \"open('a').read(); open('b', mode='a')\"", ("a",), ("b",)),
        ("node -e \"fs.writeFileSync('a.json', s)\"", (), ("a.json",)),
    ],
)
def test_files_read_and_written(line: str, reads: tuple[str, ...], writes: tuple[str, ...]) -> None:
    commands = parse(line)
    assert tuple(p for c in commands for p in c.reads) == reads
    assert tuple(p for c in commands for p in c.writes) == writes


@pytest.mark.parametrize(
    ("line", "program", "subcommand"),
    [
        ("cd /repo", "cd", ""),
        ("cd /repo && pytest -x", "pytest", ""),
        ("cd /repo && export A=1 && mkdir -p x && echo hi && npm test", "npm", "test"),
        ("source .venv/bin/activate && python -m pytest", "python", "-m pytest"),
        ("cat > t.py <<'EOF'\nprint(1)\nEOF\npython t.py", "python", ""),
        ("cat > t.py <<'EOF'\nprint(1)\nEOF", "cat", ""),
        ("cat <<'EOF' > t.c && gcc t.c && ./a.out\nint x;\nEOF", "gcc", ""),
        ("echo x > t.pony && ponyc t.pony", "ponyc", ""),
        ("pip install -e . && pytest", "pytest", ""),
        ("pip install x && ls", "pip", "install"),
        ("apt-get update && apt-get install -y x", "apt-get", "install"),
        ("git stash && pytest; git stash pop", "pytest", ""),
        ("git checkout f.py && git status", "git", "checkout"),
        ("git add -A && git commit -m x", "git", "commit"),
        ("sed -i s/a/b/ f && python f", "python", ""),
        ("sed -i s/a/b/ f && sed -n 1,5p f", "sed", ""),
        ("python - <<'E'\nopen('a','w')\nE\npytest", "pytest", ""),
        ("grep -n x f && pytest", "grep", ""),
        ("pytest 2>&1 | tail -5", "pytest", ""),
        ("cat x | head", "cat", ""),
        ("cat x.py | python -", "python", ""),
        ("echo '{}' | jq .", "jq", ""),
        ("yes | npx create-app", "create-app", ""),
        ("python -m http.server & sleep 1; curl localhost", "curl", ""),
        ("which pytest; pytest --version", "pytest", ""),
        ("make clean && make", "make", ""),
        ("rm -rf build && cmake --build build", "cmake", "--build"),
        ("set -e; true", "true", ""),
        ("timeout 60 bash -c 'cd a && cargo test'", "cargo", "test"),
    ],
)
def test_the_line_is_about_what_it_runs_and_not_about_its_set_up(
    line: str, program: str, subcommand: str
) -> None:
    main = main_command(parse(line))
    assert main is not None
    assert (main.program, main.subcommand) == (program, subcommand)


def test_a_command_is_described_whole() -> None:
    line = (
        'cd x && A=1 B="b c" poetry run python - a\\ b "$HOME/\\"q" <<EOF | tail -1\n'
        "print(1)\nEOF\n"
    )
    assert parse(line) == (
        Command("cd", args=("x",)),
        Command(
            "python",
            args=("-", "a b", '$HOME/"q'),
            heredoc="print(1)\n",
            assigns=(("A", "1"), ("B", "b c")),
            wrapper="poetry run",
        ),
        Command("tail", args=("-1",), piped=True),
    )


def test_background_marks_every_command_of_the_list() -> None:
    assert [c.background for c in parse("cd a && serve & sleep 1; ls &")] == [
        True,
        True,
        False,
        True,
    ]


def test_words_are_decoded() -> None:
    line = r"""printf 'a'"'"'b' "x\$y\n" $'t\tn\'' {a,b}.txt ~/z $((1+2)) ${X:-y} """
    assert parse(line)[0].args == (
        "a'b",
        r"x$y\n",
        "t\tn'",
        "{a,b}.txt",
        "~/z",
        "$((1+2))",
        "${X:-y}",
    )


def test_nothing_comes_of_nothing() -> None:
    assert [parse(line) for line in (None, "", "  \n", "# note", "\0", '"')] == [()] * 6
    assert main_command(()) is None


def test_script_files_follows_variables_to_their_literals() -> None:
    source = (
        "from pathlib import Path\n"
        "path = 'src/a.py'\n"
        "other = Path('src/b.py')\n"
        "text = open(path).read()\n"
        "with open(path, 'w') as f:\n    f.write(text)\n"
        "other.write_text(Path('c.md').read_text())\n"
        "open(unknown, 'w')\n"
    )
    assert script_files(source) == (("src/a.py", "c.md"), ("src/a.py", "src/b.py"))


def test_patched_files_skips_deletions() -> None:
    patch = "*** Update File: a.py\n*** Delete File: b.py\n*** Move to: c.py\n+++ /dev/null\n"
    assert patched_files(patch) == ["a.py", "c.py"]


def test_the_body_of_a_long_here_doc_is_kept_whole() -> None:
    body = "print('it\\'s | \"long\" $(x)')\n" * (MAX_CODE_BYTES // 10)
    commands = parse(f"cat > big.py <<'EOF'\n{body}EOF\npython big.py")
    assert commands == (
        Command("cat", writes=("big.py",), heredoc=body),
        Command("python", args=("big.py",)),
    )


HOSTILE = ["(", "$(", '"$(', "<<A\n", "cat <<E ", "a | ", "{ ", "if a; then ", "`", "${a:-", "[[ "]
HOSTILE += ["a && ", "ls -l\n", "\\", "> ", "sudo ", "eval '", 'bash -c "', "\0", "\ud800", "<<A<<"]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_of_anything_is_survived(unit: str) -> None:
    line = unit * (1_000_000 // len(unit))
    main_command(parse(line))


def test_scripts_of_a_megabyte_are_searched_to_their_end() -> None:
    for unit in (
        "open(",
        "open( " + " " * 900,
        "a = ",
        "+++ b",
        "a" * 900,
        "Path( ",
        "x.write_text(",
    ):
        text = unit * (1_000_000 // len(unit))
        script_files(text)
        patched_files(text)


SHELL_TEXT = (
    "cd ls a=1 && || | ; & ( ) { } $( ` \" ' \\ < > << <<A A \n if then fi for do done case in "
    "esac sudo env bash -c -lc npx python - -m git -C sed -i cat tee $X ${ }} [[ ]] # ! * ~ é \0"
)
SHELL_BITS = st.sampled_from([*SHELL_TEXT.split(" "), "\ud800"])


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(SHELL_BITS, max_size=40).map(" ".join)))
def test_no_line_raises_and_the_answer_is_stable(line: str) -> None:
    commands = parse(line)
    assert commands == parse(line)
    main = main_command(commands)
    assert (main is None) == (commands == ())
    assert main is None or main in commands


def test_public_runs_parse_and_are_never_blamed_on_cd(shared_data: Path) -> None:
    seen = 0
    for path in sorted((shared_data / "swebench-verified-runs").glob("astropy*.json")):
        for message in json.loads(path.read_text(encoding="utf-8"))["messages"]:
            if message["role"] != "assistant":
                continue
            for line in re.findall(r"```bash\n(.*?)\n```", message["content"], re.DOTALL):
                commands = parse(line)
                main = main_command(commands)
                assert main is not None
                assert main.program not in ("cd", "export") or len(commands) == 1
                seen += 1
    assert seen > 100


def test_importing_the_module_does_not_load_the_grammar() -> None:
    code = "import sys, stepladder.ingest.shell; print('tree_sitter' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
