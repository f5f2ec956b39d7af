"""Templates filled in: what every page has, and problems as pages for those who read pages."""

from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from tightbudget.access.roles import Permission
from tightbudget.interfaces.api.boundary import response_of
from tightbudget.interfaces.api.guard import Client
from tightbudget.interfaces.api.problems import Problem
from tightbudget.interfaces.web import assets, rounded
from tightbudget.version import __version__

HTML = "text/html; charset=utf-8"
_TITLES = {
    400: "That cannot be read",
    401: "Please log in",
    403: "Not for your role",
    404: "Nothing here",
    405: "Not that way",
    409: "Refused",
    413: "Too long",
    422: "That does not work",
    429: "Too many requests",
    503: "Not now",
}


@cache
def _page_templates() -> Environment:
    found = Environment(
        loader=PackageLoader("tightbudget.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(asset=assets.address_of, chart_address=assets.chart_address, version=__version__)
    found.globals.update(map_style_marker=assets.map_style_marker)
    found.filters.update(low=rounded.at_most, high=rounded.at_least, percent=rounded.percent_at_least)
    found.filters["path"] = lambda text: quote(text, safe="")
    found.filters["query"] = urlencode
    return found


def fragment(name: str, **values: Any) -> str:
    """Return a template filled in that needs nothing of the request."""
    return _page_templates().get_template(name).render(**values)


def page(request: Request, name: str, code: int = 200, /, **values: Any) -> Response:
    """Return a whole page."""
    client: Client = getattr(request.state, "client", None) or Client("unknown")
    shared = {
        "client": client,
        "may_spend": client.may(Permission.SPEND),
        "may_manage": client.may(Permission.MANAGE),
        "here": request.url.path,
        "address": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
    }
    text = _page_templates().get_template(name).render(**shared, **values)
    return Response(text, code, media_type=HTML)


def wants_page(request: Request) -> bool:
    """Return whether a problem is to be told in a page: to browsers that are shown one, not to scripts or programs."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")


def told(request: Request, problem: Problem) -> Response:
    """Return the problem for whoever asked: as a page, or as JSON. Who has to log in first is sent there."""
    if not wants_page(request):
        return response_of(problem)
    if request.url.path == "/login":
        answer = page(request, "login.html", problem.status, problem=problem, then="/budgets")
    elif problem.status == 401 and request.method == "GET":
        then = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return Response(status_code=303, headers={"Location": f"/login?{urlencode({'then': then})}"})
    else:
        title = _TITLES.get(problem.status, "Something went wrong")
        answer = page(request, "problem.html", problem.status, problem=problem, title=title)
    answer.headers.update(problem.headers)
    return answer
