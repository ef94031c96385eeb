"""A served store for the tests of the explorer: in process, and as a program with a browser."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from starlette.testclient import TestClient

from stepladder import KnowledgeBase
from stepladder.serve.web.app import app
from stepladder.serve.web.passes import Pass

ROOT = Path(__file__).parents[3]
PORT = 8766
TOKEN = "the-token-of-this-server"
PAIR = (
    {
        "id": "insight-pair-left",
        "title": "Look at what a failing check prints before changing any code",
        "description": "A check fails and its output was not read.",
        "content": "The output named the cause. Read it whole before the first edit.",
        "domain": "web-dev",
        "kind": "test-driven verification",
    },
    {
        "id": "insight-pair-right",
        "title": "Read what a failing check prints before editing the code",
        "description": "A check fails and nobody has read its output.",
        "content": "The cause stood in the output. Read all of it before the first change.",
        "domain": "data-analysis",
        "kind": "test-driven verification",
    },
)
MERGED = tuple(
    {**row, "id": f"insight-merged-{side}"} for row, side in zip(PAIR, "ab", strict=True)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A running explorer: where it is, the address that lets a browser in, and the token."""

    address: str
    entrance: str
    token: str


def loaded(path: Path) -> ModuleType:
    """A file of ours that is no part of the package, as a module."""
    name = f"loaded_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def hostile() -> ModuleType:
    """The hostile texts, and the sessions that they are planted in."""
    return loaded(ROOT / "tests" / "serve" / "test_injection.py")


@pytest.fixture(scope="session")
def taught_for_web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample runs, a merge, a pair that waits for a verdict, two answers given."""
    path = tmp_path_factory.mktemp("taught") / "memory.db"
    with KnowledgeBase.open(path) as kb:
        kb.ingest([ROOT / "examples"])
        kb.import_memories(MERGED)
        kb.decide(MERGED[0]["id"], MERGED[1]["id"], "same")
        kb.import_memories(_OTHERS)
        kb.consolidate()
        kb.retrieve("a test fails and the usual test runner is not installed")
        kb.retrieve("zzz qqq xxx")
    return path


_OTHERS = tuple(
    {**row, "title": f"Before a release, {row['title'].lower()}", "domain": domain}
    for row, domain in zip(PAIR, ("web-dev", "data-analysis"), strict=True)
)


@pytest.fixture
def web_store(taught_for_web: Path, tmp_path: Path) -> Path:
    """A copy of that store; tests may write to it."""
    return shutil.copy(taught_for_web, tmp_path / "memory.db")


@pytest.fixture
def kb(web_store: Path) -> Iterator[KnowledgeBase]:
    with KnowledgeBase.open(web_store) as opened:
        yield opened


@pytest.fixture
def stranger(kb: KnowledgeBase, client_of: Callable[..., TestClient]) -> TestClient:
    """A browser that was not let in."""
    return client_of(kb)


@pytest.fixture
def browser(kb: KnowledgeBase, client_of: Callable[..., TestClient]) -> TestClient:
    """A browser that was let in."""
    client = client_of(kb)
    assert client.get(f"/enter?token={TOKEN}").status_code == 303
    return client


@pytest.fixture(scope="session")
def client_of() -> Callable[..., TestClient]:
    """Makes a client of a knowledge base's explorer, which follows no redirect."""

    def make(kb: KnowledgeBase, **options: Any) -> TestClient:
        served = app(kb, key=Pass(TOKEN, PORT), **options)
        return TestClient(served, base_url=f"http://127.0.0.1:{PORT}", follow_redirects=False)

    return make


@pytest.fixture
def form_token() -> str:
    """What the forms of a page bring along."""
    return Pass(TOKEN, PORT).form


@pytest.fixture(scope="session")
def serve_store() -> Callable[[Path], AbstractContextManager[Served]]:
    """Runs `stepladder serve` on a store and says where it is."""

    @contextmanager
    def serve(store: Path) -> Iterator[Served]:
        program = [sys.executable, "-m", "stepladder.cli", "--store", str(store)]
        environment = {n: v for n, v in os.environ.items() if n != "STEPLADDER_TOKEN"}
        process = subprocess.Popen(
            [*program, "serve", "--port", "0"], stderr=subprocess.PIPE, text=True, env=environment
        )
        try:
            assert process.stderr
            line = process.stderr.readline()
            found = re.search(r"(http://\S+)/enter\?token=(\S+)", line)
            assert found, line + process.stderr.read()
            yield Served(address=found[1], entrance=found[0], token=found[2])
        finally:
            process.terminate()
            process.wait(timeout=20)

    return serve


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A headless Chromium; tests skip where none can be had."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install stepladder[dev]")
    script = loaded(ROOT / "scripts" / "browser.py")
    program = script.find() or (os.environ.get("CI") == "true" and script.install())
    if not program:
        pytest.skip(f"no Chromium: {script.HOW}")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=program, args=list(script.FLAGS))
        yield launched
        launched.close()
