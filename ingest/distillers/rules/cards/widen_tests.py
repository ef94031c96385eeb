"""After the last change a narrow test passes, and then a wider selection."""

from collections.abc import Iterator

from ....record import RunRecord, StepRecord
from ....shell import Command
from ..card import Card, Hit
from ..patterns import passed


def detect(run: RunRecord) -> Iterator[Hit]:
    """Yield a passing test and a passing wider one of the same runner, after the last change."""
    if run.last_edit < 0:
        return
    narrow: list[StepRecord] = []
    for step in run.steps[run.last_edit + 1 :]:
        if step.phase != "test" or step.own or not passed(step) or step.main is None:
            continue
        first = next((s for s in narrow if _wider(step, s)), None)
        if first:
            yield Hit(steps=(first.index, step.index))
            return
        narrow.append(step)


def _wider(wide: StepRecord, narrow: StepRecord) -> bool:
    """Say whether a test run selects everything that another does, and more."""
    if wide.main is None or narrow.main is None or wide.program != narrow.program:
        return False
    same = (wide.subcommand, wide.main.task) == (narrow.subcommand, narrow.main.task)
    if not same or _filters(wide):
        return False
    every, some = _selected(wide), _selected(narrow)
    if not every:
        return bool(some) or _filters(narrow)
    held = all(any(_holds(a, b) for a in every) for b in some)
    return bool(some) and held and (every != some or _filters(narrow))


def _selected(step: StepRecord) -> list[str]:
    """Return the words that select tests: no options, and not the script that runs them."""
    main = step.main
    if main is None:
        return []
    words = [a for a in main.args if not a.startswith("-") and "=" not in a and not a.isdigit()]
    words = [w for w in words if w not in (main.subcommand, main.task)]
    return (
        words[1:] if words and words[0].endswith((".py", ".sh", ".js")) and _runs(main) else words
    )


def _runs(main: Command) -> bool:
    """Say whether the program is an interpreter, whose first word is a script."""
    return main.program.startswith(("python", "node", "bash", "sh")) and not main.subcommand


def _filters(step: StepRecord) -> bool:
    names = ("-k", "-t", "-run", "--grep", "--testNamePattern", "--filter", "-m")
    return step.main is not None and any(a.partition("=")[0] in names for a in step.main.args)


def _holds(wide: str, narrow: str) -> bool:
    """Say whether a target is a folder, file or module that holds another target."""
    wide = wide.rstrip("/")
    return narrow == wide or narrow.startswith((wide + "/", wide + "::", wide + "."))


CARD = Card(
    name="widen-tests",
    title="Run the narrow test first, then the wider selection before you hand over",
    situation="A change is finished and the test that is closest to it passes.",
    seen=(
        "After the last change a narrow selection of tests passed. Then a wider selection by "
        "the same runner passed too."
    ),
    advice=(
        "After the closest test run its file, then the package or the whole suite as time "
        "allows. The wider run shows what else depends on the changed code."
    ),
    applies_when="The project's tests can be selected by file or name.",
    not_when="The whole suite takes too long; then take the packages that use the code.",
    kind="test-driven verification",
    polarity="do",
    detect=detect,
)
