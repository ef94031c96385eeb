"""Runs the MCP server: on standard input and output, or over HTTP on this machine."""

import secrets
import sys
from importlib.metadata import version
from typing import Any

import anyio
from mcp.server.mcpserver import MCPServer

from ..facade import KnowledgeBase
from .loopback import LOOPBACK, listening
from .mcp import build
from .mcp_http import app
from .place import Place


def run_stdio(store: str, *, place: Place, holdout: float = 0.0) -> None:
    """Serve one agent until it closes its end."""
    with KnowledgeBase.open(store) as kb:
        anyio.run(_server(kb, place, holdout).run_stdio_async)


def run_http(store: str, *, place: Place, port: int, token: str = "", holdout: float = 0.0) -> None:
    """Serve agents of this machine over streamable HTTP, each with the token.

    Raises:
        UsageError: the port cannot be had.
    """
    import uvicorn

    token = token or secrets.token_urlsafe(24)
    with KnowledgeBase.open(store) as kb, listening(LOOPBACK, port) as door:
        served = app(_server(kb, place, holdout), token=token)
        config = uvicorn.Config(served, log_level="warning")
        sys.stderr.write(
            f"listening on http://{LOOPBACK}:{door.getsockname()[1]}/mcp\n"
            f"Authorization: Bearer {token}\n"
        )
        sys.stderr.flush()
        uvicorn.Server(config).run(sockets=[door])


def _server(kb: KnowledgeBase, place: Place, holdout: float) -> MCPServer[Any]:
    return build(kb, place=place, version=version("stepladder"), holdout=holdout)
