"""Pages of budgets: what is left, what happened, and forms to quote, charge and make them. Plain forms, no scripts."""

import json
import uuid
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote as quoted
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import StreamingResponse

from tightbudget.access.roles import Permission
from tightbudget.adaptive.filters.registry import BY_KIND
from tightbudget.errors import TightBudgetError
from tightbudget.interfaces.api.budget_routes import signature
from tightbudget.interfaces.api.guard import GuardedRoute, allows
from tightbudget.interfaces.api.problems import Problem, of_error
from tightbudget.interfaces.api.service import Service
from tightbudget.interfaces.web.budget_view import at_minute, course_of, gauge_of
from tightbudget.interfaces.web.rendering import page
from tightbudget.ledger import Budget
from tightbudget.ledger.export import csv_line
from tightbudget.ledger.history import all_entries, entries_of
from tightbudget.ledger.timeline import timeline_of

router = APIRouter(route_class=GuardedRoute, include_in_schema=False)
READ, SPEND, MANAGE = Permission.READ, Permission.SPEND, Permission.MANAGE
ON_A_PAGE, SHOWN = 12, 50
DRAWN = 20_000
"""Charges of which the course is drawn: each is read from the log whenever the page is asked for."""

_ROWS = 500  # of a table that are sent at once
RELATIONS = ("add_remove", "replace_one", "zero_out")
_COLUMNS = ("sequence", "time", "state", "budget", "key", "increment", "actor", "purpose", "reason", "settled", "hash")
Text = Annotated[str, Form(max_length=4000)]


@router.get("/budgets")
@allows(READ)
async def budgets(request: Request, after: str = "") -> Response:
    """All budgets, each with its gauge."""
    return await _budget_list_page(request, after)


@router.post("/budgets")
@allows(MANAGE)
async def create(
    request: Request, name: Text, epsilon: Text, delta: Text, filter: Text = "zcdp", relation: Text = "add_remove",
    unit: Text = "person", description: Text = "",
) -> Response:  # fmt: skip
    """Make a budget and show it."""
    terms = {"name": name.strip(), "epsilon": epsilon.strip(), "delta": delta.strip(), "filter": filter, "relation": relation}
    terms |= {"unit": unit.strip(), "description": description.strip()}
    held = _service_of_budget_page(request).budgets
    try:
        made = await held.run(lambda: held.ledger.create_budget(**terms))
    except TightBudgetError as error:
        return await _budget_list_page(request, "", of_error(error), terms)
    return _redirect_to_budget(made.name)


@router.get("/budgets/{name}")
@allows(READ)
async def budget(request: Request, name: str, increment: str = "", before: int | None = None, charged: str = "") -> Response:
    """One budget; with an increment, whether it would be admitted."""
    return await _budget_page(request, name, increment, before, charged=charged)


@router.post("/budgets/{name}/quote")
@allows(READ)
async def quote(name: str, increment: Text) -> Response:
    """Go to the page that says whether an increment would be admitted; the form that charges it asks this too."""
    return _redirect_to_budget(name, increment=increment)


@router.post("/budgets/{name}/charge")
@allows(SPEND)
async def charge(request: Request, name: str, increment: Text, key: Text, purpose: Text = "") -> Response:
    """Spend a step or refuse it. The form has a key of its own: sent twice, it is spent once."""
    held, client = _service_of_budget_page(request).budgets, request.state.client
    actor, why = signature(client), purpose.strip() or None
    try:
        found = await held.weighable(name, increment, client.name)
        await held.run(lambda: found.charge(increment, key=key, actor=actor, purpose=why))
    except (TightBudgetError, Problem) as error:
        problem = error if isinstance(error, Problem) else of_error(error)
        return await _budget_page(request, name, increment, problem=problem)
    return _redirect_to_budget(name, charged=key)


@router.post("/budgets/{name}/settle")
@allows(SPEND)
async def settle(request: Request, name: str, key: Text, how: Text) -> Response:
    """Commit a reservation, or abort it because nothing was released."""
    held = _service_of_budget_page(request).budgets
    found = await held.named(name)
    if how == "abort":
        reason = f"nothing was released, says {signature(request.state.client)}"
        await held.run(lambda: found.abort(key, reason))
    else:
        await held.run(lambda: found.commit(key))
    return _redirect_to_budget(name)


