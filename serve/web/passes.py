"""Who may write: a token made at the start, in a cookie of the browser or a header of a program."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

FIELD: Final = "token"
"""Name of the field that every form which writes must bring along."""


@dataclass(frozen=True, slots=True)
class Pass:
    """The token of one server; `port` keeps the cookies of two servers on one machine apart."""

    token: str
    port: int

    @property
    def cookie(self) -> str:
        """The cookie's name."""
        return f"stepladder-{self.port}"

    @property
    def form(self) -> str:
        """What a page puts into its forms; it does not give the token away."""
        return hmac.new(self.token.encode(), b"form", hashlib.sha256).hexdigest()

    def is_token(self, given: str) -> bool:
        """Tell whether it is the token, in a time that does not depend on what is given."""
        return _same(given, self.token)

    def holds_cookie(self, headers: Headers) -> bool:
        """Tell whether the request comes from a browser that was let in."""
        cookies = cookie_parser(headers.get("cookie", ""))
        return self.is_token(cookies.get(self.cookie, ""))

    def bears_token(self, headers: Headers) -> bool:
        """Tell whether the request has the token as a bearer header."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        return scheme.lower() == "bearer" and self.is_token(given.strip())

    def signs(self, headers: Headers, *, field: str) -> bool:
        """Tell whether a form was sent by a page of ours in a browser that was let in."""
        return self.holds_cookie(headers) and _same(field, self.form)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", errors="replace"), wanted.encode())
