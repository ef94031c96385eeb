"""Every public run, ingested into one store: what is read, what is not, and what comes of it."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.report import IngestReport
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Trajectory
from stepladder.kg.types import SHARED, Insight, Memory, Step, Summary, Trace, Workflow

READ = {
    "adp-raw": "chat",
    "adp-sft": "chat",
    "adp-std": "chat",
    "atif": "atif",
    "claude-code-jsonl": "claude-code",
    "cline-sdk-messages": "chat",
    "codex-rollout": "codex",
    "gemini-session": "gemini",
    "litellm-completion-log": "chat",
    "mini-swe-agent-v1": "mini-swe-agent",
    "openai-messages": "chat",
    "opencode-export": "opencode",
    "openhands-events": "openhands",
    "openhands-output-jsonl": "openhands",
    "openhands-resolver-jsonl": "openhands",
    "openhands-v1-events": "openhands",
    "spider-agent-json": "chat",
    "swe-agent-traj": "swe-agent",
    "swe-smith-sft-jsonl": "chat",
}
"""The reader that takes the files of each label of the manifest."""

NOT_READ = {
    "aider-chat-md": {"not read yet: aider chat history"},
    "aider-llm-history": {"not read yet: aider LLM history"},
    "amp-thread": {"not read yet: Amp thread"},
    "copilot-cli-events": {"not read yet: Copilot CLI session"},
    "cursor-agent-transcript": {"not read yet: Cursor transcript"},
    "inspect-eval": {"not read yet: Inspect .eval log"},
    "inspect-json": {"not read yet: Inspect log"},
    "intercode": {"not read yet: InterCode runs"},
    "langgraph-conversation-log": {"not read yet: LangGraph conversation log"},
    "pi-session": {"not read yet: pi or OpenClaw session"},
    "reflexion-jsonl": {"not read yet: HumanEval rows", "not read yet: Reflexion rows"},
    "specstory-md": {"not read yet: SpecStory markdown"},
    "terminal-bench-trial": {"not read yet: asciinema cast"},
    "vscode-copilot-chat": {"not read yet: VS Code Copilot chat"},
}

COUNTS_REPLIES = {
    "adp-raw",
    "adp-sft",
    "atif",
    "cline-sdk-messages",
    "mini-swe-agent-v1",
    "openai-messages",
    "openhands-events",
    "openhands-resolver-jsonl",
}
"""Labels whose steps the manifest counts as replies of the agent; else as calls of tools."""

_REPEATED = "the log after it repeats its messages and goes on"
_ANSWERED = "the manifest leaves out the call in the log's own response"
OTHER_COUNTS = {
    "--mock_output_output.jsonl": (28, 26, "the manifest counts the task of each of two runs"),
    ".summarization-1-answers.json": (4, 1, "three steps are copied from the run before"),
    "-linear-history.trajectory.cont-1.json": (5, 4, "one step is copied from the run before"),
    "-20250514-1757015029.090.json": (1, 0, _REPEATED),
    "-20250514-1757015033.222.json": (2, 0, _REPEATED),
    "-20250514-1757015036.544.json": (3, 4, _ANSWERED),
    "deepseek-chat-1757015062.589.json": (1, 0, _REPEATED),
    "deepseek-chat-1757015076.651.json": (3, 4, _ANSWERED),
}
"""End of a file's name: the steps of its manifest row, those that are read, and why."""

FEW = 5
"""Families with fewer long runs than this are judged together."""

PUBLIC_NAMES = {"api", "docs", "git", "project", "pytest", "python", "server", "tests"}
"""Names of sources that are also words of everyone."""

LEAKS = {
    "path": re.compile(r"(?<![\w<])(?:~|\.{0,2})/\w|\b\w+/\w+/|[A-Za-z]:\\"),
    "file": re.compile(
        r"\b\w+\.(?:py|js|ts|tsx|go|rs|java|c|h|cpp|rb|sh|json|ya?ml|toml|md|txt)\b"
    ),
    "URL": re.compile(r"\w+://|\bwww\."),
    "hash": re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b"),
    "e-mail": re.compile(r"[\w.+-]+@[\w-]+"),
}
PUBLIC_FILES = re.compile(
    r"\b(?:conftest|setup|manage|test_\w*|__init__|package|tsconfig|pyproject|README|CHANGELOG"
    r"|AGENTS|CLAUDE)\.\w+"
)
"""Files that go by the same name everywhere."""


