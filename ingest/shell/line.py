"""Understand a shell line: which programs it runs, on which files, and which one it is about.

The line is parsed by tree-sitter's Bash grammar and never executed, expanded or looked up.
Words keep their variables (`$HOME/x` stays `$HOME/x`); quotes and escapes are resolved.
`$(...)`, back-ticks and `<(...)` are values, so the programs inside them are not listed;
bodies of if, for, while, case, functions and sub-shells are, once each.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .files import files_of
from .programs import (
    RUNNERS,
    SUBCOMMAND_TOOLS,
    WRAPPERS,
    Wrapper,
    names,
    program_name,
    runs_code,
    skip_options,
    split_assignment,
    subcommand_index,
    subcommand_of,
)
from .tree import MAX_CODE_BYTES, Call, calls_of

__all__ = ["MAX_CODE_BYTES", "Command", "main_command", "parse"]

_MAX_NESTING = 5


@dataclass(frozen=True, slots=True)
class Command:
    """One simple command of a line, its wrappers (sudo, env, timeout, bash -c) taken off.

    `program` is the base name of an installed tool and the path of a runner in the repository
    (`bin/test`, `./gradlew`); it is empty for a bare assignment or redirect. Names are not
    unified: `python3` stays `python3`, since which of the two exists is worth knowing.
    `subcommand` is the first word that is no option of git, npm, cargo and their like, `-m pytest`
    for a Python module, `task` the word after a group (`npm run build`, `docker compose up`).
    `args` are all words after the program. `reads` and `writes` are the paths that redirects, the
    words, a here-doc or an inline script name. `heredoc` is the text fed to standard input by a
    here-doc or here-string. `piped` says that standard input comes from the command before.
    `wrapper` names the wrappers that choose the environment: `npx`, `poetry run`, `bundle exec`.
    """

    program: str
    subcommand: str = ""
    task: str = ""
    args: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    heredoc: str = ""
    assigns: tuple[tuple[str, str], ...] = ()
    background: bool = False
    piped: bool = False
    wrapper: str = ""


def parse(line: str | None) -> tuple[Command, ...]:
    """Return the commands of `line` in the order in which they are written.

    A line with syntax errors yields the commands that parse; an empty one yields none. Of a line
    whose code (here-doc bodies aside) exceeds `MAX_CODE_BYTES` the rest is not looked at.
    """
    return tuple(_finished(call) for call in _calls(line or "", 0))


def _finished(call: Call) -> Command:
    program = program_name(call.words[0]) if call.words else ""
    if any(name in ("npx", "pnpx", "bunx", "uvx") for name in call.wrapper):
        program = re.sub(r"(?<=.)@[\w.^~-]{1,40}\Z", "", program)
    args = tuple(call.words[1:])
    subcommand, task = subcommand_of(call.words, program) if args else ("", "")
    reads, writes = files_of(program, args, call.heredoc)
    return Command(
        program,
        subcommand,
        task,
        args,
        _paths([*call.reads, *reads]),
        _paths([*call.writes, *writes]),
        call.heredoc,
        tuple(call.assigns),
        call.background,
        call.piped,
        " ".join(call.wrapper),
    )


def _paths(words: Iterable[str]) -> tuple[str, ...]:
    """Drop devices and words that are commands' output, and repeats."""
    bad = ("/dev/", "$(", "`", "<(", ">(", "&")
    return tuple(dict.fromkeys(w for w in words if w and w != "-" and not w.startswith(bad)))


def _calls(text: str, depth: int) -> list[Call]:
    """Parse `text` and take the wrappers off each command; `depth` counts `bash -c` levels."""
    return [inner for call in calls_of(text) for inner in _unwrapped(call, depth)]


_SHELLS = names("bash sh zsh dash ksh ash fish")
# Programs that take a shell line after one of these options.
_LINE_OPTIONS = {
    "cmd": ("/c", "/C", "/k", "/K"),
    "powershell": ("-Command", "-command", "-c", "-C"),
    "pwsh": ("-Command", "-command", "-c", "-C"),
    "su": ("-c", "--command"),
    "script": ("-c", "--command"),
    "nix": ("-c", "--command"),
    "nix-shell": ("--run", "--command"),
}


def _unwrapped(call: Call, depth: int) -> list[Call]:
    """Take wrappers off `call`; a shell given a line becomes the commands of that line."""
    while call.words:
        name = program_name(call.words[0])
        wrapper, start = _wrapper(call.words, name)
        if wrapper is None:
            break
        label = " ".join([name, *call.words[start - 1 : start]]) if start > 1 else name
        rest = call.words[skip_options(call.words, start, wrapper.valued) :]
        while rest and (pair := split_assignment(rest[0])):
            call.assigns.append(pair)
            rest = rest[1:]
        rest = rest[wrapper.operands :]
        if rest[:1] == ["--"]:
            rest = rest[1:]
        if not rest:
            break
        if wrapper.kept:
            call.wrapper.append(label)
        call.words = rest
    script = _inner_line(call) if depth < _MAX_NESTING and call.words else None
    if script is None:
        return [call]
    inner = _calls(script, depth + 1)
    return _inherit(call, inner) if inner else [call]


