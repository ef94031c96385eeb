"""MCP as other programs see it: a second client, and twenty servers on one store at once.

    python bench/agents.py                       # both, about ten minutes of two cores
    python bench/agents.py --servers 4 --calls 50

The second client is the TypeScript SDK, fetched with npm into a folder of its own; without node
that part says so and is left out. `record_lesson` is called for a session that is not there, and
is to refuse it. Of each server the memory of its own is read after a tenth of the calls and at the
end, and whether a process of it is left.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from rich.console import Console
from rich.table import Table

from stepladder import KnowledgeBase

ROOT: Final = Path(__file__).resolve().parent.parent
SCRIPT: Final = Path(__file__).with_name("agents_client.mjs")
TASKS: Final = (
    "A test fails and the usual test runner is not installed",
    "The edit tool says the text was not found",
    "The worker does not start after a restart",
    "Translate a poem into Portuguese",
)
MODULE: Final = "stepladder.cli"


@dataclass(slots=True)
class Served:
    """What became of one server."""

    calls: int = 0
    errors: list[str] = field(default_factory=list)
    early_mib: float = 0.0
    late_mib: float = 0.0


def main() -> None:
    """Run both parts and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--servers", type=int, default=20)
    parser.add_argument("--calls", type=int, default=1000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        store = folder / "memory.db"
        with KnowledgeBase.open(store) as kb:
            kb.ingest(sorted(p for p in (ROOT / "examples").iterdir() if p.is_dir()))
        second_client(store, folder)
        many_servers(store, folder, servers=asked.servers, calls=asked.calls)


def second_client(store: Path, folder: Path) -> None:
    """Have the TypeScript client call every tool over stdio and over HTTP."""
    if not (shutil.which("node") and shutil.which("npm")):
        print("No node here: the TypeScript client is left out.")
        return
    shutil.copy(SCRIPT, folder)
    quiet = ["--silent", "--no-audit", "--no-fund"]
    subprocess.run(["npm", "install", *quiet, "@modelcontextprotocol/sdk"], cwd=folder, check=True)
    server = ["-m", MODULE, "--store", str(store), "mcp"]
    print("TypeScript client, stdio:", typescript(folder, "stdio", sys.executable, *server))
    process = subprocess.Popen(
        [sys.executable, *server, "--http", "--port", "0"],
        env={**environment(folder), "STEPLADDER_TOKEN": "secret"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    address = process.stderr.readline().removeprefix("listening on ").strip()
    print("TypeScript client, HTTP: ", typescript(folder, "http", address, "secret"))
    process.terminate()
    process.wait()


def typescript(folder: Path, *words: str) -> str:
    """What the script saw, in short."""
    done = subprocess.run(
        ["node", SCRIPT.name, *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return f"failed: {done.stderr.strip()[-500:]}"
    seen = json.loads(done.stdout.splitlines()[-1])
    return (
        f"{len(seen['tools'])} tools listed and called, refused: {', '.join(seen['failed'])}; "
        f"{len(seen['resources'])} resources, {len(seen['prompts'])} prompt"
    )


def many_servers(store: Path, folder: Path, *, servers: int, calls: int) -> None:
    """Let each of some servers answer so many calls, all at once, and print a table."""
    seen = [Served() for _ in range(servers)]

    async def all_of_them() -> None:
        async with anyio.create_task_group() as group:
            for number, served in enumerate(seen):
                group.start_soon(one_server, store, folder, number, served, calls)

    began = time.perf_counter()
    anyio.run(all_of_them)
    took = time.perf_counter() - began
    table = Table(title=f"{servers} servers on one store, {calls:,} calls each, {took:.0f} s")
    for heading in ("calls", "errors", "MiB after a tenth", "MiB at the end", "left running"):
        table.add_column(heading, justify="right")
    table.add_row(
        f"{sum(s.calls for s in seen):,}",
        str(sum(len(s.errors) for s in seen)),
        f"{sum(s.early_mib for s in seen) / servers:.1f}",
        f"{sum(s.late_mib for s in seen) / servers:.1f}",
        str(len(running(store))),
    )
    console = Console()
    console.print(table)
    for served in seen:
        for error in served.errors[:2]:
            console.print(error)


async def one_server(store: Path, folder: Path, number: int, served: Served, calls: int) -> None:
    """Start a server and call its tools in turn."""
    mark = f"--store={store}"
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", MODULE, mark, "mcp"],
        env={**environment(folder), "STEPLADDER_BENCH_SERVER": str(number)},
        cwd=str(folder),
    )
    async with Client(stdio_client(server)) as client:
        recalled: dict[str, Any] = {}
        for turn in range(calls):
            tool, arguments = next_call(number + turn, recalled)
            result = await client.call_tool(tool, arguments)
            served.calls += 1
            if result.is_error:
                served.errors.append(f"{tool}: {result.content}")
            elif tool == "recall" and (result.structured_content or {}).get("memories"):
                recalled = result.structured_content or {}
            if turn == calls // 10:
                served.early_mib = own_mib(number)
        served.late_mib = own_mib(number)


def next_call(turn: int, recalled: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """What an agent would call: mostly reads, now and then Cypher, whose view writes make old."""
    if not recalled or turn % 5 == 0:
        return "recall", {"task": TASKS[turn // 5 % len(TASKS)] if recalled else TASKS[0]}
    id = recalled["memories"][0]["id"]
    if turn % 50 == 1:
        return "cypher", {"statement": "MATCH (i:Insight) RETURN i.title AS title LIMIT 5"}
    if turn % 5 == 1:
        credit = {"retrieval_id": recalled["retrieval_id"], "outcome": "success", "used": [id]}
        return "report_outcome", credit
    return ("show" if turn % 2 else "why"), {"id": id}


def own_mib(number: int) -> float:
    """Memory of a server and what it started, the mapped store left out; 0 without /proc."""
    wanted = f"STEPLADDER_BENCH_SERVER={number}\0".encode()
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if wanted in (process / "environ").read_bytes():
                lines = (process / "status").read_text().splitlines()
                total += sum(int(n.split()[1]) for n in lines if n.startswith("RssAnon:"))
        except OSError:
            continue
    return total / 1024


def running(store: Path) -> list[str]:
    """Processes that still name the store."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if f"--store={store}".encode() in words:
            found.append(process.name)
    return found


def environment(folder: Path) -> dict[str, str]:
    """The environment without the user's own sessions and store."""
    return {**os.environ, "HOME": str(folder), "USERPROFILE": str(folder)}


if __name__ == "__main__":
    main()
