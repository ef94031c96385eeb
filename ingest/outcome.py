"""How a run ended, as its own row or the files beside it say.

Files that verifiers write lie beside a run, one folder up, or in Harbor's `verifier` folder; they
are looked for there and nowhere else. Handing work in is not success, and null is not failure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeGuard, get_args

from ..kg.types import OutcomeSource, OutcomeStatus
from .source import Source
from .trajectory import Outcome

CONFIDENCE: Final[Mapping[OutcomeSource, float]] = {
    "verifier": 1.0,
    "human": 1.0,
    "judge": 0.75,
    "heuristic": 0.5,
    "none": 0.0,
}
"""How far a verdict is trusted by who gave it, where it does not say itself.

Source: a judge agreed with the verifier in 74 to 85 % of runs (arXiv 2604.14004); the heuristic's
value is chosen by us.
"""

_MAX_BYTES: Final = 64_000_000
"""Larger files beside a run are no reports."""

_MAX_REPORTS: Final = 20
_RESULTS: Final = ("result.json", "results.json")
_REWARDS: Final = ("reward.txt", "reward.json")
_PREDICTIONS: Final = ("preds.json", "all_preds.jsonl")
_ROWS: Final = "outcomes.jsonl"
_SIDE_CAR: Final = ".outcome.json"

_SOLVED: Final = ("resolved_ids", "resolved")
_UNSOLVED: Final = ("unresolved_ids", "empty_patch_ids", "no_generation", "generated")
_WORDS: Final[Mapping[str, bool]] = {
    "success": True,
    "resolved": True,
    "solved": True,
    "passed": True,
    "failure": False,
    "unresolved": False,
    "unsolved": False,
    "failed": False,
}
_NAMES: Final = ("file", "path", "trajectory", "name", "instance_id", "task_id", "trial_name")


def verified(solved: Any, *, detail: str, reward: float | None = None) -> Outcome | None:
    """The outcome that a verifier's yes or no amounts to; None where it is neither."""
    if not isinstance(solved, bool):
        return None
    status: OutcomeStatus = "success" if solved else "failure"
    return Outcome(status=status, source="verifier", confidence=1.0, reward=reward, detail=detail)


def rewarded(reward: Any, *, detail: str) -> Outcome | None:
    """The outcome of a reward: 1 is success, 0 is failure, between them nothing is decided."""
    if isinstance(reward, bool) or not isinstance(reward, int | float) or reward != reward:
        return None
    if 0 < reward < 1:
        return Outcome(source="verifier", confidence=1.0, reward=float(reward), detail=detail)
    return verified(reward >= 1, detail=detail, reward=float(reward))


def stated_in(row: Mapping[str, Any]) -> Outcome:
    """What a data set's row says of its run: `resolved`, `is_resolved`, `target` or `reward`."""
    tested = row.get("test_result")
    inner = tested.get("report") if isinstance(tested, dict) else None
    for place in (row, row.get("report"), tested, inner):
        if isinstance(place, dict):
            keys = ("resolved", "is_resolved", *(("target",) if "instance_id" in place else ()))
            for key in keys:
                told = verified(place.get(key), detail=f"{key} of its row")
                if told:
                    return told
    return rewarded(row.get("reward"), detail="reward of its row") or Outcome()