@dataclass(frozen=True)
class Ingested:
    """A store with every public run, and what the ingest said."""

    kb: KnowledgeBase
    report: IngestReport
    folders: tuple[Path, Path]
    above: dict[str, list[Memory]]
    """Of each trace everything that stands above it."""

    @property
    def traces(self) -> list[Trace]:
        return [t for t in self.kb.store.find("Trace") if isinstance(t, Trace)]


@pytest.fixture(scope="module")
def ingested(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ingested]:
    folders = (shared_data / "trajectories", shared_data / "swebench-verified-runs")
    with KnowledgeBase.open(tmp_path_factory.mktemp("real") / "memory.db") as kb:
        report = kb.ingest(folders)
        yield Ingested(kb=kb, report=report, folders=folders, above=memories_above(kb))


def memories_above(kb: KnowledgeBase) -> dict[str, list[Memory]]:
    traces = [t.id for t in kb.store.find("Trace")]
    upward: dict[str, list[str]] = defaultdict(list)
    for edge in kb.store.ancestry(traces):
        upward[edge.source].append(edge.target)
    found: dict[str, list[Memory]] = {}
    for trace in traces:
        seen: dict[str, None] = {}
        waiting = [trace]
        while waiting:
            fresh = [id for id in upward[waiting.pop()] if id not in seen]
            seen.update(dict.fromkeys(fresh))
            waiting += fresh
        found[trace] = [n for n in kb.store.get(list(seen)).values() if isinstance(n, Memory)]
    return found


