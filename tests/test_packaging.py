"""What the wheel holds is listed by hand, so it is compared with what there is."""

import fnmatch
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
OUTSIDE = {"tests", "bench", "scripts", "docs", "plugin", ".claude-plugin", ".ci", "examples"}


def _tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], capture_output=True, cwd=ROOT, text=True)
    if listed.returncode:
        pytest.skip("not a checkout: git does not list its files")
    files = [Path(line) for line in listed.stdout.splitlines()]
    return [f for f in files if len(f.parts) > 1 and f.parts[0] not in OUTSIDE]


def test_every_package_is_in_the_wheel() -> None:
    there = {".".join(("stepladder", *f.parent.parts)) for f in _tracked() if f.suffix == ".py"}
    assert there | {"stepladder"} == set(SETUP["packages"])


def test_every_file_that_is_no_code_is_in_the_wheel() -> None:
    missing = []
    for file in (f for f in _tracked() if f.suffix != ".py"):
        package = _package_of(file)
        inside = file.relative_to(Path(*package.split(".")[1:]))
        patterns = SETUP["package-data"].get(package, [])
        if not any(fnmatch.fnmatch(inside.as_posix(), p) for p in patterns):
            missing.append(str(file))
    assert missing == []


def _package_of(file: Path) -> str:
    """The nearest package that holds a file."""
    names = (".".join(("stepladder", *p.parts)) for p in file.parents)
    return next(n for n in names if n in SETUP["packages"])