@dataclass(slots=True)
class SideCars:
    """Reads the files beside runs, each once however many runs lie there."""

    _documents: dict[Path, Any] = field(default_factory=dict)
    _rows: dict[Path, dict[str, Outcome | None]] = field(default_factory=dict)
    _told: dict[Path, dict[str, tuple[str, str]]] = field(default_factory=dict)
    _reports: dict[Path, list[Path]] = field(default_factory=dict)

    def outcome_of(self, path: Path, *, task_id: str = "") -> Outcome | None:
        """What the files beside a run say of how it ended; None where they say nothing.

        `task_id` is the name by which reports of many runs know it. A side-car of the run's own
        name comes first, then its folder, then the folder above.
        """
        told = self._own(path)
        for folder in dict.fromkeys((path.parent, path.parent.parent)):
            told = (
                told
                or self._in_rows(folder, path, task_id)
                or self._in_rewards(folder)
                or self._in_results(folder, path, task_id)
                or self._in_reports(folder, path, task_id)
            )
        return told

    def named_in(self, path: Path, *, task_id: str = "") -> tuple[str, str]:
        """The domain and the project that rows of `outcomes.jsonl` give a run; empty where none.

        Rows of the run's folder come first, then those of the folder above.
        """
        domain = project = ""
        for folder in dict.fromkeys((path.parent, path.parent.parent)):
            file = folder / _ROWS
            if file not in self._told:
                self._told[file] = _named_by_row(file) if file.is_file() else {}
            known = self._told[file]
            told = next((known[n] for n in _names_for(path, task_id) if n in known), ("", ""))
            domain, project = domain or told[0], project or told[1]
        return domain, project

    def _own(self, path: Path) -> Outcome | None:
        """`<name>.outcome.json`: a status, and who says so."""
        for name in dict.fromkeys((path.name, path.stem, path.name.split(".")[0])):
            fields = self._json(path.parent / f"{name}{_SIDE_CAR}")
            if isinstance(fields, dict) and fields.get("status") in get_args(OutcomeStatus):
                return _declared(fields)
        return None

    def _in_rows(self, folder: Path, path: Path, task_id: str) -> Outcome | None:
        """`outcomes.jsonl`: rows that name a run by its file or its task."""
        file = folder / _ROWS
        if file not in self._rows:
            self._rows[file] = _by_name(file) if file.is_file() else {}
        known = self._rows[file]
        return next((known[n] for n in _names_for(path, task_id) if n in known), None)

    def _in_rewards(self, folder: Path) -> Outcome | None:
        """`reward.txt` or `reward.json`, in the folder itself or in its `verifier` folder."""
        for file in (place / name for place in (folder, folder / "verifier") for name in _REWARDS):
            value = self._json(file)
            if isinstance(value, dict):
                value = value.get("reward", next(iter(value.values())) if len(value) == 1 else None)
            told = rewarded(value, detail=file.name)
            if told:
                return told
        return None

    def _in_results(self, folder: Path, path: Path, task_id: str) -> Outcome | None:
        """`result.json` of a Harbor trial, `results.json` of terminal-bench, one trial or many."""
        for name in _RESULTS:
            fields = self._json(folder / name)
            if not isinstance(fields, dict):
                continue
            many = fields.get("results")
            for row in many if isinstance(many, list) else [fields]:
                if isinstance(row, dict) and (row is fields or _is_of(row, path, task_id)):
                    told = verified(row.get("is_resolved"), detail=name) or _of_trial(row, name)
                    if told:
                        return told
        return None

    def _in_reports(self, folder: Path, path: Path, task_id: str) -> Outcome | None:
        """SWE-bench's reports: `{task: {"resolved": …}}`, or lists of the tasks by their fate.

        A run whose task is not known is looked up by the name of its file.
        """
        task_id = task_id or path.name.split(".")[0]
        if folder not in self._reports:
            self._reports[folder] = list(_reports_in(folder))
        for file in self._reports[folder]:
            fields = self._json(file)
            own = fields.get(task_id) if isinstance(fields, dict) else None
            if isinstance(own, dict):
                told = verified(own.get("resolved"), detail=file.name)
            else:
                told = _listed(fields, task_id, file.name) if isinstance(fields, dict) else None
            if told:
                return told
        return None

    def _json(self, path: Path) -> Any:
        if path not in self._documents:
            small = path.is_file() and path.stat().st_size <= _MAX_BYTES
            self._documents[path] = _read(path) if small else None
        return self._documents[path]


def _read(path: Path) -> Any:
    source = Source(path)
    if path.suffix == ".txt":
        try:
            return float(source.text.strip())
        except ValueError:
            return None
    return source.document


