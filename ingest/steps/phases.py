"""What a shell command is for: its phase, by program and sub-command."""

import re
from collections.abc import Sequence
from typing import Final

from ..record import Phase
from ..shell import Command


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _table(rows: dict[Phase, str]) -> dict[str, Phase]:
    return {name: phase for phase, names in rows.items() for name in names.split()}


_PROGRAMS: Final = _table(
    {
        "explore": "ls ll dir tree find fd fdfind locate pwd du df stat which whereis where whoami "
        "uname env printenv ps top lsof netstat ss id hostname date wc file exa eza lsb_release "
        "Get-ChildItem type command hash nproc free lscpu nvidia-smi ip ifconfig history realpath "
        "readlink basename dirname md5sum sha256sum sha1sum cksum ldd nm objdump readelf otool "
        "binwalk exiftool jobs",
        "search": "grep egrep fgrep zgrep rg ag ack ast-grep sg Select-String findstr fzf zoekt "
        "semgrep",
        "read": "cat head tail less more bat nl tac od xxd hexdump strings sed awk gawk mawk jq yq "
        "cut sort uniq diff cmp comm column man info tldr zcat Get-Content pdftotext sdiff "
        "vimdiff delta view",
        "edit": "patch apply_patch applypatch tee ed ex dos2unix unix2dos",
        "test": "pytest py.test tox nox trial nosetests nose2 unittest jest vitest mocha ava karma "
        "playwright cypress ctest rspec phpunit pest tap qunit behave cucumber gotestsum bats "
        "busted testem wtr c8 nyc codecept runtests.py run_tests.py doctest lit hspec prove "
        "playwright-cli newman k6 locust pytest-3 green stestr testr ptw zunit shellspec",
        "lint": "eslint biome oxlint stylelint flake8 pylint pyflakes pycodestyle pydocstyle ruff "
        "bandit black isort autopep8 yapf prettier dprint rubocop standardrb golangci-lint "
        "staticcheck gofmt goimports gofumpt rustfmt shellcheck shfmt hadolint yamllint ktlint "
        "detekt swiftlint swiftformat phpcs phpcbf phpstan psalm clang-format clang-tidy cppcheck "
        "mypy pyright basedpyright pyre ty vue-tsc credo markdownlint markdownlint-cli2 codespell "
        "vulture pre-commit xo tslint sqlfluff actionlint djlint knip jshint vale commitlint "
        "checkpatch.pl cpplint",
        "build": "make gmake cmake ninja bazel bazelisk buck mvn mvnw gradle gradlew sbt ant gcc "
        "g++ clang clang++ cc c++ rustc javac kotlinc scalac ghc tsc webpack rollup vite esbuild "
        "parcel tsup swc babel next nuxt astro ng xcodebuild msbuild meson autoconf automake "
        "configure ./configure bootstrap sphinx-build mkdocs sphinx pdflatex xelatex latexmk "
        "ld ar nasm as gulp grunt scons emcc wasm-pack hugo jekyll pyinstaller py_compile "
        "compileall protoc buf cython unrealbuildtool docker docker-compose podman buildah",
        "install": "pip pip3 pipx uv poetry conda mamba micromamba pixi pipenv pdm apt apt-get "
        "aptitude dpkg brew dnf yum apk pacman snap winget choco nvm volta asdf rbenv pyenv rustup "
        "gem cpan cpanm luarocks virtualenv venv easy_install corepack npm-check ncu opam ghcup "
        "fnm sdk mise port emerge",
        "vcs": "git gh glab hub hg svn jj gt bzr fossil",
        "run": "python python2 python3 pypy pypy3 ipython node nodejs ruby perl php lua luajit "
        "Rscript julia java deno bun tsx ts-node bash sh zsh dash ksh swift elixir groovy ipython3 "
        "psql mysql sqlite3 mongo mongosh redis-cli curl wget http httpie xh nc telnet ssh scp "
        "kubectl helm terraform tofu ansible ansible-playbook aws gcloud az flask uvicorn gunicorn "
        "django-admin rails manage.py ffmpeg convert time sqlcmd gdb lldb strace ltrace perf "
        "valgrind nslookup dig ping openssl base64 bc expr awk-script sage ghci irb erl iex scala "
        "kotlin dotnet mix rebar3 cargo go stack cabal zig dart flutter lein clj nix claude codex "
        "gemini opencode adb celery alembic prisma streamlit jupyter tmux screen",
        "other": "rm rmdir mv cp mkdir touch chmod chown ln kill pkill killall tar unzip zip gzip "
        "gunzip sleep echo printf true false cd export source set unset test [ : read wait exit "
        "alias xdg-open open crontab systemctl service launchctl rsync sync truncate clear reset "
        "dd 7z xz bzip2 cpio split csplit mktemp install mkfifo mknod umask trap",
    }
)

