"""Files cut short or hurt anywhere: no reader of evaluation runs stumbles over them."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepladder.ingest.protocols import TrajectoryReader
from stepladder.ingest.readers.atif import AtifReader
from stepladder.ingest.readers.chat import ChatReader
from stepladder.ingest.readers.mini_swe_agent import MiniSweAgentReader
from stepladder.ingest.readers.openhands import OpenHandsReader
from stepladder.ingest.readers.swe_agent import SweAgentReader
from stepladder.ingest.source import Source
from stepladder.ingest.trajectory import Trajectory
from stepladder.kg.errors import ReadError

FOLDERS: dict[str, TrajectoryReader] = {
    "mini-swe-agent-v1": MiniSweAgentReader(),
    "swe-agent-traj": SweAgentReader(),
    "openhands-events": OpenHandsReader(),
    "openhands-output-jsonl": OpenHandsReader(),
    "openhands-resolver-jsonl": OpenHandsReader(),
    "openhands-v1-events": OpenHandsReader(),
    "atif": AtifReader(),
    "openai-messages": ChatReader(),
    "swe-smith-sft-jsonl": ChatReader(),
    "litellm-completion-log": ChatReader(),
    "adp-raw": ChatReader(),
    "adp-std": ChatReader(),
    "adp-sft": ChatReader(),
}
CUTS = 50
SEED = 20_260_101


def read(reader: TrajectoryReader, path: Path) -> list[Trajectory]:
    source = Source(path)
    if not reader.recognises(source):
        return []
    try:
        return list(reader.read(source))
    except ReadError:
        return []


def commands(runs: list[Trajectory]) -> list[tuple[str, str]]:
    return [(c.name, json.dumps(dict(c.arguments), sort_keys=True)) for r in runs for c in r.calls]


def smallest(folder: Path) -> list[Path]:
    return sorted(folder.iterdir(), key=lambda p: (p.stat().st_size, p.name))[:2]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_file_cut_anywhere_keeps_what_stood_before(
    name: str, shared_data: Path, tmp_path: Path
) -> None:
    reader = FOLDERS[name]
    chance = random.Random(SEED)
    for file in smallest(shared_data / "trajectories" / name):
        data = file.read_bytes()
        path = tmp_path / file.name
        path.write_bytes(data)
        whole = commands(read(reader, path))
        for _ in range(CUTS):
            path.write_bytes(data[: chance.randrange(len(data))])
            found = commands(read(reader, path))
            assert found[:-1] == whole[: len(found)][:-1]
        path.write_bytes(data + b"\n")
        assert commands(read(reader, path)) == whole


@pytest.mark.parametrize("name", FOLDERS)
def test_a_file_hurt_anywhere_stops_no_reader(name: str, shared_data: Path, tmp_path: Path) -> None:
    reader = FOLDERS[name]
    chance = random.Random(SEED)
    for file in smallest(shared_data / "trajectories" / name):
        for data in hurt(file.read_bytes(), chance):
            path = tmp_path / file.name
            path.write_bytes(data)
            read(reader, path)


def hurt(data: bytes, chance: random.Random) -> Iterator[bytes]:
    lines = data.split(b"\n")
    for _ in range(10):
        at = chance.randrange(len(lines))
        yield b"\n".join(lines[:at] + lines[at + 1 :])
        yield b"\n".join(lines[: at + 1] + lines[at:])
        byte = chance.randrange(len(data))
        yield data[:byte] + chance.randbytes(3) + data[byte + 3 :]


def test_rows_before_a_cut_are_whole(shared_data: Path, tmp_path: Path) -> None:
    for name in ("swe-smith-sft-jsonl", "openhands-output-jsonl"):
        (file,) = (shared_data / "trajectories" / name).iterdir()
        data = file.read_bytes()
        end = data.index(b"\n", data.index(b"\n") + 1)
        path = tmp_path / file.name
        path.write_bytes(data[: end + 1000])
        whole = read(FOLDERS[name], file)
        assert [(r.id, r.turns) for r in read(FOLDERS[name], path)] == [
            (r.id, r.turns) for r in whole[:2]
        ]


def test_odd_session_files_of_many_agents_stop_no_reader(shared_data: Path) -> None:
    for path in sorted((shared_data / "odd").iterdir()):
        for reader in dict.fromkeys(FOLDERS.values()):
            read(reader, path)
