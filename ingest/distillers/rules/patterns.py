"""Small predicates over a run that several cards share."""

import re
from collections.abc import Iterator

from ...record import RunRecord, StepRecord
from ...shell import Command

_NOTHING = re.compile(
    r"\A\W*(?:No (?:files|matches|results|symbols?) (?:were )?found(?: (?:for|in) .{0,300})?"
    r"|No (?:matches|results)|Found 0 \w+.{0,200}|0 (?:matches|results).{0,100}"
    r"|\(Bash completed with no output\)|\(no output\)|<no output>|null"
    r"|Your command ran successfully and did not produce any output"
    r"|\[Command finished with exit code [01]\])?\W*\Z",
    re.IGNORECASE | re.DOTALL,
)
_MOST = 20_000
"""Characters of an output that are looked at. Chosen by us."""

_QUESTIONS = frozenset(
    {"askuserquestion", "askfollowupquestion", "requestuserinput", "askuser", "question"}
)

_PATTERN_ARGUMENTS = (
    "pattern", "query", "regex", "search_term", "search", "Query", "glob_pattern", "file_name",
    "name", "search_pattern",
)  # fmt: skip
_SEARCHERS = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"})
_WORD = re.compile(r"[A-Z]?[a-z]{3,}|[A-Z]{4,}")
_KEYWORDS = frozenset(
    {"def", "class", "function", "func", "import", "self", "from", "const", "export", "type"}
    | {"struct", "public", "private", "interface", "return", "async", "static", "var", "let"}
)


# --- how a step ended ---------------------------------------------------------------------------


def answered(step: StepRecord) -> bool:
    """Tell whether the result of a step was recorded."""
    return step.call.observation is not None


def worked(step: StepRecord) -> bool:
    """Tell whether a step has a result and did not fail, was not refused and not rejected."""
    return answered(step) and not step.failed and not step.failure


def passed(step: StepRecord) -> bool:
    """Tell whether a check ran and said yes."""
    return step.check and step.verdict == "pass" and worked(step)


def fault_class(step: StepRecord) -> str:
    """Return the class of a step's error, or nothing."""
    return step.fault.error_class if step.fault else ""


def found_nothing(step: StepRecord) -> bool:
    """Tell whether a step ran well and gave back nothing."""
    return worked(step) and len(step.observation) < 500 and bool(_NOTHING.match(step.observation))


def same_call(one: StepRecord, other: StepRecord) -> bool:
    """Tell whether two steps are the same call word for word."""
    return (
        one.call.name == other.call.name
        and one.call.arguments == other.call.arguments
        and one.command == other.command
    )


# --- what came after and before -----------------------------------------------------------------


def after(run: RunRecord, index: int, within: int) -> tuple[StepRecord, ...]:
    """Return the steps that follow `index`, at most `within` of them."""
    return run.steps[index + 1 : index + 1 + within]


def before(run: RunRecord, index: int, within: int) -> tuple[StepRecord, ...]:
    """Return the steps that precede `index`, at most `within` of them, the nearest first."""
    return run.steps[max(0, index - within) : index][::-1]


def between(run: RunRecord, first: int, last: int) -> tuple[StepRecord, ...]:
    """Return the steps between two indexes, both left out."""
    return run.steps[first + 1 : last]


def user_spoke(run: RunRecord, first: int, last: int) -> bool:
    """Tell whether the user said something between two steps."""
    turns = run.trajectory.turns[run.steps[first].turn + 1 : run.steps[last].turn]
    return any(turn.role == "user" and not turn.injected for turn in turns)


def repaired_by_edit(run: RunRecord, failing: StepRecord, within: int) -> tuple[int, int] | None:
    """Return the last change of a project file and the step that then passes the same check.

    None where the same check does not pass within that many steps, or passes without a change.
    """
    if not failing.purpose:
        return None
    changed = -1
    for step in after(run, failing.index, within):
        if project_edits(run, step):
            changed = step.index
        if step.purpose == failing.purpose and step.verdict == "pass":
            return (changed, step.index) if changed > 0 else None
    return None


# --- files --------------------------------------------------------------------------------------


def base_name(path: str) -> str:
    """Return the last part of a path."""
    return path.rstrip("/").rpartition("/")[2]


def in_project(path: str) -> bool:
    """Tell whether a path lies in the project and not in a home or temporary folder."""
    return not path.startswith(("/", "~", "$", ".git/"))


