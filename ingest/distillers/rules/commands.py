"""Commands of a project that were seen to run, and those that were not there."""

import re
from collections.abc import Iterator
from typing import Final

from ....kg.types import Insight
from ...record import Phase, RunRecord, StepRecord
from ...shell import Command
from ...steps.error_classes import SETUP
from .card import Hit
from .changes import CHECKING_FOLDER
from .fact import fact
from .templates import core_template

_PURPOSES: Final[dict[Phase, tuple[str, str]]] = {
    "test": ("Run the tests of this project with", "How the tests of this project are run."),
    "lint": ("Check the style of this project with", "How this project is linted."),
    "build": ("Build this project with", "How this project is built."),
}
_FORMATTERS: Final = re.compile(r"\b(?:fmt|format|prettier|black|gofmt|isort|rustfmt)\b")
_TYPES: Final = re.compile(r"\b(?:typecheck|type-check|check-types|tsc|mypy|pyright)\b")
_ONE_TEST: Final = re.compile(r"<(?:test id|file|folder|argument)>(?=`\Z)")
_MODULE: Final = re.compile(r"No module named ['\"]?([\w.]+)")
_NOT_FOUND: Final = re.compile(
    r"(?:command not found|not found|not recognized|No such file or directory|Unknown command)"
)


def commands_of(run: RunRecord) -> Iterator[tuple[Insight, Hit]]:
    """Yield how the project is tested, linted and built, from steps that gave a verdict."""
    for step in run.steps:
        if step.phase not in _PURPOSES or step.own or step.main is None:
            continue
        if _is_under_test(run, step, step.main):
            continue
        if program := missing_program(step):
            yield _is_missing(run, program), Hit(steps=(step.index,))
        elif _gave_a_verdict(step):
            yield _runs(run, step, step.main), Hit(steps=(step.index,))


def _gave_a_verdict(step: StepRecord) -> bool:
    """Say whether a check ran and did not break before it checked anything, or a build was made."""
    if step.fault is not None and step.fault.error_class in SETUP:
        return False
    return step.verdict == "pass" or (step.verdict == "fail" and step.phase != "build")


def _is_under_test(run: RunRecord, step: StepRecord, main: Command) -> bool:
    """Tell commands that are what the project makes, or what the agent made, from its tools."""
    if main.program in run.own_files or CHECKING_FOLDER.match(main.program):
        return True
    if {"-n", "--dry-run"} & {*main.args} and step.phase == "build":
        return True
    name = run.project.rpartition("/")[2].lower()
    called = f"{main.program} {main.subcommand}".lower()
    return step.phase in ("lint", "build") and len(name) > 2 and name in called


def _runs(run: RunRecord, step: StepRecord, main: Command) -> Insight:
    command = core_template(main)
    if step.phase == "test":
        command = _ONE_TEST.sub("<test file>", command)
    lead, description = _PURPOSES[step.phase]
    if _TYPES.search(command):
        lead, description = "Check the types of this project with", "How types are checked."
    elif _FORMATTERS.search(command):
        lead, description = "Format this project with", "How this project is formatted."
    return fact(
        run,
        title=f"{lead} {command}",
        description=description,
        content=f"{command} was run in this project and gave a verdict.",
        kind="environmental adaptation",
        polarity="do",
    )


def _is_missing(run: RunRecord, program: str) -> Insight:
    return fact(
        run,
        title=f"`{program}` is not available in this project",
        description="A command that is not there in this project's environment.",
        content=f"`{program}` was called in this project and was not there.",
        kind="environmental adaptation",
        polarity="avoid",
    )


def missing_program(step: StepRecord) -> str:
    """The program that a step called and that is not there: `pytest`, `python -m pytest`.

    Empty where what is missing is something that the program itself looked for.
    """
    if step.fault is None or step.main is None:
        return ""
    main, said = step.main, step.fault.message
    if step.fault.error_class == "command-not-found" and _NOT_FOUND.search(said):
        return main.program if re.search(rf"(?<![\w-]){re.escape(main.program)}\b", said) else ""
    if step.fault.error_class == "no-such-module" and main.subcommand.startswith("-m "):
        module = _MODULE.search(said)
        if module and module[1] == main.subcommand[3:]:
            return f"{main.program} {main.subcommand}"
    return ""
