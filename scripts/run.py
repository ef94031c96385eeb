"""Install Stepladder in this checkout and run it: needs Python 3.11 or newer, and nothing else.

python3 scripts/run.py demo     # the main job on the sample runs
python3 scripts/run.py test     # install the tools too, then everything that must hold
python3 scripts/run.py check    # the same without installing
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv"
PROGRAMS = ENVIRONMENT / ("Scripts" if os.name == "nt" else "bin")
BUILT = ROOT / "build"
PIP = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def install(extra: str) -> None:
    """Make the virtual environment where it is missing, and install this checkout into it."""
    if not any((PROGRAMS / name).exists() for name in ("python", "python.exe")):
        print(f"Making a virtual environment in {ENVIRONMENT.name} ...", flush=True)
        try:
            venv.create(ENVIRONMENT, with_pip=True)
        except subprocess.CalledProcessError:
            sys.exit(
                "Python could not make a virtual environment with pip. On Debian and Ubuntu: "
                "sudo apt install python3-venv; then run this again."
            )
    print("Installing (a minute or two the first time) ...", flush=True)
    if code := run(*PIP, "--editable", f".{extra}"):
        sys.exit(code)


def run(program: str, *arguments: str, types_in: str = "") -> int:
    """Run a program of the virtual environment in the checkout; return its exit code."""
    environment = {**os.environ, "MYPYPATH": types_in} if types_in else None
    command = [str(PROGRAMS / program), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def check_types() -> int:
    """Check the types of the package as it is installed: an editable one is not found."""
    shutil.rmtree(BUILT, ignore_errors=True)
    where = str(BUILT / "types")
    return run(*PIP, "--no-deps", "--target", where, ".") or run("mypy", types_in=where)


def check(pytest_arguments: list[str]) -> int:
    """Run every check, stopping at the first that fails."""
    steps = (
        lambda: run("ruff", "check", "."),
        lambda: run("ruff", "format", "--check", "."),
        check_types,
        lambda: run("lint-imports"),
        lambda: run("pytest", *pytest_arguments),
    )
    return next((code for code in (step() for step in steps) if code), 0)


def main() -> int:
    """Do what the first argument names."""
    if sys.version_info < (3, 11):  # noqa: UP036 - the package says so too late
        sys.exit(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}.")
    name, *rest = sys.argv[1:] or [""]
    if name == "demo":
        install("")
        return run("stepladder", "demo", *rest)
    if name == "test":
        install("[dev]")
        return check(rest)
    if name == "check":
        return check(rest)
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
