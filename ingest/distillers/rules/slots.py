"""Which words of a command are its own and which belong to one task: the latter become slots."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ...shell import Command
from ...shell.programs import names
from ...steps.phases import is_test_file

_COMMON_TASKS: Final = names(
    "test tests lint build dev start typecheck type-check check format fmt ci e2e unit coverage "
    "clean install docs release deploy migrate seed setup serve preview watch bench all help run "
    "test:unit test:e2e test:ci lint:fix format:check build:prod db:migrate check-types tsc verify"
)
_RUNNERS: Final = names(
    "npm pnpm yarn bun make gmake just task mise deno composer rake invoke tox nox poe hatch pdm "
    "turbo nx lerna grunt gulp ant"
)
OWN_WORDS: Final = names(
    "git gh glab docker docker-compose kubectl podman npm pnpm yarn pip cargo go"
)
"""Tools whose looking sub-commands are worth telling apart from a listing."""

_MODULES: Final = names(
    "pytest unittest pip venv build http.server json.tool mypy ruff black isort flake8 pylint "
    "coverage tox nox py_compile compileall doctest timeit cProfile twine virtualenv pre_commit"
)
_FLAG = re.compile(r"--?[A-Za-z][\w-]{0,30}\Z")
_FLAG_WITH_VALUE = re.compile(r"(--?[A-Za-z][\w-]{0,30})=.*\Z", re.DOTALL)
_NUMBER_FLAG = re.compile(r"-\d+\Z|-[A-Za-z]\d+\Z")
_HASH = re.compile(r"[0-9a-f]{7,40}\Z")
_REVISION = re.compile(r"(?:HEAD|ORIG_HEAD|FETCH_HEAD|origin|upstream|main|master|@)(?:[~^]\d*)*\Z")
_RANGE = re.compile(r"[\w./~^@-]+\.\.\.?[\w./~^@-]*\Z|\A\.\.\.?[\w./~^@-]+\Z")
_FILE_END = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,5}\Z")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")

_QUIET: Final = names(
    "-q --quiet --silent -s --no-color --color --no-pager -v -vv -vvv --verbose -y --yes --json "
    "--jq --limit -L --repo -R --format --pretty --decorate --max-count --template -C -rs -x -S"
)
"""Options that choose only what is printed and where, or only answer a question."""

_VALUED: Final[Mapping[str, Mapping[str, str]]] = {
    "git": {
        "-m": "<message>", "--message": "<message>", "-C": "<folder>", "-c": "<setting>",
        "-b": "<branch>", "-B": "<branch>", "-n": "<number>", "-F": "<file>",
        "--author": "<author>",
        "-S": "<text>", "-G": "<text>", "-L": "<lines>", "--since": "<date>",
        "--depth": "<number>", "--format": "<format>",
    },
    "gh": {
        "--title": "<title>", "-t": "<title>", "--body": "<text>", "-b": "<text>",
        "--repo": "<repository>", "-R": "<repository>", "--json": "<fields>",
        "--jq": "<expression>",
        "-q": "<expression>", "--base": "<branch>", "-B": "<branch>", "--head": "<branch>",
        "-H": "<header>", "-X": "<method>", "--method": "<method>", "-f": "<field>",
        "-F": "<field>",
        "--limit": "<number>", "-L": "<number>", "--state": "<state>", "-s": "<state>",
        "--label": "<label>", "-l": "<label>", "--body-file": "<file>", "--search": "<text>",
        "--assignee": "<user>", "--reviewer": "<user>", "--job": "<number>",
        "--workflow": "<workflow>", "-w": "<workflow>", "--branch": "<branch>", "--ref": "<branch>",
    },
    "curl": {
        "-H": "<header>", "--header": "<header>", "-d": "<data>", "--data": "<data>",
        "--data-raw": "<data>", "-X": "<method>", "--request": "<method>", "-o": "<file>",
        "-u": "<user>", "-b": "<cookie>", "-A": "<agent>", "-w": "<format>", "-F": "<field>",
        "-m": "<seconds>", "--max-time": "<seconds>", "-e": "<link>", "--data-urlencode": "<data>",
    },
    "docker": {
        "-f": "<file>", "--name": "<name>", "-p": "<ports>", "-v": "<volume>", "-e": "<variable>",
        "-t": "<tag>", "--tag": "<tag>", "-w": "<folder>", "--network": "<network>", "-u": "<user>",
    },
    "pytest": {
        "-k": "<test name>", "-m": "<marker>", "-p": "<plugin>", "-n": "<number>", "-c": "<file>",
        "-o": "<setting>", "-W": "<warning>",
    },
    "go": {"-run": "<test name>", "-tags": "<tags>", "-timeout": "<seconds>", "-o": "<file>",
           "-count": "<number>", "-bench": "<test name>"},
    "pip": {"-r": "<requirements file>", "-c": "<constraints file>", "-t": "<folder>", "-e": "."},
    "make": {"-C": "<folder>", "-f": "<file>", "-j": "<number>"},
}  # fmt: skip
_VALUED_ANYWHERE: Final = {
    "--filter": "<package>", "-F": "<package>", "--workspace": "<package>", "--prefix": "<folder>",
    "--cwd": "<folder>", "--manifest-path": "<config file>", "--config": "<config file>",
    "--project": "<config file>", "--testNamePattern": "<test name>", "--grep": "<test name>",
    "-g": "<test name>", "-e": "<code>", "--eval": "<code>", "-c": "<code>", "-o": "<file>",
    "--output": "<file>", "--port": "<port>", "--settings": "<settings module>", "--db": "<name>",
    "--parallel": "<number>", "-b": "<builder>", "-D": "<setting>", "--dir": "<folder>",
    "--user": "<user>",
}  # fmt: skip
_ALIAS: Final = {"python": "pytest", "python3": "pytest", "py.test": "pytest", "pip3": "pip",
                 "gmake": "make", "podman": "docker"}  # fmt: skip
_PLACES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("git", "push"): ("<remote>", "<branch>"),
    ("git", "pull"): ("<remote>", "<branch>"),
    ("git", "fetch"): ("<remote>", "<branch>"),
    ("git", "clone"): ("<link>", "<folder>"),
    ("git", "tag"): ("<tag>", "<commit>"),
    ("git", "checkout"): ("<branch>", "<path>"),
    ("git", "switch"): ("<branch>", "<branch>"),
    ("git", "branch"): ("<branch>", "<branch>"),
    ("git", "merge"): ("<branch>",),
    ("git", "rebase"): ("<branch>", "<branch>"),
    ("git", "remote"): ("<remote>", "<link>"),
    ("git", "worktree"): ("<folder>", "<branch>"),
    ("git", "config"): ("<setting>", "<value>"),
    ("docker", "exec"): ("<container>", "<command>"),
    ("docker", "run"): ("<image>", "<command>"),
    ("docker", "logs"): ("<container>",),
    ("docker", "build"): ("<folder>",),
    ("docker", "pull"): ("<image>",),
    ("gh", "api"): ("<endpoint>",),
}
TEST_SCRIPT: Final = re.compile(
    r"(?:\A|[/ ])(?:runtests\.py|run[-_]?tests?(?:\.\w+)?|bin/test)(?: |\Z)"
)
RUNNER_SCRIPT: Final = re.compile(
    r"(?:\A|/)(?:runtests\.py|run[-_]?tests?(?:\.\w+)?|bin/test|tests?\.sh|manage\.py|setup\.py)\Z"
)
"""Scripts by which a project is tested or managed; their names are worth keeping."""

_READERS: Final = names(
    "python python2 python3 node ruby perl php bash sh zsh pytest mypy pylint flake8 black isort "
    "eslint prettier tsc gcc cc g++ clang ponyc rustc javac vale treon pyreverse sphinx-build pgrep"
)
"""Programs whose first word is a file or the like and no sub-command."""

_SUBCOMMAND: Final = re.compile(r"[a-z][a-z-]{2,14}\Z")
_INSTALLERS: Final = names(
    "add install i get require uninstall remove update upgrade outdated view"
)
_FIRST: Final = {
    "curl": "<link>", "wget": "<link>", "kill": "<process>", "pkill": "<process>", "ssh": "<host>",
    "psql": "<database>", "mysql": "<database>", "sqlite3": "<database>", "which": "<program>",
    "sleep": "<seconds>", "cd": "<folder>", "systemctl": "<service>", "openssl": "<argument>",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a command: itself or a slot. `own` marks sub-commands and tasks."""

    text: str
    own: bool = False


