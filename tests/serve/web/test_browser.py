"""The explorer in a headless Chromium: what a person does, at two widths, and nothing else."""

import shutil
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from stepladder import KnowledgeBase
from stepladder.kg.types import Summary, Trace

WIDTHS = {"wide": 1280, "narrow": 390}
Serve = Callable[[Path], AbstractContextManager[Any]]
UNSEEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
SERIOUS = {"serious", "critical"}


@dataclass(slots=True)
class Watched:
    """A page in the browser, and what it should not have done."""

    page: Any
    address: str
    errors: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def go(self, path: str) -> None:
        """Open a page of the explorer."""
        self.page.goto(self.address + path)

    def did_nothing_else(self) -> None:
        """No error in the console, no dialog, no request to another host."""
        assert self.errors == []
        assert self.hosts == {urlsplit(self.address).netloc}

    def fits(self) -> None:
        """Nothing makes the page wider than the window."""
        root = "document.documentElement"
        assert self.page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), self.page.url


def watched(chromium: Any, served: Any, **options: Any) -> Watched:
    """A new window that was let in and is watched."""
    page = chromium.new_context(**options).new_page()
    found = Watched(page=page, address=served.address)
    page.on("console", lambda m: m.type in ("error", "warning") and found.errors.append(m.text))
    page.on("pageerror", lambda e: found.errors.append(str(e)))
    page.on("dialog", lambda d: (found.errors.append(f"dialog {d.message}"), d.dismiss()))
    page.on("request", lambda r: found.hosts.add(urlsplit(r.url).netloc))
    page.on("popup", lambda p: found.errors.append(f"popup {p.url}"))
    page.goto(served.entrance)
    return found


@pytest.fixture(scope="module", params=WIDTHS)
def server(
    request: pytest.FixtureRequest,
    taught_for_web: Path,
    tmp_path_factory: pytest.TempPathFactory,
    serve_store: Serve,
) -> Iterator[tuple[Any, Path, int]]:
    """A server for each width on a store that persons change, each test another part of it."""
    store = shutil.copy(taught_for_web, tmp_path_factory.mktemp(request.param) / "memory.db")
    with serve_store(store) as served:
        yield served, store, WIDTHS[request.param]


@pytest.fixture
def web_store(server: tuple[Any, Path, int]) -> Path:
    """The store of the server."""
    return server[1]


@pytest.fixture
def window(chromium: Any, server: tuple[Any, Path, int]) -> Iterator[Watched]:
    """A new window of each width, which is watched to the end."""
    served, _, width = server
    found = watched(chromium, served, viewport={"width": width, "height": 800})
    yield found
    found.did_nothing_else()
    found.page.context.close()


def test_a_person_searches_opens_and_climbs(window: Watched) -> None:
    page = window.page
    page.keyboard.press("/")
    page.keyboard.type("the usual test runner is missing")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?**")
    window.fits()
    page.locator("ol.hits .level.insight").first.wait_for()
    page.get_by_role("link", name="When the usual test runner is missing").first.click()
    page.wait_for_url("**/node/insight-*")
    window.fits()
    assert page.locator(".ladder .box.here").count() == 1
    assert page.locator(".ladder .box.on").count() >= 4
    page.locator(".ladder .box.on").filter(has_text="success").first.click()
    page.wait_for_url("**/node/trace-*")
    window.fits()
    page.locator(".ladder .box.on:not(.here)").first.click()
    page.wait_for_url("**/node/insight-*")
    page.locator(".ladder .box.step").first.click()
    page.wait_for_url("**/node/step-*")
    window.fits()
    assert page.get_by_role("heading", name="Command").is_visible()


def test_a_person_undoes_a_merge(window: Watched, web_store: Path) -> None:
    page = window.page
    page.get_by_role("link", name="Merges").click()
    window.fits()
    page.get_by_role("link", name="undo", exact=False).filter(has_text="failing check").click()
    window.fits()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("status").filter(has_text="1 merged insight taken back").wait_for()
    with KnowledgeBase.open(web_store) as kb:
        assert [id for run in kb.merges() for id in run.merged] == []


