"""What the tools of the MCP server take and return."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

LevelWord = Literal["trace", "workflow", "summary", "insight"]


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RecalledMemory(_Value):
    """A memory that was recalled: its id, how abstract it is, and what to be careful about."""

    id: str
    level: LevelWord
    avoid: bool = False
    untrusted: bool = False


class Recalled(_Value):
    """What applies to the task. `text` holds the memories as fenced data; it is empty where
    nothing applies, and `reason` then says why."""

    retrieval_id: str
    abstained: bool
    reason: str = ""
    memories: list[RecalledMemory] = []
    text: str = ""


class Described(_Value):
    """A node of the graph as fenced data."""

    id: str
    label: str
    text: str


class Reported(_Value):
    """What the outcome was credited to."""

    retrieval_id: str
    outcome: Literal["success", "failure", "unknown"]
    credited: list[str]


class LessonText(_Value):
    """A lesson for other runs: general, true beyond this repository, and borne out by steps."""

    title: str = Field(
        description="The lesson as an imperative, 4 to 22 words, without names of this project."
    )
    description: str = Field(
        description="The situation in which one meets it, in general words, 5 to 60 words."
    )
    content: str = Field(
        description="What was seen and what to do, 8 to 120 words: what failed, what did not help, "
        "what worked, and why."
    )
    kind: Literal[
        "iterative workflow discipline",
        "test-driven verification",
        "anti-pattern avoidance",
        "input validation and robustness",
        "API and interface compliance",
        "interaction protocol adherence",
        "environmental adaptation",
        "file and syntax management",
        "repository exploration",
        "algorithmic strategy",
    ]
    polarity: Literal["do", "avoid"] = Field(description="Whether it is to be done or avoided.")
    applies_when: str = Field(description="The condition under which it holds.")
    not_when: str = Field(default="", description="When it does not hold.")
    cites: list[str] = Field(
        description="Numbers (or ids) of the steps of the run that bear it out, at least one."
    )


class LessonVerdict(_Value):
    """What became of a lesson: the id of the candidate insight, or why it was refused."""

    title: str
    id: str = ""
    refused: str = ""


class Recorded(_Value):
    """What became of each lesson, in the order given."""

    trace: str
    lessons: list[LessonVerdict]


class Rows(_Value):
    """The rows of a query as fenced data."""

    columns: list[str]
    rows: int
    truncated: bool
    text: str


Task = Annotated[
    str,
    Field(
        description="What you are about to do or are stuck on, in one to five sentences: the goal, "
        "the kind of work, and the exact error message if there is one. Not a keyword list.",
        min_length=3,
        max_length=8000,
    ),
]
Id = Annotated[
    str,
    Field(description="An id from a recall, or its first characters.", min_length=3, max_length=80),
]
RetrievalId = Annotated[
    str,
    Field(
        description="The retrieval id of a recall, such as r-52ab...", min_length=3, max_length=40
    ),
]
Session = Annotated[
    str,
    Field(
        description="The run: its trace id, its session id, or the path of its session file; "
        "empty for the newest session of this project.",
        max_length=1000,
    ),
]
Budget = Annotated[int, Field(description="Most tokens the reply may take.", ge=100, le=10_000)]
