"""The pages that answer: overview, search, a task, the map of domains, the log, Cypher."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from ...kg.errors import UsageError
from ...kg.types import LEVELS, LevelName
from ...queries.library import NamedQuery
from ...queries.render import prompt_text
from ..cypher_json import queries_json, rows_json
from ..explorer_forms import domains_json, hits_json, log_json, named_json
from ..json_forms import answer_json, stats_json
from .domain_drawing import drawing
from .site import Asked, Page, Site

PAGE: Final = 20
MAX_TEXT_CHARS: Final = 8_000

_MAX_HITS: Final = 200
_PAIRS: Final = 60
_ID: Final = re.compile(r"(?:insight|summary|workflow|trace|step|task|r|mergerun|merge)-\S{3,}")


def overview(site: Site, asked: Asked) -> Page:
    """What is kept, in numbers."""
    data = site.kept("stats", lambda: stats_json(site.kb.stats()))
    return Page(template="overview.html", title="Overview", data=data)


def search(site: Site, asked: Asked) -> Page:
    """Memories that hold some words, whatever their level."""
    text, level = asked.text("q"), asked.text("level")
    if level and level not in LEVELS:
        raise UsageError(f"Unknown level {level!r}.", hint=f"One of: {', '.join(LEVELS)}.")
    _bounded("q", text)
    hits: list[dict[str, Any]] = []
    found = None
    if text and asked.page <= _MAX_HITS // PAGE:
        if _ID.fullmatch(text):
            found = _by_id(site, text)
        until = asked.page * PAGE + 1
        kept = site.kb.search(
            text,
            k=until,
            levels=(cast(LevelName, level),) if level else None,
            scope=asked.text("project") or None,
            language=asked.text("language"),
        )
        hits = hits_json(kept[until - PAGE - 1 :])
    data = {
        "query": {n: asked.text(n) for n in ("q", "level", "project", "language")},
        "page": asked.page,
        "more": len(hits) > PAGE and asked.page < _MAX_HITS // PAGE,
        "id": found,
        "hits": hits[:PAGE],
    }
    return Page(template="search.html", title="Search", data=data, beside={"levels": tuple(LEVELS)})


def _by_id(site: Site, text: str) -> dict[str, Any] | None:
    """The node whose id a search names."""
    try:
        id = site.kb.resolve(text)
    except UsageError:
        return None
    return named_json(site.kb.nodes([id])[id])


def ask(site: Site, asked: Asked) -> Page:
    """The answer to a task, with the reason for each memory; it is not recorded."""
    task = asked.text("task")
    _bounded("task", task)
    given = {n: asked.text(n) for n in ("task", "project", "domain", "language", "strict")}
    if not task:
        return Page(
            template="ask.html", title="Ask", data={"query": given, "answer": None, "prompt": ""}
        )
    answer = site.kb.retrieve(
        task,
        project=given["project"],
        domain=given["domain"],
        language=given["language"],
        strict=bool(given["strict"]),
        record=False,
    )
    data = {"query": given, "answer": answer_json(answer), "prompt": prompt_text(answer)}
    return Page(template="ask.html", title="Ask", data=data)


def domains(site: Site, asked: Asked) -> Page:
    """Which domains share insights, and on request which ones two of them share."""
    found = site.kept("domains", site.kb.domain_map)
    a, b = asked.text("a"), asked.text("b")
    shared = found.shared(a, b or a) if a else ()
    start = (asked.page - 1) * PAGE
    nodes = site.kb.nodes(shared[start : start + PAGE])
    data = {
        **domains_json(found, pairs=_PAIRS),
        "a": a,
        "b": b,
        "shared": len(shared),
        "page": asked.page,
        "more": len(shared) > start + PAGE,
        "insights": [named_json(n) for n in nodes.values()],
    }
    return Page(
        template="domains.html", title="Domains", data=data, beside={"drawing": drawing(found)}
    )


def log(site: Site, asked: Asked) -> Page:
    """The answers that were given, newest first."""
    found = site.kb.retrievals(limit=PAGE, offset=(asked.page - 1) * PAGE)
    data = {**log_json(found), "page": asked.page, "more": found.total > asked.page * PAGE}
    return Page(template="log.html", title="Answers given", data=data)


def cypher(site: Site, asked: Asked) -> Page:
    """A statement or a named query, and its rows as a table."""
    queries = site.kb.named_queries()
    name, statement = asked.text("name"), asked.text("statement")
    _bounded("statement", statement)
    chosen = next((q for q in queries if q.name == name), None)
    if name and chosen is None:
        raise UsageError(f"There is no query named {name[:80]!r}.")
    values = _parameters(chosen, asked.query) if chosen else {}
    missing = (
        [p.name for p in chosen.parameters if p.required and p.name not in values] if chosen else []
    )
    rows, refusal = None, ""
    if statement or (chosen and not missing):
        rows, refusal = _run(site, chosen.name if chosen else statement, values)
    data = {
        "name": name,
        "statement": chosen.statement if chosen else statement,
        "parameters": values,
        "missing": missing,
        "error": refusal,
        "answer": rows,
        **queries_json(queries),
    }
    beside = {"chosen": chosen, "cell": cell}
    status = 400 if refusal else 200
    return Page(template="cypher.html", title="Cypher", data=data, beside=beside, status=status)


def _parameters(query: NamedQuery, given: Mapping[str, str]) -> dict[str, Any]:
    return {
        p.name: given[p.name].strip() for p in query.parameters if given.get(p.name, "").strip()
    }


def _run(
    site: Site, statement: str, values: Mapping[str, Any]
) -> tuple[dict[str, Any] | None, str]:
    """The rows, or why there are none."""
    try:
        return rows_json(site.kb.cypher(statement, values)), ""
    except UsageError as error:
        return None, " ".join(filter(None, (str(error), error.hint)))


def cell(value: Any) -> dict[str, Any]:
    """A value of a row as text, and the id it leads to where it is one of a node."""
    if isinstance(value, str):
        return {"text": value, "id": value if _ID.fullmatch(value) else ""}
    if isinstance(value, dict) and isinstance(value.get("id"), str):
        properties = value.get("properties", {})
        title = properties.get("title") or properties.get("name") or value["id"]
        return {"text": str(title), "id": value["id"]}
    if value is None or isinstance(value, (int, float)):
        return {"text": "" if value is None else str(value), "id": "", "number": value is not None}
    if _are_texts(value):
        return {"text": ", ".join(value), "id": ""}
    return {"text": json.dumps(value, ensure_ascii=False), "id": ""}


def _are_texts(value: Any) -> bool:
    return isinstance(value, Sequence) and all(isinstance(v, str) for v in value)


def _bounded(name: str, text: str) -> None:
    if len(text) > MAX_TEXT_CHARS:
        raise UsageError(f"{name} is too long: at most {MAX_TEXT_CHARS:,} characters.")


READING: Final[Mapping[str, Callable[[Site, Asked], Page]]] = {
    "/": overview,
    "/search": search,
    "/ask": ask,
    "/domains": domains,
    "/log": log,
    "/cypher": cypher,
}
"""Where each of these pages is."""
