"""The HTTP API: requests in, JSON out, and its own description."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from .openapi import description
from .operations import OPERATIONS, Operation, needs_token
from .site import Site, json_text

_JSON = "application/json"


def api_routes(site: Site) -> list[Route]:
    """The routes of every operation, and of the description."""
    by_path: dict[str, list[Operation]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, []).append(operation)
    routes = [Route("/api/openapi.json", _description)]
    for path, operations in by_path.items():
        for operation in operations:
            endpoint = _endpoint(site, operation)
            routes.append(Route(path, endpoint, methods=[operation.method]))
    return routes


async def _description(request: Request) -> Response:
    return _answer(description())


def _endpoint(site: Site, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    async def run(request: Request) -> Response:
        given = await _given(request, operation)
        writes = needs_token(operation, given)
        if writes and not site.key.bears_token(request.headers):
            raise HTTPException(401, "This changes the store: send the token as a bearer header.")

        def work() -> Any:
            id = request.path_params.get("id", "")
            if not writes:
                return operation.work(site, given, id)
            with site.writing:
                return operation.work(site, given, id)

        return _answer(await run_in_threadpool(work))

    return run


async def _given(request: Request, operation: Operation) -> BaseModel:
    """What an operation is given, checked.

    Raises:
        HTTPException: it is not what the description asks for.
    """
    try:
        if operation.method == "GET":
            return operation.takes.model_validate(dict(request.query_params))
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _JSON:
            raise HTTPException(415, f"The body is sent as {_JSON}.")
        return operation.takes.model_validate_json(await request.body(), strict=True)
    except ValidationError as error:
        raise HTTPException(422, _said(error)) from error


def _said(error: ValidationError) -> str:
    """What is wrong with what was given, a place each, without repeating it."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    places = [(".".join(map(str, e["loc"])) or "body", e["msg"]) for e in found[:5]]
    return "; ".join(f"{place[:100]}: {message}" for place, message in places)


def _answer(value: Mapping[str, Any] | Any) -> Response:
    return Response(json_text(value), media_type=_JSON)
