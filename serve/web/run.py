"""Runs the explorer on this machine."""

import ipaddress
import secrets
import sys
import webbrowser
from collections.abc import Callable

from ...facade import KnowledgeBase
from ...kg.errors import UsageError
from ..loopback import NAMES, listening
from .app import app
from .door import ENTRANCE
from .passes import Pass


def run(
    store: str,
    *,
    host: str,
    port: int,
    token: str = "",
    open_browser: bool = False,
    show: Callable[[str], object] = webbrowser.open,
) -> None:
    """Serve the explorer until it is interrupted; print where it is, with the token.

    On an address that other machines reach, the token is asked for reading too.

    Raises:
        UsageError: the address names no one machine, or the port cannot be had.
    """
    import uvicorn

    name, private = name_of(host)
    token = token or secrets.token_urlsafe(24)
    with KnowledgeBase.open(store) as kb, listening(host, port) as door:
        port = door.getsockname()[1]
        served = app(kb, key=Pass(token, port), names={name} if private else NAMES, private=private)
        address = f"http://{name}:{port}"
        sys.stderr.write(
            f"Explore at {address}{ENTRANCE}?token={token}\n"
            f"API at {address}/api/openapi.json, to write: Authorization: Bearer {token}\n"
        )
        sys.stderr.flush()
        if open_browser:
            show(f"{address}{ENTRANCE}?token={token}")
        config = uvicorn.Config(
            served, log_level="warning", server_header=False, limit_concurrency=100
        )
        uvicorn.Server(config).run(sockets=[door])


def name_of(host: str) -> tuple[str, bool]:
    """What a request must call this machine, and whether other machines reach it by that.

    Raises:
        UsageError: it stands for all addresses of the machine.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host, host != "localhost"
    if address.is_unspecified:
        raise UsageError(
            f"{host} is every address of this machine.",
            hint="Name the one that is meant: --host 192.168.1.5",
        )
    return f"[{address}]" if address.version == 6 else str(address), not address.is_loopback
