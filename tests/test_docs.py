"""The docs say what the program does: names are looked up, made parts are made again."""

import importlib.util
import inspect
import os
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from stepladder.cli import COMMANDS
from stepladder.facade import KnowledgeBase
from stepladder.ingest.distillers.rules.cards import catalogue
from stepladder.ingest.readers import BUILT_IN as READERS
from stepladder.kg import errors

ROOT = Path(__file__).parent.parent
DOCS = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs").rglob("*.md")))
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_maker", ROOT / "scripts" / "docs.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["docs/cli.md", "docs/cards.md", "docs/cypher.md"])
def test_the_parts_made_from_the_program_are_up_to_date(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert _maker().rewritten(text) == text, "run: python scripts/docs.py"


@pytest.mark.skipif(os.name == "nt", reason="the demo prints paths of this system")
def test_the_readme_shows_what_the_demo_prints() -> None:
    assert _maker().rewritten(README) == README, "run: python scripts/docs.py"


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_in_the_docs(name: str) -> None:
    assert f"`stepladder {name}`" in DOCS


@pytest.mark.parametrize("name", sorted(READERS))
def test_every_format_is_in_the_docs(name: str) -> None:
    assert f"`{name}`" in DOCS


@pytest.mark.parametrize(
    "name", [n for n, c in vars(errors).items() if inspect.isclass(c) and c is not errors.__class__]
)
def test_every_error_is_in_the_docs(name: str) -> None:
    assert f"`{name}`" in DOCS


@pytest.mark.parametrize(
    "name", [n for n in vars(KnowledgeBase) if not n.startswith("_") and n != "close"]
)
def test_every_method_of_the_facade_is_in_the_docs(name: str) -> None:
    assert re.search(rf"`{name}\(|`{name}\b", DOCS)


@pytest.mark.parametrize("group", ["readers", "distillers", "stores", "embedders"])
def test_every_entry_point_group_is_in_the_docs(group: str) -> None:
    assert f"`stepladder.{group}`" in DOCS


def test_every_setting_is_in_the_docs() -> None:
    source = (ROOT / "kg" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'environment\.get\("(\w+)"', source))
    assert names
    assert {n for n in names if f"`{n}`" not in DOCS} == set()


def test_every_link_between_pages_leads_somewhere() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    broken = [
        (page.name, target)
        for page in pages
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_card_is_listed() -> None:
    assert [c.name for c in catalogue() if f"`{c.name}`" not in DOCS] == []


def test_the_package_is_imported_without_its_heavy_parts() -> None:
    import subprocess

    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, stepladder.cli; print(*sorted(sys.modules))"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split()
    heavy = {"spacy", "sklearn", "numpy", "networkx", "apsw", "openai", "neo4j", "mcp", "rich"}
    assert heavy & set(loaded) == set()
