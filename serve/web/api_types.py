"""What the HTTP API takes and gives, as its description says it."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..mcp_types import LessonText

Level = Literal["trace", "workflow", "summary", "insight"]
Outcome = Literal["success", "failure", "unknown"]
Id = Annotated[str, Field(min_length=1, max_length=300)]
Text = Annotated[str, Field(max_length=8_000)]
Word = Annotated[str, Field(max_length=300)]


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")


class Searched(_Given):
    """What to search for."""

    q: Annotated[str, Field(min_length=1, max_length=8_000, description="Words to look for.")]
    k: Annotated[int, Field(ge=1, le=100, description="Hits at most.")] = 10
    level: Annotated[Level | None, Field(description="Only this level.")] = None
    project: Annotated[Word, Field(description="Only its memories and shared ones.")] = ""
    language: Word = ""


class Paged(_Given):
    """Which part of a list."""

    limit: Annotated[int, Field(ge=1, le=100)] = 20
    offset: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class Linked(_Given):
    """How much of a node."""

    most: Annotated[int, Field(ge=1, le=1_000, description="Edges of a type and direction.")] = 50


class Nothing(_Given):
    """No parameters."""


class Task(_Given):
    """A task that memories are wanted for; recording the answer needs the token."""

    task: Annotated[str, Field(min_length=1, max_length=8_000)]
    project: Word = ""
    domain: Word = ""
    language: Word = ""
    tools: Annotated[list[Word], Field(max_length=50)] = []
    budget_tokens: Annotated[int, Field(ge=50, le=20_000)] = 2_000
    k: Annotated[int, Field(ge=1, le=50)] = 8
    strict: bool = False
    record: Annotated[bool, Field(description="Keep it, so that its outcome can be told.")] = True


class Reported(_Given):
    """How the work went that an answer was given for."""

    retrieval_id: Id
    outcome: Outcome
    used: Annotated[list[Id], Field(max_length=100)] = []


class Lessons(_Given):
    """What an agent learned in a run."""

    trace: Id
    lessons: Annotated[list[LessonText], Field(min_length=1, max_length=3)]


class Unmerged(_Given):
    """A merged insight or a consolidation that is to be taken back."""

    id: Id
    remember: Annotated[bool, Field(description="Never make this merge again.")] = True


class Decided(_Given):
    """A verdict on two insights."""

    a: Id
    b: Id
    verdict: Literal["same", "broader", "narrower", "opposite", "apart"]


class Edited(_Given):
    """New words for an insight; what is not given stays."""

    id: Id
    changes: dict[
        Literal["title", "description", "content", "applies_when", "not_when", "kind", "polarity"],
        Annotated[str, Field(max_length=20_000)],
    ]


class Statement(_Given):
    """A Cypher statement that reads, or the name of a named query."""

    statement: Annotated[str, Field(min_length=1, max_length=8_000)]
    parameters: dict[Word, Any] = {}
    rows: Annotated[int, Field(ge=1, le=1_000, description="Rows at most.")] = 1_000


class Fault(_Told):
    """What went wrong, and what to do about it."""

    error: str
    hint: str = ""


class Stats(_Told):
    """What is kept, counted."""

    levels: dict[str, int]
    labels: dict[str, int]
    edges: dict[str, int]
    domains: dict[str, int]
    projects: dict[str, int]
    outcomes: dict[str, int]
    languages: dict[str, int]
    agents: dict[str, int]
    formats: dict[str, int]
    skipped: dict[str, int]


class SupportCounts(_Told):
    """What stands behind a memory, counted over distinct runs."""

    traces: int
    tasks: int
    projects: dict[str, int]
    domains: dict[str, int]
    outcomes: dict[str, int]


class NodeProperties(_Told):
    """A node: its label, and its properties as `/api/schema` names them."""

    id: str
    label: str
    created: str
    scope: str


class Hit(NodeProperties):
    """A memory that was found."""

    level: int
    title: str
    score: float


class Hits(_Told):
    """What was found, best first."""

    hits: list[Hit]


class Item(_Told):
    """A memory in an answer; `beneath` are less abstract ones."""

    id: str
    level: Level
    title: str
    text: str
    score: float
    why: str
    path: list[str]
    polarity: str
    untrusted: bool
    support: SupportCounts
    beneath: list["Item"]


class Answer(_Told):
    """What applies to a task, or that nothing does and why."""

    retrieval_id: str
    abstained: bool
    reason: str
    confidence: float
    floor: float
    considered: int
    withheld: dict[str, int]
    items: list[Item]


class EdgeProperties(_Told):
    """A relationship of the graph."""

    source: str
    type: str
    target: str


class ShownNode(NodeProperties):
    """A node with what supports it and what it is linked to."""

    support: SupportCounts
    edges: list[EdgeProperties]


class RunEvidence(_Told):
    """A run below a memory, and the steps of it that are cited."""

    trace: NodeProperties
    path: list[str]
    steps: list[NodeProperties]
    steps_left_out: int


class EvidenceFound(_Told):
    """The way from a memory down to runs and steps."""

    memory: NodeProperties
    support: SupportCounts
    between: list[NodeProperties]
    traces: list[RunEvidence]
    memories_left_out: int
    traces_left_out: int


class RunOfMerges(_Told):
    """A consolidation that stands."""

    id: str
    time: str
    merges: int
    suggested: int
    merged: list[str]
    crossings: list[str]


class Runs(_Told):
    """Consolidations, oldest first."""

    runs: list[RunOfMerges]


class Undone(_Told):
    """What was taken back and what came back."""

    runs: list[str]
    insights: list[str]
    edges: int
    restored: list[str]


class Side(_Told):
    """One of two insights."""

    id: str
    title: str
    description: str
    content: str


class Suggested(_Told):
    """Two insights that may say the same."""

    a: Side
    b: Side
    nearness: float
    proposed: str
    note: str
    across: bool


class Suggestions(_Told):
    """Pairs that wait for a verdict."""

    total: int
    suggestions: list[Suggested]


class Consolidated(_Told):
    """What followed from a verdict."""

    merge_run: str
    time: str
    considered: int


class Credited(_Told):
    """What an outcome was credited to."""

    retrieval_id: str
    outcome: Outcome
    credited: list[str]


class LessonTold(_Told):
    """What became of a lesson."""

    title: str
    id: str
    refused: str


class LessonsTold(_Told):
    """What became of each lesson, in the order given."""

    trace: str
    lessons: list[LessonTold]


class Given(_Told):
    """An answer that was given."""

    id: str
    created: str
    query: str
    abstained: bool
    outcome: Outcome
    shown: list[str]


class Log(_Told):
    """Answers given, newest first."""

    total: int
    answers: list[Given]


class CypherRows(_Told):
    """Rows in the order of the columns."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool
    why: str
    milliseconds: float
    notes: list[str]


class GraphSchema(_Told):
    """Labels and relationships with what they mean and their counts."""

    labels: list[dict[str, Any]]
    relationships: list[dict[str, Any]]
