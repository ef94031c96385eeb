"""Where a server stands, and which key may be sent to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from .errors import UsageError

if TYPE_CHECKING:
    import openai

_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PROVIDER: Final = "api.openai.com"
NO_KEY: Final = "none"
"""What is sent in place of a key; servers that need none take any."""

KEY_HINT: Final = "Name the variable that holds its key: --api-key-env NAME, or STEPLADDER_API_KEY."


def is_here(base_url: str) -> bool:
    """Tell whether a server stands on this machine."""
    return urlsplit(base_url).hostname in _LOOPBACK


def key_for(base_url: str, environment: Mapping[str, str], *, variable: str = "") -> str | None:
    """The key for a server; None where the client takes OPENAI_API_KEY by itself.

    OPENAI_API_KEY goes to OpenAI, over TLS, and to the server that OPENAI_BASE_URL names; no other
    server ever sees it. A key for another one is named with `variable`, or is in
    STEPLADDER_API_KEY.

    Raises:
        UsageError: there is no such variable.
    """
    if variable:
        if not environment.get(variable):
            raise UsageError(f"The variable {variable!r} holds no key.", hint=f"export {variable}=")
        return environment[variable]
    if told := environment.get("STEPLADDER_API_KEY"):
        return told
    own = environment.get("OPENAI_BASE_URL", "")
    if not base_url or base_url.rstrip("/") == own.rstrip("/") or is_provider(base_url):
        reached = base_url or own
        needless = reached and is_here(reached) and not environment.get("OPENAI_API_KEY")
        return NO_KEY if needless else None
    return NO_KEY


def without_account(client: openai.OpenAI) -> openai.OpenAI:
    """The client without what it took of OpenAI's account from the environment."""
    client.organization = None
    client.project = None
    client.admin_api_key = None
    return client


def is_provider(base_url: str) -> bool:
    """Tell whether an address is OpenAI's own, over TLS."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    return parts.scheme == "https" and (host == _PROVIDER or host.endswith(f".{_PROVIDER}"))
