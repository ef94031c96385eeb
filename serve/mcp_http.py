"""The MCP server over HTTP: who may call it."""

import hmac
from typing import Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from .loopback import NAMES, is_among

MAX_BODY_BYTES: Final = 512 * 1024


def app(server: MCPServer[Any], *, token: str) -> ASGIApp:
    """The server as an ASGI application that refuses strangers.

    A request must name this machine as its Host, come from no foreign Origin, and bear the token.
    """
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*NAMES, *(f"{name}:*" for name in NAMES)],
        allowed_origins=[f"http://{name}:*" for name in NAMES],
    )
    served = server.streamable_http_app(
        transport_security=security, max_request_body_size=MAX_BODY_BYTES
    )
    return Guard(served, token=token)


class Guard:
    """Lets a request pass that names this machine and bears the token."""

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it before anything of it is read."""
        if scope["type"] == "http" and (refusal := self._refusal(Headers(scope=scope))):
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if not is_among(headers.get("host", "")):
            return PlainTextResponse("Unknown Host.\n", status_code=421)
        origin = headers.get("origin")
        if origin is not None and not is_among(origin.removeprefix("http://")):
            return PlainTextResponse("Foreign Origin.\n", status_code=403)
        scheme, _, given = headers.get("authorization", "").partition(" ")
        told = given.strip().encode("utf-8", errors="replace")
        if scheme.lower() != "bearer" or not hmac.compare_digest(told, self._token):
            return PlainTextResponse(
                "A token is needed.\n", status_code=401, headers={"WWW-Authenticate": "Bearer"}
            )
        return None
