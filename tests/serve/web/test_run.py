"""`stepladder serve`: what it says when it starts, and when it cannot."""

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from click.testing import CliRunner

from stepladder.cli import main


def test_it_prints_where_it_is_and_the_token_that_lets_one_in(
    web_store: Path, serve_store: Callable[[Path], AbstractContextManager[Any]]
) -> None:
    with serve_store(web_store) as served:
        assert served.address.startswith("http://127.0.0.1:")
        assert len(served.token) >= 32
        with urlopen(f"{served.address}/api/stats") as answer:
            assert answer.status == 200
            assert "server" not in answer.headers


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        store = str(tmp_path / "memory.db")
        done = CliRunner().invoke(main, ["--store", store, "serve", "--port", port])
    assert done.exit_code == 2
    assert f"Port {port} cannot be had" in done.output
    assert "--port" in done.output


def test_listening_on_every_address_is_refused(tmp_path: Path) -> None:
    store = str(tmp_path / "memory.db")
    done = CliRunner().invoke(main, ["--store", store, "serve", "--host", "0.0.0.0"])
    assert done.exit_code == 2
    assert "every address of this machine" in done.output
