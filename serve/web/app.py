"""The explorer as an ASGI application: routes, pages in two forms, forms, errors."""

import logging
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from ...facade import KnowledgeBase
from ...kg.errors import StepladderError, UsageError
from ..loopback import NAMES
from .api import api_routes
from .deeds import WRITING
from .door import ENTRANCE, Door
from .merge_pages import merges, review, undo
from .node_page import edit, forget, node
from .pages import READING
from .passes import FIELD, Pass
from .showing import address_of, environment
from .site import Asked, Deed, Page, Site, View, json_text

_STATIC: Final = Path(__file__).with_name("static")
_FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 50
_LOG: Final = logging.getLogger(__name__)
_VIEWS: Final[dict[str, View]] = {
    **READING,
    "/review": review,
    "/merges": merges,
    "/undo": undo,
    "/edit": edit,
    "/forget": forget,
    "/node/{id:path}": node,
}
_TITLES: Final = {
    401: "A token is needed",
    403: "Not from here",
    404: "Nothing here",
    405: "Not this way",
    413: "Too large",
    414: "Too long",
    415: "Not a form",
    421: "Another machine",
    500: "Something went wrong",
    503: "The store could not answer",
}

Endpoint = Callable[[Request], Awaitable[Response]]


def app(
    kb: KnowledgeBase, *, key: Pass, names: Collection[str] = NAMES, private: bool = False
) -> ASGIApp:
    """The explorer and the API over a knowledge base.

    `names` are what a request may call this machine; `private` asks for the token even to read.
    """
    site = Site(kb, key)
    shown = _Shown(site)
    routes: list[Any] = [Route(ENTRANCE, shown.entrance), *api_routes(site)]
    for path, deed in WRITING.items():
        routes.append(Route(path, shown.deed(deed), methods=["POST"]))
    for path, view in _VIEWS.items():
        twin = f"{path}.json" if path != "/" else "/index.json"
        routes.append(Route(twin, shown.view(view, as_json=True)))
        routes.append(Route(path, shown.view(view)))
    routes.append(Mount("/static", StaticFiles(directory=_STATIC)))
    made = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: shown.http_error,
            StepladderError: shown.own_error,
            Exception: shown.unexpected,
        },
    )
    return Door(made, names=names, key=key, refuse=shown.refusal, private=private)


class _Shown:
    """Turns pages, changes and errors into responses."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def view(self, view: View, *, as_json: bool = False) -> Endpoint:
        """The endpoint of a page, as HTML or as JSON, whichever is asked for."""

        async def show(request: Request) -> Response:
            asked = Asked(path=request.path_params, query=dict(request.query_params))
            page = await run_in_threadpool(view, self._site, asked)
            return await run_in_threadpool(
                self._page, request, page, as_json or _wants_json(request)
            )

        return show

    def deed(self, deed: Deed) -> Endpoint:
        """The endpoint of a form: what it does, then a page that says so."""

        async def do(request: Request) -> Response:
            form = await _form(request)
            if not self._site.key.signs(request.headers, field=form.pop(FIELD, "")):
                raise HTTPException(403, "To change something, open the address that was printed.")

            def one_at_a_time() -> Response:
                with self._site.writing:
                    done = deed(self._site, Asked(form=form))
                to = address_of(done.to, said=self._site.note(done.said))
                return RedirectResponse(to, status_code=303)

            return await run_in_threadpool(one_at_a_time)

        return do

    async def entrance(self, request: Request) -> Response:
        """Let a browser in that brings the token, and take it out of the address."""
        key = self._site.key
        if not key.is_token(request.query_params.get("token", "")):
            raise HTTPException(403, "The token is not this server's. It may have been restarted.")
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(key.cookie, key.token, httponly=True, samesite="strict")
        return answer

    def refusal(self, request: Request, error: HTTPException) -> Response:
        """A refusal as a page or as JSON."""
        return self._error(request, error.status_code, error.detail)

    async def http_error(self, request: Request, error: Exception) -> Response:
        """An error that an endpoint or the router chose."""
        status = error.status_code if isinstance(error, HTTPException) else 500
        detail = error.detail if isinstance(error, HTTPException) else ""
        return self._error(request, status, detail)

    async def own_error(self, request: Request, error: Exception) -> Response:
        """One of our own errors, with its hint."""
        hint = error.hint if isinstance(error, StepladderError) else ""
        status = 400 if isinstance(error, UsageError) else 503
        if status == 503:
            _LOG.error("%s", error)
        return self._error(request, status, str(error), hint)

    async def unexpected(self, request: Request, error: Exception) -> Response:
        """A fault of ours: the log has it, the page does not."""
        return self._error(request, 500, "This is a fault of the program. Its log says more.")

    def _page(self, request: Request, page: Page, as_json: bool) -> Response:
        vary = {"Vary": "Accept, Cookie"}
        if as_json:
            return Response(
                json_text(page.data), page.status, media_type="application/json", headers=vary
            )
        template = environment().get_template(page.template)
        may_write = self._site.may_write(request.headers)
        text = template.render(
            page=page,
            data=page.data,
            beside=page.beside,
            path=request.url.path,
            query=dict(request.query_params),
            may_write=may_write,
            form_token=self._site.key.form if may_write else "",
            said=self._site.noted(request.query_params.get("said", "")),
            twin=_twin(request),
        )
        encoded = text.encode("utf-8", errors="replace")
        return Response(encoded, page.status, media_type="text/html; charset=utf-8", headers=vary)

    def _error(self, request: Request, status: int, detail: str, hint: str = "") -> Response:
        title = _TITLES.get(status, "That cannot be")
        if request.url.path.startswith("/api/") or _wants_json(request):
            told = json_text({"error": detail or title, "hint": hint})
            headers = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
            return Response(told, status, media_type="application/json", headers=headers)
        data = {"status": status, "error": detail, "hint": hint}
        page = Page(template="error.html", title=title, data=data, status=status)
        return self._page(request, page, as_json=False)


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form.

    Raises:
        HTTPException: it is not encoded as ours are.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _FORM:
        raise HTTPException(415, "Forms are sent as " + _FORM + ".")
    body = await request.body()
    try:
        fields = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS
        )
    except ValueError as error:
        raise HTTPException(400, "The form cannot be read.") from error
    return dict(fields)


def _wants_json(request: Request) -> bool:
    """Tell whether JSON is asked for, by the ending of the address or by the Accept header."""
    if request.url.path.endswith(".json"):
        return True
    accepted = [
        part.partition(";")[0].strip() for part in request.headers.get("accept", "").split(",")
    ]
    return "application/json" in accepted and "text/html" not in accepted


def _twin(request: Request) -> str:
    """The address of the same page as JSON."""
    path = request.url.path
    twin = "/index.json" if path == "/" else f"{path}.json"
    query = {n: v for n, v in request.query_params.items() if n != "said"}
    return address_of(twin, **query)
