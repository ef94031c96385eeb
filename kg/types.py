"""What the graph is made of: nodes, edges, and the values that travel with them.

Every field of a node is a scalar or a tuple of strings, so that each store can keep it as a
property. All abstraction points upward: a trace GENERALIZES_TO a summary, a summary to an insight.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
Polarity = Literal["do", "avoid", ""]
OutcomeStatus = Literal["success", "failure", "unknown"]
OutcomeSource = Literal["verifier", "human", "judge", "heuristic", "none"]
LevelName = Literal["trace", "workflow", "summary", "insight"]
EdgeType = Literal[
    "PART_OF",
    "NEXT",
    "ATTEMPTS",
    "IN_DOMAIN",
    "IN_PROJECT",
    "CONTINUES",
    "GENERALIZES_TO",
    "CITES",
    "SIMILAR_TO",
    "CONTRADICTS",
    "KEEP_APART",
    "APPLIES_TO",
    "USES",
    "RAISES",
    "SHOWED",
    "WITHHELD",
    "USED",
    "IN_TRACE",
]

SHARED: Final = "shared"
"""The scope of a node that every project may read."""

UNASSIGNED: Final = "unassigned"
"""The scope of runs whose project nobody knows: for the store's owner, for no other project."""

LEVELS: Final[Mapping[LevelName, int]] = {"trace": 0, "workflow": 1, "summary": 2, "insight": 3}
"""Lowest level number of each name; merged insights stand at 4 and above."""

