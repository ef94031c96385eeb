"""The form of what a model writes about a run. Bounds are checked here, not by the server."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from ....kg.types import KINDS

Line = Annotated[str, Field(max_length=300)]
Kind = Annotated[str, Field(max_length=100, json_schema_extra={"enum": list(KINDS)})]
Text = Annotated[str, Field(max_length=2_000)]


class Form(BaseModel):
    """What every answer is: its own fields, and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(Form):
    """A step, and words of it."""

    step: int
    quote: Annotated[str, Field(max_length=500)]


class SummaryForm(Form):
    """What was asked, tried and found."""

    title: Line
    situation: Text
    content: Text
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


class WorkflowForm(Form):
    """A procedure; without steps there is none."""

    title: Line
    steps: Annotated[tuple[Line, ...], Field(max_length=10)]
    preconditions: Annotated[tuple[Line, ...], Field(max_length=5)]
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


class InsightForm(Form):
    """A lesson for other runs."""

    title: Line
    description: Text
    content: Text
    kind: Kind
    polarity: Literal["do", "avoid"]
    applies_when: Line
    not_when: Line
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=8)]


class RunForm(Form):
    """Everything written about one run."""

    summary: SummaryForm
    workflow: WorkflowForm
    insights: Annotated[tuple[InsightForm, ...], Field(max_length=3)]