def _declared(fields: Mapping[str, Any]) -> Outcome:
    known: OutcomeSource = next((s for s in CONFIDENCE if s == fields.get("source")), "none")
    confidence, reward = fields.get("confidence"), fields.get("reward")
    return Outcome(
        status=fields["status"],
        source=known,
        confidence=float(confidence) if _is_share(confidence) else CONFIDENCE[known],
        reward=float(reward) if isinstance(reward, int | float) else None,
        detail=str(fields.get("detail") or ""),
    )


def _is_share(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _by_name(file: Path) -> dict[str, Outcome | None]:
    """The outcomes of a file of rows by every name they give; None where rows disagree."""
    known: dict[str, Outcome | None] = {}
    for record in Source(file).records:
        row = record.value if isinstance(record.value, dict) else {}
        told = _of_row(row)
        if told is None:
            continue
        for name in dict.fromkeys(_names_of(row)):
            known[name] = told if known.get(name, told) == told else None
    return known


def _named_by_row(file: Path) -> dict[str, tuple[str, str]]:
    """Domain and project by every name that rows give; where two rows disagree, neither counts."""
    known: dict[str, tuple[str, str]] = {}
    for record in Source(file).records:
        row = record.value if isinstance(record.value, dict) else {}
        told = (_word(row, "domain"), _word(row, "project"))
        for name in dict.fromkeys(_names_of(row)):
            domain, project = known.get(name, told)
            known[name] = (
                domain if domain == told[0] else "",
                project if project == told[1] else "",
            )
    return known


def _word(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value.strip() if isinstance(value, str) else ""


def _names_for(path: Path, task_id: str) -> tuple[str, ...]:
    """The names by which a row may know a run, the most telling first."""
    names = (path.name, path.stem, path.name.split(".")[0], task_id)
    return tuple(name for name in names if name)


def _names_of(row: Mapping[str, Any]) -> Iterator[str]:
    for key in _NAMES:
        value = row.get(key)
        if isinstance(value, str) and value:
            yield value.replace("\\", "/").rpartition("/")[2]


def _of_row(row: Mapping[str, Any]) -> Outcome | None:
    for key in ("resolved", "is_resolved", "outcome", "status", "success"):
        value = row.get(key)
        solved = _WORDS.get(value.lower()) if isinstance(value, str) else value
        told = verified(solved, detail=f"{_ROWS}: {key}")
        if told and row.get("source") in get_args(OutcomeSource):
            return _declared({**row, "status": told.status})
        if told:
            return told
    return rewarded(row.get("reward"), detail=f"{_ROWS}: reward")


def _is_of(row: Mapping[str, Any], path: Path, task_id: str) -> bool:
    """Tell whether a row of many is about this run: by its trial's folder, else by its task."""
    trial = row.get("trial_name")
    if isinstance(trial, str) and trial:
        return trial in path.parts
    return bool(task_id) and row.get("task_id", row.get("task_name")) == task_id


def _of_trial(row: Mapping[str, Any], name: str) -> Outcome | None:
    result = row.get("verifier_result")
    if not isinstance(result, dict):
        return None
    rewards = result.get("rewards")
    reward = rewards.get("reward") if isinstance(rewards, dict) else result.get("reward")
    return rewarded(reward, detail=f"{name}: verifier_result")


def _reports_in(folder: Path) -> Iterator[Path]:
    """`report.json`, and beside predictions every report of an evaluation of them."""
    if (folder / "report.json").is_file():
        yield folder / "report.json"
    if not any((folder / name).is_file() for name in _PREDICTIONS):
        return
    others = (p for p in sorted(folder.glob("*.json")) if p.name not in (*_PREDICTIONS, *_RESULTS))
    reports = (p for p in others if p.is_file() and b'_ids"' in Source(p).head)
    for _, report in zip(range(_MAX_REPORTS), reports, strict=False):
        yield report


def _listed(fields: Mapping[str, Any], task_id: str, name: str) -> Outcome | None:
    for keys, solved in ((_SOLVED, True), (_UNSOLVED, False)):
        for key in keys:
            tasks = fields.get(key)
            if isinstance(tasks, list) and task_id in tasks:
                return verified(solved, detail=f"{name}: {key}")
    return None
