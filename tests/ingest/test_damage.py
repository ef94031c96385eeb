"""Real files cut short anywhere, with lines lost and doubled: what is whole is kept."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from stepladder import KnowledgeBase
from stepladder.ingest.readers import load_readers, reader_for
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import ToolCall, Trajectory
from stepladder.kg.errors import ReadError
from stepladder.kg.types import Trace

FILES = 30
CUTS = 50
LARGEST_BYTES = 200_000
SEED = 20_260_301
READERS = load_readers()
DECODER = json.JSONDecoder()
LISTS = ("messages", "conversations", "conversation", "traj", "content")
"""What lists of chat messages are called; all are `messages` where a call says its place."""
EXAMPLES = Path(__file__).parents[2] / "examples"


def chosen(shared_data: Path) -> list[Path]:
    """Thirty files of formats that are read, each format before any comes twice."""
    folder = shared_data / "trajectories"
    text = (folder / "MANIFEST.jsonl").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    random.Random(SEED).shuffle(rows)
    by_label: dict[str, list[Path]] = {}
    for row in rows:
        path = folder / row["path"]
        if row["bytes"] <= LARGEST_BYTES and calls(runs_of(path)):
            by_label.setdefault(row["format"], []).append(path)
    turns = max(map(len, by_label.values()))
    ordered = [paths[n] for n in range(turns) for paths in by_label.values() if n < len(paths)]
    return ordered[:FILES]


@pytest.fixture(scope="module")
def files(shared_data: Path) -> list[Path]:
    return chosen(shared_data)


def read(path: Path, data: bytes) -> list[Trajectory]:
    path.write_bytes(data)
    return runs_of(path)


def runs_of(path: Path) -> list[Trajectory]:
    """The runs of a file; none where no reader knows it or can read it."""
    source = Source(path)
    reader = reader_for(source, READERS)
    try:
        return list(reader.read(source)) if reader else []
    except ReadError:
        return []


def calls(runs: list[Trajectory]) -> list[ToolCall]:
    return [call for run in runs for call in run.calls]


def names(found: list[ToolCall]) -> list[tuple[str, str]]:
    return [(c.name, json.dumps(dict(c.arguments), sort_keys=True)) for c in found]


def ends(data: bytes) -> dict[str, int]:
    """Where each line of a file ends and, in JSON, each element of each list, by its `raw_ref`.

    Bytes are read as characters one by one, so that positions are those of the file.
    """
    found = {"the file": len(data)}
    text = data.decode("latin-1")
    if b'\n{"' not in data.rstrip(b"\n"):
        _walk(text, text.find("{" if text.lstrip()[:1] == "{" else "["), "", found)
    at = 0
    for number, line in enumerate(text.split("\n"), start=1):
        found[f"line {number}"] = at + len(line)
        at += len(line) + 1
    return found


def _walk(text: str, at: int, place: str, found: dict[str, int]) -> int:
    """Note where the elements below the value at this position end; return where it ends."""
    if text[at] not in "{[":
        return int(DECODER.raw_decode(text, at)[1])
    closing = "}" if text[at] == "{" else "]"
    at, index = _skip(text, at + 1), 0
    while text[at] != closing:
        inner = f"{place}[{index}]"
        if closing == "}":
            key, at = DECODER.raw_decode(text, at)
            at = _skip(text, at)
            inner = f"{place}.{key}".lstrip(".")
        at = _walk(text, at, inner, found)
        found[inner] = at
        at, index = _skip(text, at), index + 1
    return at + 1


def _skip(text: str, at: int) -> int:
    while text[at] in " \t\r\n,:":
        at += 1
    return at


def end_of(call: ToolCall, places: dict[str, int], document: Any) -> int:
    """Where the message or the line that holds a call ends."""
    ref = call.raw_ref
    if ref.startswith("message "):
        ref = f"messages[{int(ref.removeprefix('message ')) - 1}]"
    elif ref.startswith("msg_"):
        ids = [m["info"]["id"] for m in document["messages"]]
        ref = f"messages[{ids.index(ref)}]"
    if ref.startswith("line "):
        ref = " ".join(ref.split()[:2])  # of rows of runs, a line is what is whole or not
    refs = (ref.replace("messages", name) for name in LISTS)
    return next((places[r] for r in refs if r in places), places["the file"])


def test_a_file_cut_anywhere_keeps_the_calls_before_the_cut(
    files: list[Path], tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    kept = 0
    for file in files:
        data, path = file.read_bytes(), tmp_path / file.name
        whole = calls(read(path, data))
        document, places = Source(path).document, ends(data)
        stop = [end_of(call, places, document) for call in whole]
        for _ in range(CUTS):
            cut = chance.randrange(1, len(data))
            found = calls(read(path, data[:cut]))
            before = sum(end <= cut for end in stop)
            assert names(found)[:before] == names(whole)[:before], (file.name, cut)
            assert len(found) <= len(whole), (file.name, cut)
            kept += before
        path.unlink()
    assert len(files) == FILES
    assert kept > FILES * CUTS


def in_lines(files: list[Path]) -> list[Path]:
    return [file for file in files if file.suffix == ".jsonl"]


def test_lost_lines_take_nothing_but_themselves(files: list[Path], tmp_path: Path) -> None:
    chance = random.Random(SEED)
    tested = 0
    for file in in_lines(files):
        lines, path = file.read_bytes().split(b"\n"), tmp_path / file.name
        whole = calls(read(path, b"\n".join(lines)))
        for _ in range(10):
            gone = set(chance.sample(range(1, len(lines) + 1), max(1, len(lines) // 20)))
            left = [line for n, line in enumerate(lines, start=1) if n not in gone]
            found = Counter(names(calls(read(path, b"\n".join(left)))))
            kept = Counter(names([c for c in whole if int(c.raw_ref.split()[1]) not in gone]))
            assert kept <= found <= Counter(names(whole)), file.name
            tested += kept.total()
    assert tested > 500


def test_lines_that_stand_there_twice_add_no_call(files: list[Path], tmp_path: Path) -> None:
    chance = random.Random(SEED)
    for file in in_lines(files):
        lines, path = file.read_bytes().rstrip(b"\n").split(b"\n"), tmp_path / file.name
        whole = {run.id: names(list(run.calls)) for run in read(path, b"\n".join(lines))}
        for _ in range(10):
            twice = set(chance.sample(range(len(lines)), max(1, len(lines) // 5)))
            doubled = [line for n, line in enumerate(lines) for _ in range(1 + (n in twice))]
            found = read(path, b"\n".join(doubled))
            assert {run.id: names(list(run.calls)) for run in found} == whole, file.name


def test_a_document_without_some_of_its_lines_stops_no_reader(
    files: list[Path], tmp_path: Path
) -> None:
    chance = random.Random(SEED)
    for file in files:
        if file.suffix == ".jsonl":
            continue
        lines, path = file.read_bytes().split(b"\n"), tmp_path / file.name
        for _ in range(10):
            at = chance.randrange(len(lines))
            read(path, b"\n".join(lines[:at] + lines[at + 1 :]))
            read(path, b"\n".join(lines[:at] + lines[max(0, at - 1) :]))


@pytest.mark.parametrize("cut", [0, 1, 300, 2_000, 6_000])
def test_a_damaged_file_takes_no_neighbour_with_it(tmp_path: Path, cut: int) -> None:
    runs = tmp_path / "runs"
    samples = sorted(p for p in EXAMPLES.glob("*/*.json*") if p.name != "outcomes.jsonl")[:9]
    whole = [p for n, p in enumerate(samples) if n % 2 == 0]
    for number, sample in enumerate(samples):
        copy = runs / f"{number}-{sample.name}"
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(sample.read_bytes() if sample in whole else sample.read_bytes()[:cut])
    with KnowledgeBase.open(tmp_path / "store" / "memory.db") as kb:
        report = kb.ingest([runs])
        kept = {Path(t.source).name for t in kb.store.find("Trace") if isinstance(t, Trace)}
    assert report.files == len(samples)
    assert {f"{n}-{p.name}" for n, p in enumerate(samples) if p in whole} <= kept
