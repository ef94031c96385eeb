"""Record sample trajectories for `examples/` by really running what they show.

    python scripts/record_example.py                     all scenarios, into examples/
    python scripts/record_example.py api-last-page       one scenario
    python scripts/record_example.py --check             record elsewhere and compare

Linux only; needs bash and git, and what a scenario names under `needs`.
"""

import argparse
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from recorder import outcomes
from recorder.formats import CARRY_OUTCOME, WRITERS
from recorder.play import play
from recorder.scenario import SCENARIOS, Scenario, load_scenario, scenario_paths

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def missing_needs(scenario: Scenario) -> list[str]:
    """Return what a scenario needs and this machine lacks, such as `node 20.20.2`."""
    return [need for need in scenario.needs if not _is_there(*need.partition(" ")[::2])]


def _is_there(program: str, version: str) -> bool:
    """Tell whether a program is there, in a version that starts as asked."""
    if program == "python":
        said = platform.python_version()
    elif path := shutil.which(program):
        asked = [path, "--version"]
        said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    else:
        return False
    words = (word.removeprefix("v") + "." for word in said.split())
    return not version or any(word.startswith(version + ".") for word in words)


def record(scenario: Scenario, into: Path) -> list[Path]:
    """Play a scenario and write its files below a folder; returns what was written.

    Raises:
        SystemExit: the verifier found another outcome than the scenario states.
    """
    recording = play(scenario)
    verdict = recording.verdict
    found = "unknown" if verdict is None else "success" if verdict.resolved else "failure"
    if found != scenario.outcome:
        said = verdict.output if verdict else "(there is no verifier)"
        raise SystemExit(f"{scenario.name}: not a {scenario.outcome} but a {found}:\n{said}")
    folder = into / scenario.domain
    written = []
    for name, content in WRITERS[scenario.format](recording).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
        written.append(path)
    if verdict and scenario.format not in CARRY_OUTCOME:
        side_car = folder / outcomes.SIDE_CAR
        outcomes.merge(side_car, outcomes.row(recording, verdict, file=written[0].name))
        written.append(side_car)
    return written


def check(scenario: Scenario) -> list[Path]:
    """Record a scenario into a temporary folder; returns the files of `examples/` that differ."""
    with tempfile.TemporaryDirectory(prefix="stepladder-check-") as folder:
        into = Path(folder)
        side_car = Path(scenario.domain) / outcomes.SIDE_CAR
        if (EXAMPLES / side_car).is_file():
            (into / side_car).parent.mkdir(parents=True)
            shutil.copyfile(EXAMPLES / side_car, into / side_car)
        pairs = [(EXAMPLES / p.relative_to(into), p) for p in record(scenario, into)]
        return [kept for kept, new in pairs if not kept.is_file() or not _same(kept, new)]


def _same(kept: Path, new: Path) -> bool:
    return kept.read_bytes() == new.read_bytes()


def main() -> int:
    """Record the scenarios named on the command line, or all."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="scenarios, without .toml; all by default")
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    args = parser.parse_args()
    failed = False
    for path in [SCENARIOS / f"{name}.toml" for name in args.names] or scenario_paths():
        scenario = load_scenario(path)
        if lacking := missing_needs(scenario):
            sys.stderr.write(f"{scenario.name}: left out, needs {', '.join(lacking)}\n")
            continue
        if args.check:
            for file in check(scenario):
                sys.stderr.write(f"{scenario.name}: differs from {file}\n")
                failed = True
        else:
            for file in record(scenario, EXAMPLES):
                sys.stdout.write(f"{file.relative_to(EXAMPLES.parent)}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
