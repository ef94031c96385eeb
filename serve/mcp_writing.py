"""The tools by which an agent tells the memory something, and the request for lessons."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from ..facade import KnowledgeBase
from ..ingest.lessons import MOST, Lesson
from ..kg.errors import StepladderError
from .mcp_reply import reply, told
from .mcp_types import LessonText, LessonVerdict, Recorded, Reported, RetrievalId, Session
from .place import Place
from .reflect import NOTHING, reflection
from .sessions import run_of


def add_writing(server: MCPServer[Any], kb: KnowledgeBase, place: Place) -> None:
    """Add what writes to the memory: outcomes and lessons."""
    writing = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )

    @server.tool(title="Say how the work went", annotations=writing)
    @told
    def report_outcome(
        retrieval_id: RetrievalId,
        outcome: Annotated[
            Literal["success", "failure", "unknown"],
            Field(
                description="How the task ended, judged by tests or the user, not by confidence. "
                "Say unknown where nothing has checked it."
            ),
        ],
        used: Annotated[
            list[str] | None,
            Field(description="Ids of the recalled memories that changed what you did, if any."),
        ] = None,
    ) -> Annotated[CallToolResult, Reported]:
        """Say how a task ended for which something was recalled, and which memories were used.

        Call it once at the end. It decides what is recalled in future: report failures too.
        """
        credited = kb.feedback(
            retrieval_id, outcome=outcome, used=used or (), source="judge", scope=place.scope
        )
        value = Reported(retrieval_id=retrieval_id, outcome=outcome, credited=list(credited))
        return reply(value, f"{outcome}: credited to {', '.join(credited) or 'nothing'}")

    @server.tool(title="Record lessons of this run", annotations=writing)
    @told
    def record_lesson(
        lessons: Annotated[list[LessonText], Field(min_length=1, max_length=MOST)],
        trace: Session = "",
    ) -> Annotated[CallToolResult, Recorded]:
        """Write down at most three general lessons of a finished run for future runs.

        Each must cite the steps of the run that bear it out. One that cites none, names its own
        project, is too specific or repeats a known insight is refused with the reason. The prompt
        `reflect` gives the places of the run that lessons can be drawn from.
        """
        id, _ = run_of(kb, trace, place=place, home=Path.home(), environment=os.environ)
        verdicts = kb.record_lessons(
            [_lesson(text) for text in lessons], trace=id, scope=place.scope
        )
        value = Recorded(
            trace=id,
            lessons=[LessonVerdict(title=v.title, id=v.id, refused=v.refused) for v in verdicts],
        )
        said = [f"kept {v.id}" if v.id else f"refused: {v.refused}" for v in verdicts]
        return reply(value, "\n".join(said))

    @server.prompt(
        name="reflect",
        title="Reflect on this session",
        description="Where this run turned, and a request for at most three lessons.",
    )
    def reflect(session: str = "") -> str:
        try:
            return reflect_on(kb, session, place=place)
        except StepladderError as error:
            return " ".join(filter(None, (str(error), error.hint)))


def reflect_on(kb: KnowledgeBase, session: str, *, place: Place) -> str:
    """The request for lessons on a session; says so where it holds nothing to learn from.

    Raises:
        UsageError: there is no such session.
    """
    id, file = run_of(kb, session, place=place, home=Path.home(), environment=os.environ)
    points = kb.turning_points(file).get(id, ()) if file else ()
    return reflection(id, points) if points else NOTHING


def _lesson(text: LessonText) -> Lesson:
    return Lesson(**{**text.model_dump(), "cites": tuple(text.cites)})