def words_of(command: Command) -> list[Word]:
    """The words after the program, its own as they are, others as slots, in order.

    An option and its value count as one. Options that only choose what is printed are left out,
    and slots that repeat the one before.
    """
    found: list[Word] = []
    for word in _told(command):
        if not (found and word.text == found[-1].text and word.text.startswith("<")):
            found.append(word)
    return found


def _told(command: Command) -> Iterator[Word]:
    program = command.program.rpartition("/")[2]
    valued = {**_VALUED_ANYWHERE, **_VALUED.get(_ALIAS.get(program, program), {})}
    own = {*command.subcommand.split(), command.task} - {""}
    places = iter(_PLACES.get((_ALIAS.get(program, program), command.subcommand), ()))
    option, first, after_dashes = "", True, False
    for word in command.args:
        if option:
            if option not in _QUIET:
                yield Word(f"{option} {valued[option]}")
            option = ""
        elif word == "--":
            after_dashes = True
        elif word in own:
            own.discard(word)
            first = False
            if word in ("-c", "-e", "-p"):
                option, valued[word] = word, "<code>"
            else:
                yield Word(_own_word(command, program, word), own=True)
        elif found := _FLAG_WITH_VALUE.match(word):
            if found[1] not in _QUIET:
                yield Word(f"{found[1]}=<value>")
        elif _FLAG.match(word):
            if valued.get(word):
                option = word
            elif word not in _QUIET:
                yield Word(word)
        elif not _NUMBER_FLAG.match(word):
            slot = _slot(command, program, word, places, first=first, after_dashes=after_dashes)
            own_word = slot == word and word[:1].isalpha()
            yield Word(slot, own=own_word or bool(RUNNER_SCRIPT.search(word)))
            first = False