_TEST_WORD = re.compile(
    r"(?:\A|[-_:./])(?:tests?|spec|e2e|t|pytest|vitest|jest|check-tests?)(?:\Z|[-_:.])"
)
_LINT_WORD = re.compile(
    r"(?:\A|[-_:])(?:lint|format|fmt|typecheck|types?|type-check|tsc|prettier|eslint|clippy|vet"
    r"|mypy|style|ruff)(?:\Z|[-_:])"
)
_BUILD_WORD = re.compile(r"(?:\A|[-_:])(?:build|compile|bundle|dist|package|prepack)(?:\Z|[-_:])")
_INSTALL_WORD = re.compile(r"\A(?:install|i|ci|add|update|upgrade|sync|restore|get|deps|setup)\Z")

_GIT_UNDO: Final = _words("checkout restore stash reset revert clean")
_SCRIPTED: Final = _words(
    "npm pnpm yarn bun deno composer npx make gmake just task mise rake invoke inv turbo nx lerna "
    "poe hatch pdm grunt gulp ant"
)
_PACKAGE_LOOKS: Final = _words("ls list why outdated view info audit config pm show search docs")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|py|ipython3?")
_TEST_FILE = re.compile(
    r"(?:\A|/)(?:tests?_[\w-]+\.py|[\w-]+_tests?\.\w+|[\w.-]+\.(?:test|spec)\.\w+|runtests\.py"
    r"|run_?tests?(?:\.\w+)?|conftest\.py|[\w-]+Tests?\.(?:java|kt|cs|php|swift))\Z"
)
_TEST_RUNNER = re.compile(r"(?:\A|/)(?:runtests\.py|run[-_]?tests?(?:\.\w+)?|bin/test|tests?\.sh|"
                          r"(?:setup|manage)\.py test)\Z")  # fmt: skip
_PATH_CHARS: Final = 300
_LOOKING = frozenset(["--version", "-V", "-v", "--help", "-h", "version", "help"])


def phase_of(command: Command) -> Phase:
    """Return the phase of one simple command.

    Task runners (`npm run lint`, `make test`) are read by the name of the task, Python modules
    (`python -m pytest`) by the module, programs of the repository by their base name. A command
    that writes a file and does nothing else (`cat > x`, `sed -i`) edits.
    """
    tool = tool_name(command)
    sub = command.subcommand
    if command.args and (
        all(arg in _LOOKING for arg in command.args) or {"--help", "--version"} & {*command.args}
    ):
        return "explore"
    if _edits(command, tool):
        return "edit"
    if tool == "git":
        return _git(command)
    if tool in ("gh", "glab"):
        return "vcs"
    if _PYTHON.fullmatch(tool):
        return _python(command)
    if tool in ("make", "gmake") and {"-n", "--dry-run", "--just-print"} & {*command.args}:
        return "explore"
    if tool == "tsc" and "--noEmit" in command.args:
        return "lint"
    if tool in _SCRIPTED:
        return _scripted(command, tool)
    if tool in _GOALS:
        return _by_goals(command, tool)
    if tool in _BY_SUBCOMMAND:
        return _BY_SUBCOMMAND[tool].get(sub, _PROGRAMS.get(tool, "run"))
    if tool in ("sed", "awk", "gawk", "sort") and command.piped:
        return "read"
    return _PROGRAMS.get(tool) or _unknown(command, tool)


def is_test_runner(command: Command) -> bool:
    """Tell whether a command starts tests, whatever it is called."""
    return phase_of(command) == "test"


def is_test_file(path: str) -> bool:
    """Tell whether a path is named as test files are, or stands in a test folder."""
    if len(path) > _PATH_CHARS:
        return False
    parts = path.split("/")[:-1]
    folders = ("test", "tests", "testing", "spec", "specs", "__tests__", "e2e")
    return bool(_TEST_FILE.search(path)) or any(part in folders for part in parts)