@router.post("/budgets/{name}/verify")
@allows(READ)
async def verify(request: Request, name: str) -> Response:
    """Replay the log and say whether it is whole."""
    answer = await _service_of_budget_page(request).budgets.verified(name)
    return await _budget_page(request, name, report=json.loads(answer.body))


@router.get("/budgets/{name}/statement")
@allows(READ)
async def statement(request: Request, name: str) -> Response:
    """What the budget promises, as a text to keep."""
    answer = await _service_of_budget_page(request).budgets.statement(name, request.state.client.name)
    text = json.loads(answer.body)["statement"]
    return Response(text, media_type="text/plain; charset=utf-8")


@router.get("/budgets/{name}/history.csv")
@allows(READ)
async def history(request: Request, name: str) -> Response:
    """Every entry as a table."""
    held = _service_of_budget_page(request).budgets
    found = await held.named(name)
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quoted(name, safe='')}.csv"}
    return StreamingResponse(_as_csv(found), headers=headers, media_type="text/csv; charset=utf-8")


def _as_csv(budget: Budget) -> Iterator[str]:
    """Yield the whole history, the newest first, some rows at a time: a log may be longer than fits into memory."""
    lines = [csv_line(_COLUMNS)]
    for place, entry in enumerate(all_entries(budget)):
        shape = entry.as_json()
        lines.append(csv_line([shape[column] for column in _COLUMNS]))
        if place % _ROWS == _ROWS - 1:
            yield "".join(lines)
            lines = []
    yield "".join(lines)


async def _budget_list_page(
    request: Request, after: str, problem: Problem | None = None, given: dict[str, str] | None = None
) -> Response:
    held = _service_of_budget_page(request).budgets
    names = await held.run(lambda: list(held.ledger.names(ON_A_PAGE, after=after)))
    found = []
    for name in names:
        status = json.loads((await held.status(name, True, request.state.client.name)).body)
        found.append({"status": status, "gauge": gauge_of(status)})
    return page(
        request,
        "budgets.html",
        problem.status if problem else 200,
        budgets=found,
        next=names[-1] if len(names) == ON_A_PAGE else None,
        problem=problem,
        given=given or {},
        filters=tuple(BY_KIND),
        relations=RELATIONS,
    )


async def _budget_page(
    request: Request,
    name: str,
    increment: str = "",
    before: int | None = None,
    problem: Problem | None = None,
    report: dict[str, Any] | None = None,
    charged: str = "",
) -> Response:
    held, client = _service_of_budget_page(request).budgets, request.state.client
    found = await held.named(name)
    quote = None
    if increment and problem is None:
        try:
            await held.weighable(name, increment, client.name)
            quote = await held.run(lambda: found.quote(increment))
        except (TightBudgetError, Problem) as error:
            problem = error if isinstance(error, Problem) else of_error(error)
    status = json.loads((await held.status(name, True, client.name)).body)
    entries = await held.run(lambda: entries_of(found, SHOWN, before=before))
    timeline = await held.run(lambda: timeline_of(found)) if 0 < status["charges"] <= DRAWN else None
    return page(
        request,
        "budget.html",
        problem.status if problem else 200,
        budget=found,
        status=status,
        full=gauge_of(status),
        entries=entries,
        course=course_of(timeline) if timeline else None,
        more=entries[-1].sequence if len(entries) == SHOWN else None,
        at_minute=at_minute,
        increment=increment or status["last"] or "gaussian(sigma=50)",
        quote=quote,
        problem=problem,
        report=report,
        charged=charged,
        key=uuid.uuid4().hex,
    )


def _service_of_budget_page(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


def _redirect_to_budget(name: str, **query: str) -> Response:
    address = f"/budgets/{quoted(name, safe='')}" + (f"?{urlencode(query)}" if query else "")
    return Response(status_code=303, headers={"Location": address})