def _own_word(command: Command, program: str, word: str) -> str:
    """A sub-command or a task: the name of a task of the project only where it is a common one."""
    if command.subcommand.startswith("-m ") and word == command.subcommand[3:]:
        return word if word in _MODULES or word.partition(".")[0] in _MODULES else "<module>"
    is_task = word == command.task or (program in _RUNNERS and program not in _OWN_VERBS)
    if program in _RUNNERS and is_task and word not in _COMMON_TASKS:
        return "<task>"
    return word


_OWN_VERBS: Final = names("npm pnpm yarn bun mise deno composer hatch pdm poe turbo nx")
"""Task runners that also have sub-commands of their own."""


def _slot(
    command: Command,
    program: str,
    word: str,
    places: Iterator[str],
    *,
    first: bool,
    after_dashes: bool,
) -> str:
    if word in (".", "..", "./...", "*", "-"):
        return word
    if word.startswith(".["):
        return "."
    if program in _RUNNERS and word in _COMMON_TASKS:
        return word
    if word.startswith(("http://", "https://", "git@", "ssh://")):
        return "<link>"
    if program in ("git", "hg", "jj"):
        return _revision(command, word, places, after_dashes)
    if program in ("gh", "glab"):
        return next(places, "") or ("<number>" if word.lstrip("#").isdigit() else "<name>")
    if command.subcommand in _INSTALLERS or program in ("pip", "pip3", "apt-get", "apt", "brew"):
        return file_or(word, "<package>")
    if known := next(places, ""):
        return known
    if program in _RUNNERS:
        return file_or(word, "<task>")
    if program in _FIRST:
        return _FIRST[program]
    if RUNNER_SCRIPT.search(word):
        return runner_name(word)
    if TEST_SCRIPT.search(" ".join((command.program, *command.args[:1]))):
        return "<test file>" if "/" in word else "<test module>"
    if first and program not in _READERS and _SUBCOMMAND.match(word):
        return word
    return _by_shape(word)


def runner_name(path: str) -> str:
    """The path of a runner in its repository: short and from the top, else its name alone."""
    path = re.sub(r"\A(?:\.{1,2}/)+", "", path.replace("\\", "/"))
    if path.startswith(("/", "~", "$")) or path.count("/") > 3:
        return path.rpartition("/")[2]
    return path


def _revision(command: Command, word: str, places: Iterator[str], after_dashes: bool) -> str:
    if command.subcommand in (
        "stash",
        "bisect",
        "worktree",
        "remote",
        "submodule",
        "lfs",
        "reflog",
        "maintenance",
        "notes",
        "config",
    ) and (word.isalpha() and len(word) < 10):
        return word
    if after_dashes or command.subcommand in ("add", "rm", "mv", "restore", "ls-files", "blame"):
        return word if word in ("-A", ".") else "<file>"
    if _REVISION.match(word):
        next(places, "")
        return word if word not in ("main", "master") else "<branch>"
    if _RANGE.match(word):
        return "<commits>"
    if _HASH.match(word):
        return "<commit>"
    if _FILE_END.search(word) and "/" in word:
        return "<file>"
    if command.subcommand in ("checkout",) and _FILE_END.search(word):
        return "<file>"
    return next(places, "<revision>")


def _by_shape(word: str) -> str:
    path = word.partition("::")[0]
    if "::" in word and path:
        return "<test id>"
    if re.fullmatch(r"(?:\./)?(?:tests?|specs?)/?", word):
        return "<folder>"
    if is_test_file(path):
        return "<test file>"
    if "\n" in word or " " in word:
        return "<text>"
    if word.isdigit():
        return "<number>"
    if any(c in word for c in "*?[") and not word.startswith("["):
        return "<pattern>"
    if _DOTTED.match(word) and re.search(r"(?i)test", word):
        return "<test module>"
    if re.search(r"(?i)(?:\A|_)tests?(?:_|\Z)", word) and "/" not in word:
        return "<test module>"
    return file_or(word, "<argument>")


def file_or(word: str, other: str) -> str:
    """`<file>` or `<folder>` for a path, else the other slot."""
    if _FILE_END.search(word) and not re.search(r"@[\d^~]", word):
        return "<file>"
    return "<folder>" if "/" in word and not word.startswith("@") else other