KINDS: Final = (
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
)
"""The ten kinds of process knowledge that transfer. Source: arXiv 2604.14004."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node of the graph; `created` is an ISO 8601 time in UTC taken from the source."""

    id: str
    created: str
    scope: str = SHARED


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory(Node):
    """A node that can be recalled: something with words of its own at one of the levels.

    `key` (title and description) is what it is found by; the first 15 words should carry the
    lesson, and one line of it states the task or situation in general words.
    Facets that are empty mean "no restriction", never "unknown value".
    """

    level: int
    title: str
    description: str = ""
    content: str = ""
    task: str = ""
    """Id of the Task node, empty where there is none."""
    project: str = ""
    domains: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    polarity: Polarity = ""
    origin: str = "rules"
    """Who made it: a distiller's name, `import`, or `agent`."""
    untrusted: bool = False
    """True where the text holds words that came from tool output."""

    @property
    def sole_language(self) -> str:
        """The one language it is about, case folded; empty where it is about none or several."""
        return self.languages[0].casefold() if len(self.languages) == 1 else ""

    @property
    def key(self) -> str:
        """Title and description: the short text a memory is found by."""
        return join_text(self.title, self.description)

    @property
    def full(self) -> str:
        """Key and content: everything a memory says."""
        return join_text(self.title, self.description, self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace(Memory):
    """Level 0: one run of an agent; `content` is the task text."""

    level: int = 0
    format: str = ""
    session: str = ""
    """The run's own id in its format."""
    source: str = ""
    """Where it was read from, with home folder and user name removed."""
    content_hash: str = ""
    agent: str = ""
    agent_version: str = ""
    models: tuple[str, ...] = ()
    started: str = ""
    ended: str = ""
    steps: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    outcome: OutcomeStatus = "unknown"
    outcome_source: OutcomeSource = "none"
    outcome_confidence: float = 0.0
    exit_status: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Node):
    """Level 0: one action of a trace. `observation` is an excerpt and always untrusted."""

    index: int
    phase: str
    tool: str
    command: str
    program: str = ""
    subcommand: str = ""
    files: tuple[str, ...] = ()
    observation: str = ""
    exit_code: int | None = None
    failure: str = ""
    """Empty, or one of `environment`, `validation`, `rejected`, `permission`."""
    verdict: str = ""
    """Of a check: `pass`, `fail`, `nothing-ran`, or empty."""
    error_class: str = ""
    error_signature: str = ""
    time: str = ""
    raw_ref: str = ""
    uid: str = ""
    """The action's own id in its format where that is unique everywhere, else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow(Memory):
    """Level 1: a reusable procedure."""

    level: int = 1
    steps: tuple[str, ...] = ()
    preconditions: tuple[str, ...] = ()
    outcome: OutcomeStatus = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Memory):
    """Level 2: what the task was, what was tried, what happened and why."""

    level: int = 2
    outcome: OutcomeStatus = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight(Memory):
    """Level 3 and above: something worth knowing in another run."""

    level: int = 3
    kind: str = ""
    applies_when: str = ""
    not_when: str = ""
    card: str = ""
    """Name of the catalogue card it comes from, empty for others."""
    pack: str = ""
    """Licence and checksum of the pack it was imported from, empty for others."""
    author: str = ""
    """Name of the model that wrote the words of a merged insight, empty for others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Node):
    """What was asked; several traces may attempt one task."""

    title: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain(Node):
    """A field of work, such as `repo-bugfix` or `data-analysis`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Node):
    """A repository, named by its remote (`acme/api`) or its root folder."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Node):
    """A program or an agent's tool that a step used."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Node):
    """A normalised error message that steps raised."""

    error_class: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval(Node):
    """One answer given: the query and how sure the answer was.

    `outcome` is what somebody reported of the work it was given for; where a run saw the answer
    (IN_TRACE), that run has an outcome too. `holdout` is the odds with which one item was
    withheld to learn what items do.
    """

    query: str
    abstained: bool
    confidence: float
    floor: float
    domain: str = ""
    holdout: float = 0.0
    outcome: OutcomeStatus = "unknown"
    outcome_source: OutcomeSource = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRun(Node):
    """One consolidation: its parameters as JSON text and what it did."""

    parameters: str
    merges: int = 0


NODE_TYPES: Final[Mapping[str, type[Node]]] = {
    t.__name__: t
    for t in (
        Trace,
        Step,
        Workflow,
        Summary,
        Insight,
        Task,
        Domain,
        Project,
        Tool,
        Error,
        Retrieval,
        MergeRun,
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A directed relationship; an edge is the same edge if source, type and target are."""

    source: str
    type: EdgeType
    target: str
    quote: str = ""
    score: float | None = None
    rank: int | None = None
    merge_run: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What one atomic write brings: all of it lands, or nothing.

    `vectors` maps memory ids to unit vectors of their keys, shape (dim,).
    `retract` names traces to take out first, with everything that stands on them alone.
    """

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    vectors: Mapping[str, Vector] = field(default_factory=dict)
    retract: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scope:
    """Which nodes a reader may see: shared ones, and those of the named projects.

    `projects=None` is the store's owner: everything.
    """

    projects: frozenset[str] | None = None

    @classmethod
    def of(cls, *projects: str) -> "Scope":
        """Shared nodes and those of the given projects."""
        return cls(frozenset(projects))

    def allows(self, scope: str) -> bool:
        """Tell whether a node of this scope may be read."""
        return self.projects is None or scope == SHARED or scope in self.projects


EVERYTHING: Final = Scope()


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What stands behind a memory, counted over distinct traces."""

    traces: int = 0
    tasks: int = 0
    projects: Mapping[str, int] = field(default_factory=dict)
    domains: Mapping[str, int] = field(default_factory=dict)
    languages: Mapping[str, int] = field(default_factory=dict)
    agents: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)
    outcomes: Mapping[str, int] = field(default_factory=dict)


def join_text(*parts: str) -> str:
    """Join parts by line breaks, leaving empty ones out."""
    return "\n".join(p for p in parts if p)


def label_of(node: Node) -> str:
    """The graph label of a node."""
    return type(node).__name__


def level_name(level: int) -> LevelName:
    """The name of a level number: 0 trace, 1 workflow, 2 summary, 3 and above insight."""
    names: tuple[LevelName, ...] = ("trace", "workflow", "summary", "insight")
    return names[min(level, 3)]


def to_properties(node: Node) -> dict[str, Any]:
    """A node's fields as JSON-ready values; tuples become lists."""
    values = ((f.name, getattr(node, f.name)) for f in fields(node))
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values}


def from_properties(label: str, properties: Mapping[str, Any]) -> Node:
    """The node that `to_properties` was given; unknown properties are left out.

    Raises:
        KeyError: the label is not one of `NODE_TYPES`.
    """
    node_type: Any = NODE_TYPES[label]
    known = {f.name for f in fields(node_type)}
    values = {
        name: tuple(v) if isinstance(v, list) else v
        for name, v in properties.items()
        if name in known
    }
    node: Node = node_type(**values)
    return node


def memories(nodes: Iterable[Node]) -> list[Memory]:
    """The nodes that can be recalled."""
    return [n for n in nodes if isinstance(n, Memory)]
