"""The public sets that retrieval is measured on: rows to import, and questions with answers."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

Row = dict[str, Any]
"""A memory as `KnowledgeBase.import_memories` takes it."""

NOT_CODING: Final = ("skillrl", "voyager", "reme")
"""Systems of T1 whose memories are about households, games and telephones."""


@dataclass(frozen=True, slots=True)
class Question:
    """A task text with what would answer it: grades by memory id, 1 and above being right.

    `exclude` is what the asker must not see; `group` names a part that is reported on its own.
    """

    id: str
    text: str
    gold: Mapping[str, int]
    exclude: frozenset[str] = frozenset()
    language: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """A pool of memories with the questions asked of it; `source` says where a memory is from."""

    memories: tuple[Row, ...]
    questions: tuple[Question, ...]
    source: Mapping[str, str] = field(default_factory=dict)


def rows(data: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a JSON-lines file under `eval/`."""
    with (data / "eval" / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def skills_for_tasks(data: Path) -> RetrievalSet:
    """T1 and T2: SkillsBench and Terminal-Bench 2 tasks against the memories of six systems."""
    source: dict[str, str] = {}
    memories: list[Row] = []

    def add(system: str, identity: str, title: str, description: str, body: str) -> None:
        source[identity] = system
        memories.append(_insight(identity, title, description, body))

    for row in rows(data, "skillsbench/skills.jsonl"):
        add("skillsbench", row["id"], row["name"], row["description"] or "", row["body"] or "")
    for row in rows(data, "tb2/letta_skills.jsonl"):
        add("tb2", row["id"], row["name"], row["description"], row["body"])
    for row in rows(data, "cursorrules/rules.jsonl"):
        add("cursorrules", row["id"], row["name"], row["description"] or "", row["body"])
    for number, row in enumerate(rows(data, "skillrl/skills.jsonl")):
        add("skillrl", f"skillrl:{number}", *_skillrl_texts(row))
    for row in rows(data, "reme/task_memories.jsonl"):
        general = row["generalized_query"] or ""
        add("reme", row["id"], general, row["when_to_use"] or "", row["content"])
    for row in rows(data, "voyager/skills.jsonl"):
        add("voyager", row["id"], row["name"], row["description"], row["code"])
    return RetrievalSet(tuple(memories), tuple(_task_questions(data)), source=source)


def _task_questions(data: Path) -> list[Question]:
    learned: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows(data, "tb2/letta_skills.jsonl"):
        learned[row["task"]][row["id"]] = 1
    return [
        Question(r["id"], r["instruction"], dict.fromkeys(r["gold"], 1), group="skillsbench")
        for r in rows(data, "skillsbench/tasks.jsonl")
    ] + [
        Question(r["id"], r["instruction"], learned[r["id"]], group="tb2")
        for r in rows(data, "tb2/tasks.jsonl")
    ]


def other_models(data: Path) -> RetrievalSet:
    """T3: ReMe; a task text against what other models learned, the asking model's own masked."""
    memories: list[Row] = []
    by_task: dict[str, dict[str, str]] = defaultdict(dict)
    by_model: dict[str, set[str]] = defaultdict(set)
    for row in rows(data, "reme/task_memories.jsonl"):
        task = row["task_query"]
        memories.append(
            _insight(
                row["id"],
                row["generalized_query"] or "",
                "",
                (row["when_to_use"] or "") + "\n" + row["content"],
                task=task,
            )
        )
        by_task[task][row["id"]] = row["model"]
        by_model[row["model"]].add(row["id"])
    questions = []
    for task, made_by in sorted(by_task.items()):
        for model in sorted(set(made_by.values())):
            gold = {i: 1 for i, m in made_by.items() if m != model}
            if gold:
                exclude = frozenset(by_model[model])
                questions.append(Question(f"{task}|{model}", task, gold, exclude))
    return RetrievalSet(tuple(memories), tuple(questions))


def other_language_lessons(data: Path) -> RetrievalSet:
    """T4: Reflexion lessons; a problem against what was learned on it in the other language."""
    memories: list[Row] = []
    asked: list[tuple[str, str, str, tuple[str, str]]] = []
    by_problem: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for number, row in enumerate(rows(data, "reflexion/programming.jsonl")):
        if not row["reflections"]:
            continue
        found = re.search(r"\d+", row["task"])
        problem = (row["suite"].split("-")[0], found[0] if found else row["task"])
        lesson = _split_identifiers("\n".join(row["reflections"]))
        first, rest = re.split(r"(?<=\.)\s|$", lesson, maxsplit=1)
        identity = f"lesson:{number:04d}"
        memories.append(
            _insight(
                identity,
                first,
                rest,
                "",
                language=row["lang"],
                task="/".join((*problem, row["lang"])),
            )
        )
        by_problem[problem].append((identity, row["lang"]))
        asked.append((identity, _split_identifiers(row["prompt"]), row["lang"], problem))
    questions = []
    for identity, text, language, problem in asked:
        gold = {i: 1 for i, lang in by_problem[problem] if lang != language}
        if gold:
            own = frozenset(i for i, lang in by_problem[problem] if lang == language)
            questions.append(Question(identity, text, gold, own, language=language))
    return RetrievalSet(tuple(memories), tuple(questions))


def other_language_code(data: Path) -> RetrievalSet:
    """T4: Exercism solutions; one language's solution against the same exercise in others."""
    all_rows = rows(data, "exercism/exercises.jsonl")
    by_slug: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in all_rows:
        by_slug[row["slug"]].append(row)
    memories = tuple(
        _insight(
            row["id"],
            _split_identifiers(row["solution"]),
            "",
            "",
            language=row["lang"],
        )
        for row in all_rows
    )
    questions = tuple(
        Question(
            row["id"],
            _split_identifiers(row["solution"]),
            {r["id"]: 1 for r in by_slug[row["slug"]] if r["id"] != row["id"]},
            frozenset({row["id"]}),
            language=row["lang"],
        )
        for row in all_rows
        if len(by_slug[row["slug"]]) > 1
    )
    return RetrievalSet(memories, questions)


_ALFWORLD_TYPES: Final = {
    "look_at_obj_in_light": "look_at_obj_in_light",
    "pick_and_place": "pick_and_place",
    "pick_clean_then_place_in_recep": "clean",
    "pick_cool_then_place_in_recep": "cool",
    "pick_heat_then_place_in_recep": "heat",
}


def levels_of_skills(data: Path) -> RetrievalSet:
    """T6b: SkillRL; a goal against runs and the skills above them, edges given, own run masked.

    Grades: 3 a skill of the task's type, 2 a general skill of its domain, 1 a run of its type
    that succeeded.
    """
    skills = rows(data, "skillrl/skills.jsonl")
    runs = rows(data, "skillrl/memories.jsonl")
    memories: list[Row] = []
    for number, row in enumerate(skills):
        texts = _skillrl_texts(row)
        skill = _insight(f"skill:{number:03d}", *texts, domain=row["domain"])
        memories.append(skill)
    specific: dict[tuple[str, str], list[str]] = defaultdict(list)
    general: dict[str, list[str]] = defaultdict(list)
    for number, row in enumerate(skills):
        if row["level"] == "task_specific":
            specific[row["domain"], row["task_type"]].append(f"skill:{number:03d}")
        elif row["level"] == "general":
            general[row["domain"]].append(f"skill:{number:03d}")
    of_type: dict[tuple[str, str], list[str]] = defaultdict(list)
    for run in runs:
        kind = run["domain"], _task_type(run)
        memories.append(
            {
                "id": run["id"],
                "level": "trace",
                "title": run["goal"],
                "content": _text(run["summary"]) + "\n" + _text(run["workflow"]),
                "domain": run["domain"],
                "parents": [*specific.get(kind, []), *general[run["domain"]]],
            }
        )
        if run["outcome"] == "Success":
            of_type[kind].append(run["id"])
    questions = []
    for run in runs:
        kind = run["domain"], _task_type(run)
        if kind not in specific:
            continue
        gold = dict.fromkeys(specific[kind], 3) | dict.fromkeys(general[run["domain"]], 2)
        gold |= {i: 1 for i in of_type[kind] if i != run["id"]}
        questions.append(
            Question(run["id"], run["goal"], gold, frozenset({run["id"]}), group=run["domain"])
        )
    return RetrievalSet(tuple(memories), tuple(questions))


def _task_type(run: Mapping[str, Any]) -> str:
    summary = _text(run["summary"])
    if run["domain"] == "alfworld":
        found = re.search(r"classified as '(\w+)'", summary)
        return _ALFWORLD_TYPES.get(found[1], "") if found else ""
    if run["domain"] == "search":
        return "multi_hop_reasoning" if "multi-hop" in summary.lower() else "direct_retrieval"
    return ""


def procedures(data: Path) -> RetrievalSet:
    """T8: 40 household queries against 336 runs, key = goal, body = actions without numbers."""
    with (data / "eval/procmem/agentinstruct_trajectories.json").open(encoding="utf-8") as file:
        runs = json.load(file)["trajectories"]
    with (data / "eval/procmem/query_bank.json").open(encoding="utf-8") as file:
        bank = json.load(file)["queries"]
    memories = tuple(
        {
            "id": run["task_instance_id"],
            "level": "trace",
            "title": run["task_description"],
            "content": re.sub(
                r"\d+", "", "\n".join(p["action"] for p in run["state_action_pairs"])
            ),
        }
        for run in runs
    )
    questions = tuple(
        Question(
            row["query_id"],
            row["query_text"],
            {r["trajectory_id"]: 1 for r in row["relevant_trajectories"]},
        )
        for row in bank
    )
    return RetrievalSet(memories, questions)


def _insight(identity: str, title: str, description: str, content: str, **more: str) -> Row:
    texts = {"title": title, "description": description, "content": content}
    return {"id": identity, "level": "insight", **texts, **more}


def _skillrl_texts(row: Mapping[str, Any]) -> tuple[str, str, str]:
    if "title" in row:
        return row["title"], row["principle"], row["when_to_apply"]
    return row["description"], row["why_it_happens"], row["how_to_avoid"]


def _split_identifiers(text: str) -> str:
    """Open identifiers at underscores and inner capitals, so that their words can be matched."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text.replace("_", " "))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value) if value else ""
