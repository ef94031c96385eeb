"""This machine as a host: its names, and a port on it."""

import socket
from collections.abc import Collection
from typing import Final

from ..kg.errors import UsageError

LOOPBACK: Final = "127.0.0.1"
NAMES: Final = (LOOPBACK, "localhost", "[::1]")
"""What a request may call this machine."""


def is_among(host: str, names: Collection[str] = NAMES) -> bool:
    """Tell whether a Host, with or without a port, has one of these names."""
    name, colon, port = host.rpartition(":")
    if colon and port.isdigit():
        return name in names
    return host in names


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 takes any that is free.

    Raises:
        UsageError: the address or the port cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"Port {port} cannot be had: {reason}.", hint="Choose another with --port."
        ) from error