def project_edits(run: RunRecord, step: StepRecord) -> tuple[str, ...]:
    """Return the files of the project that a step changed, those the agent made left out."""
    if step.phase in ("undo", "vcs", "install") or not worked(step):
        return ()
    return tuple(p for p in step.edits if p not in run.own_files and in_project(p))


def is_edit_tool(step: StepRecord) -> bool:
    """Tell whether a step is a call of an edit or write tool, whether it worked or not."""
    return step.kind in ("edit", "write") and step.phase != "undo"


def aim(step: StepRecord) -> str:
    """Return the file that an edit was meant for, also of one that was refused."""
    return next(iter((*step.edits, *step.reads)), "")


def looked_at(step: StepRecord, path: str) -> bool:
    """Tell whether a step showed some of a file: by a read, a search or in the shell."""
    return worked(step) and path in step.reads and not step.edits


def changes_files(step: StepRecord) -> bool:
    """Tell whether a step changed something: a file, an installed package or the history."""
    if step.edits or step.creates or step.phase in ("install", "undo"):
        return True
    return git(step, "commit", "merge", "rebase", "pull", "checkout", "switch", "add") is not None


# --- commands -----------------------------------------------------------------------------------


def git(step: StepRecord, *subcommands: str) -> Command | None:
    """Return the first git command of a line with one of these sub-commands, or None."""
    return command_of(step, "git", *subcommands)


def command_of(step: StepRecord, program: str, *subcommands: str) -> Command | None:
    """Return the first command of a line that runs a program, by base name, or None.

    Without `subcommands` any of the program's commands is meant.
    """
    for command in step.commands:
        named = base_name(command.program) == program
        if named and (not subcommands or command.subcommand in subcommands):
            return command
    return None


def commits(step: StepRecord) -> bool:
    """Tell whether a step made a commit in the working copy, not in one made for a trial."""
    return git(step, "commit") is not None and git(step, "worktree") is None and worked(step)


def pushes(step: StepRecord) -> bool:
    """Tell whether a step pushed, other than as a rehearsal."""
    command = git(step, "push")
    return command is not None and worked(step) and not {"--dry-run", "-n"} & set(command.args)


def sought(step: StepRecord) -> str:
    """Return the pattern or name that a search or listing looked for, or nothing."""
    if step.kind in ("search", "list"):
        for name in _PATTERN_ARGUMENTS:
            value = step.call.arguments.get(name)
            if isinstance(value, str) and value.strip():
                return value.strip()
        return ""
    for command in step.commands:
        args = command.args
        if base_name(command.program) in _SEARCHERS:
            named = [args[i + 1] for i, a in enumerate(args[:-1]) if a in ("-e", "--regexp")]
            plain = [a for a in args if not a.startswith("-")]
            return next(iter((*named, *plain)), "")
        if command.program in ("find", "fd"):
            named = [args[i + 1] for i, a in enumerate(args[:-1]) if a in ("-name", "-iname")]
            if named:
                return named[0]
    return ""


def words_of(pattern: str) -> frozenset[str]:
    """Return the words of a search pattern in lower case, keywords of languages left out."""
    words = (word.lower() for word in _WORD.findall(pattern))
    return frozenset(word for word in words if len(word) >= 4 and word not in _KEYWORDS)


def related(one: str, other: str) -> bool:
    """Tell whether two different search patterns share a word, or one word holds another."""
    pairs = ((a, b) for a in words_of(one) for b in words_of(other))
    return one != other and any(a in b or b in a for a, b in pairs)


def asks_help(step: StepRecord) -> bool:
    """Tell whether the main command of a step asks a program for its help."""
    if step.main is None:
        return False
    args = step.main.args
    return any(arg in ("--help", "-h", "-help") for arg in args) or args[:1] == ("help",)


def asks_user(step: StepRecord) -> bool:
    """Tell whether a step asked the user a question through a tool."""
    return re.sub(r"[^a-z]", "", step.call.name.lower()) in _QUESTIONS


def checks_after(run: RunRecord, index: int) -> Iterator[StepRecord]:
    """Yield the tests, builds and linters that come after a step, in order."""
    for step in run.steps[index + 1 :]:
        if step.check and step.phase in ("test", "build", "lint"):
            yield step


def head(step: StepRecord) -> str:
    """Return the part of a step's output that cards look at."""
    return step.observation[:_MOST]
