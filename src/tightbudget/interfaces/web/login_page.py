"""The page to log in on; the exchange itself is a route of the API."""

from fastapi import APIRouter, Request, Response

from tightbudget.interfaces.api.guard import PUBLIC, GuardedRoute, allows
from tightbudget.interfaces.web.rendering import page

router = APIRouter(route_class=GuardedRoute, include_in_schema=False)


@router.get("/login")
@allows(PUBLIC)
async def login(request: Request, then: str = "/budgets") -> Response:
    """Asks for a token, and goes on to where the visitor wanted to go."""
    return page(request, "login.html", problem=None, then=then)