_BY_SUBCOMMAND: Final[dict[str, dict[str, Phase]]] = {
    "cargo": _table(
        {
            "test": "test nextest bench t",
            "build": "build b check c doc package publish",
            "lint": "clippy fmt",
            "install": "install add update fetch remove",
            "run": "run r",
            "explore": "tree metadata search",
        }
    ),
    "go": _table(
        {
            "test": "test",
            "build": "build generate",
            "lint": "vet fmt",
            "install": "get install mod",
            "run": "run tool",
            "explore": "list env doc",
        }
    ),
    "dotnet": _table(
        {
            "test": "test",
            "build": "build publish pack clean",
            "lint": "format",
            "install": "add restore tool nuget new",
            "run": "run",
        }
    ),
    **dict.fromkeys(
        ("mvn", "mvnw", "gradle", "gradlew", "sbt"),
        _table(
            {
                "test": "test verify integration-test check testOnly connectedCheck allTests",
                "build": "build compile package install assemble clean compileJava jar",
                "lint": "ktlintCheck spotlessCheck spotlessApply detekt checkstyle lint scalafmt",
                "explore": "tasks dependencies dependency:tree projects properties help",
                "run": "run bootRun exec:java spring-boot:run",
            }
        ),
    ),
    **dict.fromkeys(
        ("swift", "zig", "stack", "cabal", "dune", "mix", "flutter", "dart", "lein", "rebar3"),
        _table(
            {
                "test": "test eunit ct runtest",
                "build": "build compile release",
                "lint": "format fmt analyze credo dialyzer check",
                "install": "get add deps.get pub install resolve",
                "run": "run exec",
            }
        ),
    ),
    **dict.fromkeys(
        ("bundle", "rails", "artisan", "symfony", "django-admin", "flask", "manage.py"),
        _table(
            {
                "test": "test spec test:system",
                "install": "install update add",
                "build": "assets:precompile collectstatic",
                "run": "migrate runserver server s console shell",
            }
        ),
    ),
    **dict.fromkeys(
        ("uv", "poetry", "pipenv", "conda", "mamba", "micromamba", "pixi", "rye"),
        _table(
            {
                "build": "build publish",
                "lint": "check format fmt",
                "explore": "show list info tree config",
                "run": "run activate shell",
                "test": "test",
            }
        ),
    ),
    **dict.fromkeys(
        ("pip", "pip3", "gem", "apt", "apt-get", "brew"),
        _table(
            {
                "explore": "show list freeze search info check config index policy",
                "build": "wheel",
            }
        ),
    ),
    "docker": _table(
        {
            "run": "run exec start stop restart compose up down kill rm",
            "explore": "ps images inspect logs version info stats",
            "install": "pull",
            "build": "build buildx image builder",
        }
    ),
    "docker-compose": _table({"run": "up down run exec start stop", "explore": "ps logs config"}),
    "ruff": _table({"lint": "check format"}),
    "coverage": _table({"test": "run", "read": "report html xml"}),
    "hg": _table({"undo": "revert", "read": "diff log cat", "explore": "status"}),
    "jj": _table({"undo": "undo restore abandon"}),
    "svn": _table({"undo": "revert"}),
    "bazel": _table({"test": "test coverage", "run": "run", "explore": "query info"}),
    "ninja": _table({"test": "test check"}),
    "xcodebuild": _table({"test": "test"}),
    "meson": _table({"test": "test"}),
    "next": _table({"lint": "lint", "run": "dev start"}),
    "ng": _table({"test": "test e2e", "lint": "lint", "run": "serve", "build": "build"}),
    "vite": _table({"run": "dev preview serve"}),
    "playwright": _table({"install": "install", "read": "show-report"}),
    "cmake": _table({"build": "--build"}),
}  # fmt: skip


def tool_name(command: Command) -> str:
    """Return the name that tables know a program by: its base name, but `bin/test` for itself."""
    folder, _, base = command.program.rpartition("/")
    known = base in _PROGRAMS or base in _BY_SUBCOMMAND
    return base if known and not (folder and _PROGRAMS.get(base) == "other") else command.program


def _edits(command: Command, tool: str) -> bool:
    """Say whether the command is there to change files."""
    if tool in ("sed", "gsed", "perl", "awk", "gawk", "cat", "echo", "printf", "tee", "ed", "ex"):
        return bool(command.writes) or tool in ("ed", "ex")
    if tool in ("patch", "apply_patch", "applypatch"):
        return True
    if command.program == "" and command.writes:
        return True
    inline = command.subcommand == "-c" or bool(command.heredoc)
    return bool(_PYTHON.fullmatch(tool) and inline and command.writes)


def _git(command: Command) -> Phase:
    sub, args = command.subcommand, command.args
    if sub in _GIT_UNDO:
        return _git_undo(command)
    if sub in ("apply", "am"):
        return "edit"
    if sub == "grep":
        return "search"
    if sub == "ls-files" and "-m" not in args:
        return "explore"
    return "vcs"