def test_a_person_reviews_a_pair(window: Watched, web_store: Path) -> None:
    page = window.page
    with KnowledgeBase.open(web_store) as kb:
        before = len(kb.suggestions())
    page.get_by_role("link", name="Review").click()
    window.fits()
    page.get_by_role("button", name="Keep apart").first.click()
    page.get_by_role("status").filter(has_text="They are kept apart.").wait_for()
    with KnowledgeBase.open(web_store) as kb:
        assert len(kb.suggestions()) < before


def test_a_person_edits_an_insight(window: Watched) -> None:
    page = window.page
    window.go("/node/insight-merged-a")
    page.get_by_role("link", name="Edit", exact=True).click()
    window.fits()
    page.get_by_label("Title").fill("Read the whole output <i>first</i>")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="Read the whole output <i>first</i>").wait_for()
    window.fits()


def test_a_person_asks_a_task_and_a_query(window: Watched) -> None:
    page = window.page
    page.get_by_label("What is the task?").fill("the usual test runner is not installed")
    page.get_by_role("button", name="Ask").click()
    page.get_by_text("What an agent would read").click()
    assert page.locator("pre.prompt").inner_text().startswith("<memory-")
    window.fits()
    page.get_by_role("link", name="Cypher").click()
    page.get_by_label("A named query").select_option("coverage_by_domain")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("cell", name="repo-bugfix").wait_for()
    window.fits()
    page.get_by_label("A statement").fill("MATCH (i:Insight) RETURN i LIMIT 2")
    page.get_by_role("button", name="Run it").click()
    page.get_by_role("heading", name="2 rows").wait_for()
    page.locator("table.rows a").first.click()
    page.wait_for_url("**/node/insight-*")
    window.fits()


def test_the_keyboard_reaches_everything_in_order(window: Watched) -> None:
    page = window.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "task"
    page.keyboard.type("/")
    assert page.evaluate("document.activeElement.id") == "task"
    page.locator("h1").click()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "find"


@pytest.fixture(scope="module")
def reading(
    taught_for_web: Path, tmp_path_factory: pytest.TempPathFactory, serve_store: Serve
) -> Iterator[Any]:
    """A server for tests that only read."""
    store = shutil.copy(taught_for_web, tmp_path_factory.mktemp("reading") / "memory.db")
    with serve_store(store) as served:
        yield served


def addresses(store: Path) -> list[str]:
    """A page of every kind."""
    with KnowledgeBase.open(store) as kb:
        nodes = [kb.store.find(label)[0].id for label in kb.store.counts().labels]
        merged = next(id for run in kb.merges() for id in run.merged)
    return [
        *("/", "/search", "/search?q=test", "/ask", "/ask?task=a+test+fails+in+CI", "/domains"),
        *("/domains?a=repo-bugfix&b=web-dev", "/review", "/merges", "/log", "/cypher", "/nowhere"),
        *("/cypher?name=coverage_by_domain", "/cypher?statement=nonsense", f"/node/{merged}"),
        *(f"/undo?id={merged}", "/edit?id=insight-merged-a", f"/edit?id={merged}"),
        *("/forget?id=insight-merged-a", *(f"/node/{id}" for id in nodes)),
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_no_serious_fault(
    chromium: Any, reading: Any, taught_for_web: Path, scheme: str, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="stepladder[dev]")
    size = {"width": width, "height": 800}
    # Axe is put into the page as a script, which the pages' own policy would not let in.
    found = watched(chromium, reading, viewport=size, color_scheme=scheme, bypass_csp=True)
    faults = {}
    for path in addresses(taught_for_web):
        found.go(path)
        found.fits()
        violations = axe.Axe().run(found.page).response["violations"]
        bad = [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] in SERIOUS]
        if bad:
            faults[path] = bad
    found.page.context.close()
    assert faults == {}


def test_the_pages_work_without_scripts(chromium: Any, reading: Any) -> None:
    found = watched(chromium, reading, java_script_enabled=False)
    page = found.page
    page.get_by_label("Search memories").fill("test runner")
    page.get_by_label("Search memories").press("Enter")
    page.locator("ol.hits a").first.click()
    page.locator(".ladder .box.here").wait_for()
    found.did_nothing_else()
    page.context.close()


