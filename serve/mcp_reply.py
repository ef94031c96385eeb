"""How the tools of the MCP server answer, and how they fail."""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from ..kg.errors import StepladderError
from ..queries.render import clean, count_tokens

MOST_TOKENS: Final = 25_000
"""Most tokens of a reply, structure and text together; what clients cut off beyond."""

_ERROR_CHARS: Final = 1_000

_P = ParamSpec("_P")
_R = TypeVar("_R")


def reply(value: BaseModel, text: str) -> CallToolResult:
    """A result as structure, and as text for clients that know none.

    Raises:
        ToolError: it would be longer than any reply may be.
    """
    if count_tokens(value.model_dump_json()) + count_tokens(text) > MOST_TOKENS:
        raise ToolError("The reply would be too long. Ask for less.")
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=value.model_dump()
    )


def told(tool: Callable[_P, _R]) -> Callable[_P, _R]:
    """Let an agent read our own errors with their hints."""

    @wraps(tool)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return tool(*args, **kwargs)
        except StepladderError as error:
            said = clean(" ".join(filter(None, (str(error), error.hint))))
            raise ToolError(said[:_ERROR_CHARS]) from error

    return run
