"""Write the parts of the docs that are made from the program itself.

    python scripts/docs.py            # rewrite them
    python scripts/docs.py --check    # fail where they are not up to date

A part stands between `<!-- made by scripts/docs.py: NAME -->` and `<!-- end -->`.
"""

import json
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
PAGES: Final = ("README.md", "docs/cli.md", "docs/cards.md", "docs/cypher.md")
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
    text = re.sub(r"r-[0-9a-f]{16}", "r-…", "\n".join(lines))
    return f"```\n{text.strip()}\n```\n"


def cards() -> str:
    """The catalogue as a table: name, what it says, kind, polarity."""
    from stepladder.ingest.distillers.rules.cards import catalogue

    rows = [f"| `{c.name}` | {c.title} | {c.kind} | {c.polarity} |" for c in catalogue()]
    head = f"{len(rows)} cards.\n\n| Card | Says | Kind | Polarity |\n|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def queries() -> str:
    """The named queries: what each answers and what it takes."""
    from stepladder.queries.library import named_queries

    parts = []
    for query in named_queries():
        taken = ", ".join(
            f"`{p.name}`" if p.required else f"`{p.name}={json.dumps(p.default)}`"
            for p in query.parameters
        )
        given = ", ".join(f"`{column}`" for column in query.columns)
        parts.append(
            f"### `{query.name}`\n\n{query.title}. {query.answers}\n\n"
            f"Takes {taken or 'nothing'}. Gives {given}.\n"
        )
    return "\n".join(parts)


def schema() -> str:
    """Labels, relationships and properties, and what they mean."""
    from dataclasses import fields

    from stepladder.kg.types import NODE_TYPES
    from stepladder.queries.schema import meanings

    about = meanings()
    lines = ["| Label | Means | Properties |", "|---|---|---|"]
    for label, kind in NODE_TYPES.items():
        names = ", ".join(f"`{f.name}`" for f in fields(kind))
        lines.append(f"| `{label}` | {about['labels'][label]} | {names} |")
    lines += ["", "| Relationship | Means |", "|---|---|"]
    lines += [f"| `{type}` | {words} |" for type, words in about["relationships"].items()]
    lines += ["", "| Property | Means |", "|---|---|"]
    lines += [f"| `{name}` | {words} |" for name, words in about["properties"].items()]
    return "\n".join(lines) + "\n"


def dialect() -> str:
    """Words and functions that may stand in a statement, and words that may not."""
    from stepladder.queries.dialect import dialect as read

    rules = read()
    words = ", ".join(f"`{word}`" for word in sorted(rules.keywords))
    refused = ", ".join(f"`{word}`" for word in sorted(rules.refused))
    lines = [f"Words: {words}.", "", "| Functions | |", "|---|---|"]
    for topic, names in rules.function_groups.items():
        lines.append(f"| {topic} | {', '.join(f'`{name}`' for name in names)} |")
    return "\n".join([*lines, "", f"Refused: {refused}.", ""])


def differences() -> str:
    """What stores answer differently."""
    from stepladder.queries.dialect import dialect as read

    lines = ["| | Statement | Embedded | Neo4j | Instead |", "|---|---|---|---|---|"]
    for d in read().differences:
        statement = " ".join(d.statement.split())
        cells = (d.name, f"`{statement}`", f"`{d.embedded}`", f"`{d.neo4j}`", d.instead)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


MAKERS: Final[Mapping[str, Callable[[], str]]] = {
    "help": help_of_commands,
    "demo": demo,
    "cards": cards,
    "queries": queries,
    "schema": schema,
    "dialect": dialect,
    "differences": differences,
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
