"""Write the parts of the docs that are made from the program itself.

    python scripts/docs.py            # rewrite them
    python scripts/docs.py --check    # fail where they are not up to date

A part stands between `<!-- made by scripts/docs.py: NAME -->` and `<!-- end -->`.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import click
from click.testing import CliRunner

ROOT: Final = Path(__file__).resolve().parent.parent
PAGES: Final = ("README.md", "docs/cli.md", "docs/cards.md")
_PART = re.compile(r"(<!-- made by scripts/docs\.py: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
_WIDTH: Final = "96"


def help_of_commands() -> str:
    """The help text of every command, and of the commands below a command."""
    from stepladder.cli import COMMANDS, main

    parts = [_help(main, ())]
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        parts.append(_help(main, (name,)))
        if isinstance(command, click.Group):
            parts += [_help(main, (name, sub)) for sub in sorted(command.commands)]
    return "\n".join(parts)


def _help(main: click.Command, words: tuple[str, ...]) -> str:
    result = CliRunner().invoke(main, [*words, "--help"], prog_name="stepladder", terminal_width=88)
    title = " ".join(("stepladder", *words))
    return f"## `{title}`\n\n```\n{result.output.rstrip()}\n```\n"


def demo() -> str:
    """What `stepladder demo` prints, without the id of the answer, which holds the time."""
    program = Path(sys.executable).with_name("stepladder")
    environment = {**os.environ, "COLUMNS": _WIDTH, "NO_COLOR": "1", "TERM": "dumb"}
    printed = subprocess.run(
        [program, "demo"],
        capture_output=True,
        check=True,
        cwd=ROOT,
        encoding="utf-8",
        env=environment,
    ).stdout
    lines = [line.rstrip() for line in printed.splitlines()]
    text = re.sub(r"r-[0-9a-f]{16}", "r-…", "\n".join(lines).replace(f"{ROOT}/", ""))
    return f"```\n{text.strip()}\n```\n"


def cards() -> str:
    """The catalogue as a table: name, what it says, kind, polarity."""
    from stepladder.ingest.distillers.rules.cards import catalogue

    rows = [f"| `{c.name}` | {c.title} | {c.kind} | {c.polarity} |" for c in catalogue()]
    head = f"{len(rows)} cards.\n\n| Card | Says | Kind | Polarity |\n|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


MAKERS: Final[Mapping[str, Callable[[], str]]] = {
    "help": help_of_commands,
    "demo": demo,
    "cards": cards,
}


def rewritten(text: str) -> str:
    """A page with its made parts as they are now."""
    return _PART.sub(lambda m: f"{m[1]}{MAKERS[m[2]]()}{m[3]}", text)


def main() -> int:
    """Rewrite the pages, or tell which are not up to date."""
    old = []
    for name in PAGES:
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        made = rewritten(text)
        if made != text:
            old.append(name)
            if "--check" not in sys.argv:
                page.write_text(made, encoding="utf-8")
    if old and "--check" in sys.argv:
        print(f"Not up to date: {', '.join(old)}. Run: python scripts/docs.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