def _wrapper(words: Sequence[str], name: str) -> tuple[Wrapper | None, int]:
    """Return the wrapper that `words` begin with and the index of the word after its name."""
    if name == "command" and words[1:2] in (["-v"], ["-V"]):
        return None, 0
    if name in WRAPPERS:
        return WRAPPERS[name], 1
    if name in SUBCOMMAND_TOOLS:
        index = subcommand_index(words, name)
        if index < len(words) and (name, words[index]) in RUNNERS:
            return RUNNERS[name, words[index]], index + 1
    return None, 0


def _inner_line(call: Call) -> str | None:
    """Return the shell line that `call` hands to a shell, or None."""
    name = program_name(call.words[0])
    args = call.words[1:]
    if name == "eval":
        return " ".join(args)
    if name in _SHELLS:
        for index, arg in enumerate(args):
            if re.fullmatch(r"-[a-zA-Z]*c", arg):
                return args[index + 1] if index + 1 < len(args) else None
            if not arg.startswith(("-", "+")) and args[index - 1 : index] not in (["-o"], ["-O"]):
                return None
        return call.heredoc or None
    for index, arg in enumerate(args):
        if arg in _LINE_OPTIONS.get(name, ()):
            end = index + 2 if name in ("su", "script") else None
            return " ".join(args[index + 1 : end])
    if name in ("powershell", "pwsh") and args and not args[0].startswith("-"):
        return " ".join(args)
    return None


def _inherit(outer: Call, inner: list[Call]) -> list[Call]:
    """Give the commands of a shell's line what belonged to the call of that shell."""
    first, last = inner[0], inner[-1]
    first.assigns = outer.assigns + first.assigns
    last.reads = outer.reads + last.reads
    last.writes = outer.writes + last.writes
    for call in inner:
        call.background = call.background or outer.background
        call.piped = call.piped or outer.piped
        call.wrapper = outer.wrapper + call.wrapper
    return inner


# --- what a line is about -----------------------------------------------------------------------

_TRIVIAL = frozenset(["", "cd", "pushd", "popd", "set", "export", "source", ".", "shopt", "unset"])
_SETUP = _TRIVIAL | names(
    "echo printf mkdir true false : pwd alias sleep read test [ local declare typeset readonly "
    "ulimit umask trap wait exit return break continue date clear shift hash which type command "
    "yes tput stty hostname whoami popd Set-Location Write-Host Write-Output"
)
_PREPARATION = names(
    "cp mv rm rmdir touch chmod chown ln kill pkill killall fuser tar unzip gunzip curl wget "
    "patch apply_patch tee conda nvm apt apt-get brew apk dnf yum pacman createdb dropdb "
    "rsync install truncate stash"
)
_PREPARING_SUBCOMMANDS = names(
    "install add ci i sync update upgrade lock restore checkout switch stash reset fetch pull "
    "clone config init clean rm mv apply merge rebase use activate uninstall remove"
)
_FILTERS = names(
    "head tail less more wc sort uniq nl cut tr column cat tee fold rev pr od xxd sed tac"
)
_SYSTEM_PACKAGES = frozenset({"apt", "apt-get", "apk", "brew"})
_FEEDERS = frozenset({"cat", "echo", "printf", "yes"})


def main_command(commands: Sequence[Command]) -> Command | None:
    """Return the command that a line is about, or None for a line without commands.

    Set-up (cd, export, echo, mkdir) is passed over. The first other command is it, unless that
    only prepares (installs, copies, edits or writes a file, moves in version control, starts
    something in the background) and a later one does more than prepare or look, like a test, a
    build, a script or a commit: then the later one is.
    In a pipe it is the first stage; where `cat` or `echo` only feeds a program that is more than
    a filter (`cat x | python -`), it is that program. A line of nothing but set-up is about its
    first command that is more than a change of folder or environment.
    """
    real = [c for i, c in enumerate(commands) if _stands_alone(commands, i)]
    if not real:
        plain = (c for c in commands if c.program not in _TRIVIAL)
        return next(plain, commands[0] if commands else None)
    first = real[0]
    if not _prepares(first):
        return first
    for command in real:
        if not _prepares(command) and _runs(command):
            return command
    return next((c for c in real if not c.background), first)


def _stands_alone(commands: Sequence[Command], index: int) -> bool:
    """Say whether a command may be the main one: no set-up, no later stage, no mere feeder."""
    command = commands[index]
    following = commands[index + 1] if index + 1 < len(commands) else None
    feeds = following is not None and following.piped and following.program not in _FILTERS
    if command.piped:
        before = commands[index - 1] if index else None
        fed = before is not None and before.program in _FEEDERS and not before.writes
        return fed and command.program not in _FILTERS | _SETUP
    if command.program in _FEEDERS and feeds:
        return False
    refreshes = command.subcommand == "update" and command.program in _SYSTEM_PACKAGES
    return bool(command.writes) or not (command.program in _SETUP or refreshes)


def _runs(command: Command) -> bool:
    inline = bool(command.heredoc) and not command.writes
    return inline or runs_code(command.program, command.subcommand, command.args)


def _prepares(command: Command) -> bool:
    """Say whether a command only makes ready for the next: installs, file work, edits."""
    if command.background or command.program in _PREPARATION:
        return True
    if command.subcommand in _PREPARING_SUBCOMMANDS or command.task in ("install", "sync"):
        return True
    inline = command.heredoc or command.subcommand == "-c"
    in_place = command.program in ("sed", "perl", "cat", "echo", "printf")
    return bool(command.writes) and bool(inline or in_place)
