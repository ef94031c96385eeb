"""Find a Chromium on this machine for the tests of the explorer, or install Debian's.

python scripts/browser.py             # print where one is
python scripts/browser.py --install   # install one where none is, on Debian and Ubuntu as root
"""

import os
import shutil
import subprocess
import sys
from typing import Final

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS: Final = (
    "--no-sandbox",  # as root, which CI often is; pages are our own
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
HOW: Final = (
    "install chromium or Google Chrome (Debian: apt-get install chromium), or set "
    "STEPLADDER_BROWSER to one"
)
_TRIES: Final = 2


def find() -> str | None:
    """Where a Chromium is: `STEPLADDER_BROWSER`, or one on the path."""
    if named := os.environ.get("STEPLADDER_BROWSER"):
        return named
    return next((found for name in NAMES if (found := shutil.which(name))), None)


def install() -> str | None:
    """Install Debian's Chromium where that is possible, and say where it is."""
    if shutil.which("apt-get") is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return None
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for _ in range(_TRIES):
        for command in (("update",), ("install", "--yes", "--no-install-recommends", "chromium")):
            subprocess.run(
                ["apt-get", "--quiet", *command],
                env=environment,
                stdout=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        if program := find():
            return program
    return None


def main() -> int:
    """Print where a Chromium is."""
    program = find() or (install() if "--install" in sys.argv else None)
    print(program or f"No Chromium here: {HOW}.", file=sys.stdout if program else sys.stderr)
    return 0 if program else 1


if __name__ == "__main__":
    sys.exit(main())
