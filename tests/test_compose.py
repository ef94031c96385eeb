"""`docker-compose.yml` starts a server that a team can rely on: its essentials are looked at."""

import re
from pathlib import Path
from typing import Any

import pytest

from stepladder.kg.stores.neo4j import schema

yaml = pytest.importorskip("yaml", reason="needs the package PyYAML: pip install pyyaml")

COMPOSE = Path(__file__).parent.parent / "docker-compose.yml"


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))
    return loaded


def test_the_server_is_pinned_to_a_version_that_the_store_takes(compose: dict[str, Any]) -> None:
    found = re.fullmatch(
        r"neo4j:(\d+)\.(\d+)\.\d+-community", compose["services"]["neo4j"]["image"]
    )
    assert found
    assert (int(found[1]), int(found[2])) >= schema.OLDEST


def test_there_is_no_default_password(compose: dict[str, Any]) -> None:
    password = compose["services"]["neo4j"]["environment"]["NEO4J_AUTH"]
    assert re.fullmatch(r"neo4j/\$\{NEO4J_PASSWORD:\?[^}]+\}", password)


def test_data_lies_in_a_named_volume(compose: dict[str, Any]) -> None:
    volumes = [v.partition(":") for v in compose["services"]["neo4j"]["volumes"]]
    assert [(name, place) for name, _, place in volumes] == [("neo4j-data", "/data")]
    assert list(compose["volumes"]) == ["neo4j-data"]


def test_it_is_healthy_only_when_it_answers(compose: dict[str, Any]) -> None:
    check = compose["services"]["neo4j"]["healthcheck"]
    assert check["test"][0] == "CMD-SHELL"
    assert "7474" in check["test"][1]
    assert {"interval", "timeout", "retries", "start_period"} < check.keys()


def test_it_is_reached_from_this_machine_alone(compose: dict[str, Any]) -> None:
    assert compose["services"]["neo4j"]["ports"] == ["127.0.0.1:7474:7474", "127.0.0.1:7687:7687"]


def test_memory_is_bounded_by_settings_that_neo4j_knows(compose: dict[str, Any]) -> None:
    environment = compose["services"]["neo4j"]["environment"]
    assert {name for name in environment if "memory" in name} == {
        "NEO4J_server_memory_heap_initial__size",
        "NEO4J_server_memory_heap_max__size",
        "NEO4J_server_memory_pagecache_size",
    }