@pytest.fixture(scope="module")
def planted_store(hostile: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that has read sixty runs with a hostile text each, and imported each text."""
    folder = tmp_path_factory.mktemp("planted")
    for number, payload in enumerate(hostile.PAYLOADS):
        (folder / f"{number}.jsonl").write_text(hostile.planted(number, payload), "utf-8")
    with KnowledgeBase.open(folder / "memory.db") as kb:
        assert kb.ingest([folder], project="site").failed == []
        kb.import_memories(
            {
                "id": f"insight-{number:08d}",
                "title": f"Lesson {number} {payload}",
                "description": payload,
                "content": f"first\n{payload}\nlast {payload}",
                "domain": f"field {payload}",
                "project": "site",
            }
            for number, payload in enumerate(hostile.PAYLOADS)
        )
        for payload in hostile.PAYLOADS:
            kb.retrieve(f"Cut long card titles {payload}", project="site")
    return folder / "memory.db"


@pytest.fixture(scope="module")
def attacked(planted_store: Path, serve_store: Serve, chromium: Any) -> Iterator[Watched]:
    """A window on that store."""
    with serve_store(planted_store) as served:
        found = watched(chromium, served)
        yield found
        found.page.context.close()


@pytest.fixture(scope="module")
def hostile_addresses(planted_store: Path, hostile: ModuleType) -> list[list[str]]:
    """Of each payload the pages that show it: of nodes that hold it, of forms that are sent it."""
    with KnowledgeBase.open(planted_store) as kb:
        runs = {n.session: n.id for n in kb.store.find("Trace") if isinstance(n, Trace)}
        return [
            _addresses(kb, number, payload, run=runs[f"planted-{number}"])
            for number, payload in enumerate(hostile.PAYLOADS)
        ]


def _addresses(kb: KnowledgeBase, number: int, payload: str, *, run: str) -> list[str]:
    above = sorted({e.target for e in kb.store.ancestry([run])})
    summary = next(n.id for n in kb.nodes(above).values() if isinstance(n, Summary))
    step = kb.steps(run)[0].id
    given = quote(payload, safe="", errors="replace")
    return [
        *(f"/node/{id}" for id in (f"insight-{number:08d}", run, step, summary)),
        f"/search?q={given}&project={given}",
        f"/ask?task={given}&domain={given}",
        f"/cypher?statement={given}",
    ]


@pytest.mark.parametrize("number", range(60))
def test_no_hostile_text_acts_in_a_page(
    attacked: Watched, hostile_addresses: list[list[str]], number: int
) -> None:
    for path in hostile_addresses[number]:
        attacked.go(path)
        stays_text(attacked)


@pytest.mark.parametrize("path", ["/", "/domains", "/review", "/log", "/log?page=2", "/log?page=3"])
def test_no_hostile_text_acts_in_a_list(attacked: Watched, path: str) -> None:
    attacked.go(path)
    stays_text(attacked)


def stays_text(found: Watched) -> None:
    """The page has the parts that it always has, and what can be seen of it is all there is."""
    page = found.page
    parts = page.evaluate(
        """() => ({
            scripts: [...document.scripts].map(s => new URL(s.src).pathname + s.textContent),
            foreign: document.querySelectorAll(
                "iframe, object, embed, base, style, meta[http-equiv], img:not(.brand img)").length,
            handlers: [...document.querySelectorAll("*")].flatMap(e =>
                [...e.attributes].filter(a => /^on|^style$/.test(a.name))).length,
            links: [...document.links].filter(a => !/^http:/.test(a.protocol)
                || a.host !== location.host).length,
            main: document.querySelectorAll("body > main").length,
            text: document.documentElement.innerText + document.title,
        })"""
    )
    text = parts.pop("text")
    assert parts == {
        "scripts": ["/static/keys.js"],
        "foreign": 0,
        "handlers": 0,
        "links": 0,
        "main": 1,
    }
    assert {c for c in text if unicodedata.category(c) in UNSEEN} <= {"\n", "\t"}
    # What a search does not find, and what is no page, is an error of the address and not of ours.
    errors = [e for e in found.errors if "the server responded with a status of 4" not in e]
    assert errors == []
    assert found.hosts == {urlsplit(found.address).netloc}