def manifest(shared_data: Path) -> list[dict[str, Any]]:
    text = (shared_data / "trajectories" / "MANIFEST.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def runs(path: Path) -> list[Trajectory]:
    source = Source(path)
    reader = reader_for(source, load_readers())
    return list(reader.read(source)) if reader else []


def test_every_file_is_looked_at_and_none_fails(ingested: Ingested) -> None:
    files = [p for folder in ingested.folders for p in folder.rglob("*") if p.is_file()]
    assert ingested.report.files == len(files) >= 340
    assert ingested.report.failed == []


def test_what_is_read_in_part_says_which_line(ingested: Ingested) -> None:
    assert all(re.match(r"line \d+: ", note.reason) for note in ingested.report.warnings)


def test_the_reader_of_every_format_knows_its_files(shared_data: Path) -> None:
    readers = load_readers()
    found: dict[str, set[str]] = defaultdict(set)
    for row in manifest(shared_data):
        reader = reader_for(Source(shared_data / "trajectories" / row["path"]), readers)
        if reader:
            found[row["format"]].add(reader.format)
    assert found == {label: {format} for label, format in READ.items()}


def test_files_of_other_formats_are_named_and_not_failed(ingested: Ingested) -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for note in ingested.report.skipped:
        found[Path(note.path).parent.name].add(note.reason)
    parts = found.pop("litellm-completion-log")
    assert [reason[:18] for reason in parts] == ["no run of its own:"]
    assert found.pop("trajectories") == {"no trajectory: MANIFEST"}
    assert found.pop("swebench-verified-runs") == {"no trajectory: outcomes of runs"}
    assert found == NOT_READ


def test_every_step_that_the_manifest_counts_is_read(shared_data: Path) -> None:
    counted: dict[str, int] = {}
    expected: dict[str, int] = {}
    for row in manifest(shared_data):
        if row["format"] not in READ:
            continue
        path = str(row["path"])
        found = runs(shared_data / "trajectories" / path)
        replies = sum(t.role == "agent" for run in found for t in run.turns)
        calls = sum(len(run.calls) for run in found)
        counted[path] = replies if row["format"] in COUNTS_REPLIES else calls
        other = next((c for end, c in OTHER_COUNTS.items() if path.endswith(end)), None)
        assert other is None or other[0] == row["steps"]
        expected[path] = other[1] if other else row["steps"]
    assert counted == expected


def test_a_second_ingest_adds_nothing(ingested: Ingested) -> None:
    store = ingested.kb.store
    before = (store.counts(), store.sequence())
    again = ingested.kb.ingest(ingested.folders)
    assert (again.new, again.updated, again.failed) == (0, 0, [])
    first = ingested.report
    assert again.unchanged == first.new + first.updated + first.unchanged
    assert (store.counts(), store.sequence()) == before


def test_the_verifier_is_believed_about_the_runs_it_judged(ingested: Ingested) -> None:
    judged = Counter((t.outcome, t.outcome_source) for t in ingested.traces if is_judged(t))
    assert judged == {("success", "verifier"): 100, ("failure", "verifier"): 50}


def is_judged(trace: Trace) -> bool:
    return "swebench-verified-runs" in trace.source


def test_every_step_of_a_trace_is_there(ingested: Ingested) -> None:
    held = Counter(
        edge.target
        for edge in ingested.kb.store.edges([t.id for t in ingested.traces], types=["PART_OF"])
    )
    assert held == {t.id: t.steps for t in ingested.traces if t.steps}


def test_every_trace_with_an_action_has_a_summary(ingested: Ingested) -> None:
    missing = [
        t.source
        for t in ingested.traces
        if t.steps and not any(isinstance(m, Summary) for m in ingested.above[t.id])
    ]
    assert missing == []


def test_eight_of_ten_long_runs_have_a_workflow(ingested: Ingested) -> None:
    has = [
        any(isinstance(m, Workflow) for m in ingested.above[t.id])
        for t in ingested.traces
        if t.steps >= 5
    ]
    assert sum(has) >= 0.8 * len(has)


def has_card(ingested: Ingested, trace: Trace) -> bool:
    return any(isinstance(m, Insight) and m.card for m in ingested.above[trace.id])


def test_eight_of_ten_judged_runs_have_a_card(ingested: Ingested) -> None:
    has = [has_card(ingested, t) for t in ingested.traces if is_judged(t)]
    assert sum(has) >= 0.8 * len(has)


def test_six_of_ten_long_runs_of_every_other_family_have_a_card(ingested: Ingested) -> None:
    families: dict[str, list[bool]] = defaultdict(list)
    for trace in ingested.traces:
        if trace.steps >= 5 and not is_judged(trace):
            families[trace.format].append(has_card(ingested, trace))
    small = [has for known in families.values() if len(known) < FEW for has in known]
    known = {name: has for name, has in families.items() if len(has) >= FEW} | {"small": small}
    assert {name for name, has in known.items() if sum(has) < 0.6 * len(has)} == set()


def test_nothing_but_insights_is_shared(ingested: Ingested) -> None:
    memories = [m for above in ingested.above.values() for m in above] + ingested.traces
    shared = {type(m).__name__ for m in memories if m.scope == SHARED}
    assert shared == {"Insight"}
    assert {m.project for m in memories if m.scope == SHARED} == {""}


def test_no_shared_insight_holds_anything_of_its_source(ingested: Ingested) -> None:
    shared = [n for n in ingested.kb.store.find("Insight") if n.scope == SHARED]
    assert shared
    names = names_of_sources(ingested)
    found = {
        (insight.id, kind, leak)
        for insight in shared
        if isinstance(insight, Insight)
        for text in words_of(insight)
        for kind, leak in leaks_in(text, names)
    }
    assert found == set()


def words_of(insight: Insight) -> tuple[str, ...]:
    facets = (*insight.domains, *insight.languages, *insight.tools)
    return (insight.full, insight.applies_when, insight.not_when, *facets)


def leaks_in(text: str, names: set[str]) -> Iterator[tuple[str, str]]:
    text = PUBLIC_FILES.sub("", text)
    for kind, pattern in LEAKS.items():
        yield from ((kind, match[0]) for match in pattern.finditer(text))
    words = set(re.findall(r"[a-z][\w.-]*\w", text.lower()))
    yield from (("name", word) for word in sorted(words & names))


def names_of_sources(ingested: Ingested) -> set[str]:
    """Names that only a source can have given: repositories, sessions, files, branches of work."""
    names: set[str] = set()
    for trace in ingested.traces:
        names.update(part.lower() for part in trace.project.split("/"))
        names.add(trace.session.lower())
    for step in ingested.kb.store.find("Step"):
        if isinstance(step, Step):
            names.update(Path(f).name.lower() for f in step.files if Path(f).suffix)
    return {n for n in names if len(n) > 2} - PUBLIC_NAMES
