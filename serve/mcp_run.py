"""Runs the MCP server: on standard input and output, or over HTTP on this machine."""

import secrets
import sys
from importlib.metadata import version

import anyio

from ..kb import KnowledgeBase
from .mcp import build
from .mcp_http import app
from .place import Place

LOOPBACK = "127.0.0.1"


def run_stdio(store: str, *, place: Place) -> None:
    """Serve one agent until it closes its end."""
    with KnowledgeBase.open(store) as kb:
        anyio.run(build(kb, place=place, version=version("stepladder")).run_stdio_async)


def run_http(store: str, *, place: Place, port: int, token: str = "") -> None:
    """Serve agents of this machine over streamable HTTP, each with the token."""
    import uvicorn

    token = token or secrets.token_urlsafe(24)
    with KnowledgeBase.open(store) as kb:
        served = app(build(kb, place=place, version=version("stepladder")), token=token)
        config = uvicorn.Config(served, host=LOOPBACK, port=port, log_level="warning")
        sys.stderr.write(f"http://{LOOPBACK}:{port}/mcp\nAuthorization: Bearer {token}\n")
        sys.stderr.flush()
        uvicorn.Server(config).run()