def _git_undo(command: Command) -> Phase:
    """`git checkout` undoes only with a path, `git reset` not where it only unstages."""
    sub, args, task = command.subcommand, command.args, command.task
    rest = [a for a in args[args.index(sub) + 1 :] if a] if sub in args else []
    if sub == "checkout":
        if any(a in ("-b", "-B", "--orphan", "--track", "-t", "--detach") for a in rest):
            return "vcs"
        named = [a for a in rest if not a.startswith("-")]
        path = "--" in rest or any("." in a.strip("./") or a == "." or "*" in a for a in named)
        return "undo" if path or len(named) > 1 else "vcs"
    if sub == "stash":
        return "vcs" if task in ("list", "show", "pop", "apply", "branch") else "undo"
    if sub == "restore":
        return "vcs" if "--staged" in rest and "--worktree" not in rest else "undo"
    if sub == "reset":
        hard = any(a in ("--hard", "--merge", "--keep") for a in rest)
        return "undo" if hard or any(a.startswith("HEAD~") or a == "HEAD^" for a in rest) else "vcs"
    if sub == "clean":
        return "vcs" if any("n" in a for a in rest if a.startswith("-")) else "undo"
    return "undo"


def _python(command: Command) -> Phase:
    sub = command.subcommand
    if sub.startswith("-m "):
        module = sub[3:].partition(".")[0]
        if module in ("venv", "ensurepip"):
            return "install"
        if module in ("json", "http", "timeit", "cProfile", "pdb", "trace", "site", "platform"):
            return "run"
        return _PROGRAMS.get(module, "run")
    if sub in ("test", "check") or any(_TEST_RUNNER.search(arg) for arg in command.args[:1]):
        return "test"
    if sub in ("develop", "install"):
        return "install"
    if sub in ("build", "build_ext", "bdist_wheel", "sdist"):
        return "build"
    return "run"


def _scripted(command: Command, tool: str) -> Phase:
    """Read a task runner by the name of its task; several tasks by the most telling one."""
    sub = command.subcommand
    if tool in ("npm", "pnpm", "yarn", "bun", "composer") and _INSTALL_WORD.match(sub):
        return "install"
    if tool in ("npm", "yarn", "pnpm") and sub in ("", "install-test"):
        return "install" if tool == "yarn" or sub else "explore"
    if sub in _PACKAGE_LOOKS:
        return "explore"
    if sub in ("remove", "uninstall", "link", "dedupe", "create", "init"):
        return "install"
    names = [command.task] if command.task else [sub, *_targets(command)]
    for name in names:
        found = _by_task(name)
        if found:
            return found
    if tool in ("make", "gmake", "ant", "gulp", "grunt"):
        return "build"
    if sub and _PROGRAMS.get(sub) in ("test", "lint", "build"):
        return _PROGRAMS[sub]
    return "run"


def _by_goals(command: Command, tool: str) -> Phase:
    """Read a build tool that takes several goals, `clean :app:test`, by the most telling one."""
    known = _BY_SUBCOMMAND[tool]
    goals = [word for target in _targets(command) for word in target.split()]
    phases = {known.get(goal) or known.get(goal.rpartition(":")[2]) for goal in goals}
    return next((phase for phase in _TELLING if phase in phases), "build")


_GOALS: Final = _words("mvn mvnw gradle gradlew sbt zig")
_TELLING: Final[tuple[Phase, ...]] = ("test", "lint", "run", "build", "explore")


def _targets(command: Command) -> Sequence[str]:
    return [arg for arg in command.args if not arg.startswith("-") and "=" not in arg]


def _by_task(name: str) -> Phase | None:
    known = _PROGRAMS.get(name)
    if known in ("test", "lint", "build"):
        return known
    if _TEST_WORD.search(name):
        return "test"
    if _LINT_WORD.search(name):
        return "lint"
    if _BUILD_WORD.search(name):
        return "build"
    if _INSTALL_WORD.match(name):
        return "install"
    return None


def _unknown(command: Command, tool: str) -> Phase:
    """A program that no table knows: by its base name, else it is run."""
    base = tool.rpartition("/")[2]
    if _TEST_RUNNER.search(tool) or _TEST_FILE.search(base):
        return "test"
    found = _by_task(base.rpartition(".")[0] or base) if "/" in tool else None
    if found:
        return found
    return "run" if command.program else "other"
