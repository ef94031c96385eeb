"""The public sets that merging is measured on: memories, and which pairs of them say the same."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import networkx as nx
from retrieval_sets import Row, rows

Pair = tuple[str, str]

_SIGNATURE: Final = re.compile(r"async function \w+\(bot\)\s*\{?")
_UNRELATED_BUGS: Final = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class MergingSet:
    """Memories to import, the pairs that are judged, and which of them say the same.

    `group` maps each id to its gold group and is empty where single pairs were labelled; `across`
    are judged pairs of different domains, languages or models. `tuned` says what was chosen on
    the set.
    """

    name: str
    memories: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    same: frozenset[Pair]
    across: frozenset[Pair]
    group: dict[str, str]
    tuned: str

    @property
    def ids(self) -> list[str]:
        """Ids of the memories, in their order."""
        return [m["id"] for m in self.memories]


def lesson_pairs(data: Path, part: str, *, tuned: str) -> MergingSet:
    """Pairs of natural lessons with a label that two readers, or one, gave."""
    id_of: dict[str, str] = {}
    memories: list[Row] = []
    judged: dict[Pair, str] = {}
    across: set[Pair] = set()
    for row in rows(data, f"lesson_pairs/{part}.jsonl"):
        ends = []
        for side in "ab":
            text = row[f"text_{side}"]
            if text not in id_of:
                id_of[text] = f"insight-lesson-{len(id_of):04d}"
                memories.append(_insight(id_of[text], text, domain=row[f"domain_{side}"]))
            ends.append(id_of[text])
        if row["label"] and ends[0] != ends[1]:
            pair = _pair(*ends)
            judged[pair] = row["label"]
            if row["domain_a"] != row["domain_b"]:
                across.add(pair)
    return MergingSet(
        name=f"lesson pairs, {part}",
        memories=tuple(memories),
        pairs=tuple(judged),
        same=frozenset(p for p, label in judged.items() if label == "same"),
        across=frozenset(across),
        group={},
        tuned=tuned,
    )


def mixed533(data: Path) -> MergingSet:
    """Descriptions of skills: the same task, the same skill of another run, the same folder.

    Names are left out, because they give the gold away.
    """
    memories: list[Row] = []
    group: dict[str, str] = {}
    for prefix, name, key in (
        ("task", "tb2/letta_skills.jsonl", "task"),
        ("skill", "voyager/skills.jsonl", "name"),
        ("folder", "skillsbench/skills.jsonl", "folder"),
    ):
        for row in rows(data, name):
            id = f"insight-{row['id']}"
            text = _SIGNATURE.sub(" ", row["description"] or "")
            memories.append(_insight(id, " ".join(text.split()) or row["name"]))
            group[id] = f"{prefix} {row[key]}"
    return _grouped(
        "mixed533", memories, group, tuned="weights of terms and crowd, the limits of proposals"
    )


def insight71(data: Path) -> MergingSet:
    """Insights of three domains; pairs that are only related do not count."""
    found = rows(data, "merge_gold/insights.jsonl")
    with (data / "eval/merge_gold/related_pairs.json").open(encoding="utf-8") as file:
        related = json.load(file)["related"]
    ids = {row["id"]: f"insight-gold-{row['id']:03d}" for row in found}
    memories = [
        {
            "id": ids[row["id"]],
            "level": "insight",
            "title": row["title"],
            "description": row["text"],
            "content": " ".join(part for part in (row["when"], row["fix"]) if part),
            "domain": row["domain"],
        }
        for row in found
    ]
    group = {ids[row["id"]]: str(row["cluster"]) for row in found}
    left_out = {_pair(ids[a], ids[b]) for a, b in related if a in ids and b in ids}
    domain = {m["id"]: m["domain"] for m in memories}
    return _grouped(
        "insight71",
        memories,
        group,
        side=domain,
        left_out=left_out,
        tuned="weights, the limits of proposals",
    )


def reflexion(data: Path) -> MergingSet:
    """The last lesson on a problem in each of two programming languages."""
    by_problem: dict[str, dict[str, str]] = defaultdict(dict)
    for row in rows(data, "reflexion/programming.jsonl"):
        if row["reflections"]:
            number = re.search(r"\d+", row["task"])
            problem = f"{row['suite'].split('-')[0]} {number[0] if number else row['task']}"
            by_problem[problem][row["lang"]] = row["reflections"][-1]
    memories: list[Row] = []
    group: dict[str, str] = {}
    language: dict[str, str] = {}
    for problem, lessons in sorted(by_problem.items()):
        if len(lessons) < 2:
            continue
        for name, text in sorted(lessons.items()):
            id = f"insight-lesson-{len(memories):04d}"
            memories.append(_insight(id, text, language=name))
            group[id], language[id] = problem, name
    return _grouped("Reflexion", memories, group, side=language, tuned="the limits of proposals")


def reme(data: Path) -> MergingSet:
    """What different models learned on the same task, one memory a model; a noisy gold."""
    found = rows(data, "reme/task_memories.jsonl")
    models: dict[str, set[str]] = defaultdict(set)
    for row in found:
        models[row["task_query"]].add(row["model"])
    kept = {
        (row["task_query"], row["model"]): row
        for row in found
        if len(models[row["task_query"]]) > 1
    }
    memories: list[Row] = []
    group: dict[str, str] = {}
    model: dict[str, str] = {}
    for (task, name), row in kept.items():
        id = f"insight-{row['id']}"
        texts = (row["generalized_query"], row["when_to_use"], row["content"])
        memories.append(_insight(id, " ".join(t for t in texts if t)))
        group[id], model[id] = task, name
    return _grouped("ReMe", memories, group, side=model, tuned="the limits of proposals")


def bug_reports(data: Path) -> MergingSet:
    """Reports of one bug by several people, among as many other reports of the same product."""
    reports = {row["id"]: row for row in rows(data, "gitbugs/seamonkey_bugs.jsonl")}
    graph = nx.Graph(
        (row["a"], row["b"])
        for row in rows(data, "gitbugs/seamonkey_duplicates.jsonl")
        if row["a"] in reports and row["b"] in reports
    )
    group = {
        f"insight-{id}": f"bug {min(component)}"
        for component in nx.connected_components(graph)
        for id in component
    }
    others = [id for id in sorted(reports) if id not in graph][:_UNRELATED_BUGS]
    memories = [
        _insight(f"insight-{id}", f"{reports[id]['summary']}. {reports[id]['description'] or ''}")
        for id in [*sorted(graph), *others]
    ]
    group |= {f"insight-{id}": f"other {id}" for id in others}
    return _grouped("bug duplicates", memories, group, tuned="the limits of proposals")


def _grouped(
    name: str,
    memories: Sequence[Row],
    group: dict[str, str],
    *,
    side: dict[str, str] | None = None,
    left_out: Iterable[Pair] = (),
    tuned: str,
) -> MergingSet:
    gone = set(left_out)
    found = (_pair(a, b) for a, b in combinations([m["id"] for m in memories], 2))
    pairs = tuple(p for p in found if p not in gone)
    return MergingSet(
        name=name,
        memories=tuple(memories),
        pairs=pairs,
        same=frozenset(p for p in pairs if group[p[0]] == group[p[1]]),
        across=frozenset(p for p in pairs if side and side[p[0]] != side[p[1]]),
        group=group,
        tuned=tuned,
    )


def _insight(id: str, text: str, **more: Any) -> Row:
    return {"id": id, "level": "insight", "content": text, **more}


def _pair(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


SETS: Final[dict[str, Callable[[Path], MergingSet]]] = {
    "lessons": lambda data: lesson_pairs(data, "dev", tuned="the limits"),
    "lessons-train": lambda data: lesson_pairs(data, "train", tuned="guards"),
    "mixed533": mixed533,
    "insight71": insight71,
    "Reflexion": reflexion,
    "ReMe": reme,
    "bugs": bug_reports,
}
"""The sets by the name they are asked for with."""
