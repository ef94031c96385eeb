"""Who may come in: requests that name this machine, from our own pages, of a bounded size."""

from collections.abc import Callable, Collection
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..loopback import is_among
from .passes import Pass

MAX_BODY_BYTES: Final = 256 * 1024
MAX_QUERY_BYTES: Final = 16 * 1024
ENTRANCE: Final = "/enter"

_STATIC: Final = "/static/"
_HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: a browser would then send forms of our own pages with the Origin "null".
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

Refuse = Callable[[Request, HTTPException], Response]
"""Makes an answer of a refusal."""


class Door:
    """Refuses strangers before anything is read, and adds the headers that keep a page to itself.

    `private` asks every request for the token, not only those that write.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        names: Collection[str],
        key: Pass,
        refuse: Refuse,
        private: bool = False,
    ) -> None:
        self._app = app
        self._names = names
        self._key = key
        self._refuse = refuse
        self._private = private

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message), path=scope["path"])
            await send(message)

        try:
            self._check(scope, Headers(scope=scope))
        except HTTPException as refusal:
            answer = self._refuse(Request(scope), refusal)
            await answer(scope, receive, send_guarded)
            return
        await self._app(scope, _bounded(receive), send_guarded)

    def _check(self, scope: Scope, headers: Headers) -> None:
        host = headers.get("host", "")
        if not is_among(host, self._names):
            raise HTTPException(421, "The request names another machine as its host.")
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            raise HTTPException(403, "The request comes from a page of another site.")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise HTTPException(403, "Another site led here. Enter the address yourself.")
        if len(scope.get("query_string", b"")) > MAX_QUERY_BYTES:
            raise HTTPException(414, "The address is too long.")
        length = headers.get("content-length", "0")
        if not length.isdecimal():
            raise HTTPException(400, "The length of the request is no number.")
        if int(length) > MAX_BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        if self._private and not self._may_look(scope["path"], headers):
            raise HTTPException(401, "Open the address that was printed at the start.")

    def _may_look(self, path: str, headers: Headers) -> bool:
        if path == ENTRANCE or path.startswith(_STATIC):
            return True
        return self._key.holds_cookie(headers) or self._key.bears_token(headers)


_TOO_LARGE: Final = f"The request is too large: at most {MAX_BODY_BYTES // 1024} KiB."


def _bounded(receive: Receive) -> Receive:
    """Give what is received, as long as it is not too much."""
    size = 0

    async def receive_bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE)
        return message

    return receive_bounded


def _add_headers(headers: MutableHeaders, *, path: str) -> None:
    for name, value in _HEADERS.items():
        headers[name] = value
    if "cache-control" not in headers:
        headers["Cache-Control"] = "no-cache" if path.startswith(_STATIC) else "no-store"
