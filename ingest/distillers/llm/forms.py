"""The form of what a model writes about a run. Bounds are checked here, not by the server."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ....kg.types import KINDS

Line = Annotated[str, Field(max_length=300)]
Kind = Annotated[str, Field(max_length=100, json_schema_extra={"enum": list(KINDS)})]
Text = Annotated[str, Field(max_length=2_000)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(_Form):
    """A step, and words of it."""

    step: int
    quote: Annotated[str, Field(max_length=500)]


class SummaryForm(_Form):
    """What was asked, tried and found."""

    title: Line
    situation: Text
    content: Text
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


class WorkflowForm(_Form):
    """A procedure; without steps there is none."""

    title: Line
    steps: Annotated[tuple[Line, ...], Field(max_length=10)]
    preconditions: Annotated[tuple[Line, ...], Field(max_length=5)]
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


class InsightForm(_Form):
    """A lesson for other runs."""

    title: Line
    description: Text
    content: Text
    kind: Kind
    polarity: Literal["do", "avoid"]
    applies_when: Line
    not_when: Line
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


class RunForm(_Form):
    """Everything written about one run."""

    summary: SummaryForm
    workflow: WorkflowForm
    insights: Annotated[tuple[InsightForm, ...], Field(max_length=3)]
