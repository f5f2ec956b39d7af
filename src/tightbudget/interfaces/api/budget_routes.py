"""Routes of budgets: parse, one call of the ledger, its answer as JSON."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response

from tightbudget.access.roles import Permission
from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.interfaces import wire
from tightbudget.interfaces.api import budget_bodies as bodies
from tightbudget.interfaces.api import shapes
from tightbudget.interfaces.api.answers import Answer
from tightbudget.interfaces.api.budgets import Budgets
from tightbudget.interfaces.api.guard import Client, GuardedRoute, allows
from tightbudget.interfaces.api.ledger_work import plain
from tightbudget.interfaces.api.operations import with_etag
from tightbudget.interfaces.api.service import Service
from tightbudget.ledger import Budget, Receipt
from tightbudget.ledger.gathered import AskedCharge
from tightbudget.ledger.history import entries_of

router = APIRouter(prefix="/v1", route_class=GuardedRoute, tags=["budgets"])
READ, SPEND, MANAGE = Permission.READ, Permission.SPEND, Permission.MANAGE

Name = Annotated[str, Path(description="Name of the budget.", max_length=200)]
Key = Annotated[str | None, Header(description="Names this one charge, in place of `key`.", max_length=bodies.LONGEST_KEY)]
_READING = shapes.problems(401, 403, 404, 422, 429, 503)
_WRITING = shapes.problems(400, 401, 403, 404, 409, 413, 415, 422, 429, 503)
_RECEIPT: dict[str, Any] = {"response_class": Response, "responses": {200: {"model": shapes.Receipt}, **_WRITING}}


@router.get("/budgets", response_class=Response, responses={200: {"model": shapes.Budgets}, **_READING})
@allows(READ)
async def listed(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 100,
    after: Annotated[str, Query(max_length=200, description="The `next` of the page before.")] = "",
) -> Response:
    """Budgets by name."""
    budgets = _budgets_of_service(request)
    ledger = budgets.ledger
    found = await budgets.run(lambda: [_budget_terms_shape(ledger.budget(name)) for name in ledger.names(limit, after=after)])
    following = found[-1]["name"] if len(found) == limit else None
    return with_etag(request, wire.json_text({"budgets": found, "next": following}).encode(), "application/json")


@router.post("/budgets", status_code=201, response_class=Response, responses={201: {"model": shapes.OneBudget}, **_WRITING})
@allows(MANAGE)
async def create(request: Request, body: bodies.BudgetAsked) -> Response:
    """Make a budget. All of it is fixed from then on."""
    budgets = _budgets_of_service(request)
    made = await budgets.run(lambda: budgets.ledger.create_budget(**body.terms()))
    return _budget_json(_budget_terms_shape(made), 201)


@router.get("/budgets/{name}", response_class=Response, responses={200: {"model": shapes.OneBudget}, **_READING})
@allows(READ)
async def terms(request: Request, name: Name) -> Response:
    """What the budget promises, as fixed when it was made; what is spent of it is in its status."""
    return _budget_json(_budget_terms_shape(await _budgets_of_service(request).named(name)))


@router.get("/budgets/{name}/status", response_class=Response, responses={200: {"model": shapes.Status}, **_READING})
@allows(READ)
async def status(
    request: Request,
    name: Name,
    plan: Annotated[bool, Query(description="Whether to work out what the steps would cost as a fixed plan.")] = True,
) -> Response:
    """What is spent, reserved and free."""
    return _budget_response(await _budgets_of_service(request).status(name, plan, _client_of_request(request).name))


@router.get("/budgets/{name}/history", response_class=Response, responses={200: {"model": shapes.History}, **_READING})
@allows(READ)
async def history(
    request: Request,
    name: Name,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 100,
    before: Annotated[int | None, Query(ge=0, lt=2**63, description="The `next` of the page before.")] = None,
    state: Annotated[str | None, Query(max_length=20, description="Only entries of this state.")] = None,
    key: Annotated[str | None, Query(max_length=200, description="Only the charge with this key.")] = None,
) -> Response:
    """Charges, refusals and other entries, the newest first."""
    budgets = _budgets_of_service(request)
    budget = await budgets.named(name)
    found = await budgets.run(lambda: entries_of(budget, limit, before=before, state=state, key=key))
    shape = {
        "entries": [plain(entry.as_json()) for entry in found],
        "next": found[-1].sequence if len(found) == limit else None,
    }
    return with_etag(request, wire.json_text(shape).encode(), "application/json")


@router.get("/budgets/{name}/statement", response_class=Response, responses={200: {"model": shapes.Statement}, **_READING})
@allows(READ)
async def statement(request: Request, name: Name) -> Response:
    """What the budget promises, in plain words."""
    return _budget_response(await _budgets_of_service(request).statement(name, _client_of_request(request).name))


@router.post("/budgets/{name}/verify", response_class=Response, responses={200: {"model": shapes.Report}, **_READING})
@allows(READ)
async def verify(request: Request, name: Name) -> Response:
    """Replay the log of the budget and compare it with what is stored."""
    return _budget_response(await _budgets_of_service(request).verified(name))


@router.post("/verify", response_class=Response, responses={200: {"model": shapes.Report}, **_READING})
@allows(READ)
async def verify_all(request: Request) -> Response:
    """Replay the log of every budget."""
    return _budget_response(await _budgets_of_service(request).verified(None))


@router.post("/budgets/{name}/quote", response_class=Response, responses={200: {"model": shapes.Quote}, **_WRITING})
@allows(READ)
async def quote(request: Request, name: Name, body: bodies.QuoteAsked) -> Response:
    """Whether a step would be admitted now, what it asks and what is left. Nothing is spent."""
    budgets = _budgets_of_service(request)
    budget = await budgets.weighable(name, body.increment, _client_of_request(request).name)
    found, note = await budgets.run(lambda: (budget.quote(body.increment), budget.note(body.increment)))
    return _budget_json({**_budget_quote_shape(found), "note": note})


@router.post("/budgets/{name}/remaining", response_class=Response, responses={200: {"model": shapes.Remaining}, **_WRITING})
@allows(READ)
async def remaining(request: Request, name: Name, body: bodies.QuoteAsked) -> Response:
    """How many more such steps would be admitted one after the other, if nothing else is asked. Nothing is spent."""
    return _budget_response(
        await _budgets_of_service(request).remaining(name, body.increment, _client_of_request(request).name)
    )


@router.post("/budgets/{name}/charge", **_RECEIPT)
@allows(SPEND)
async def charge(request: Request, name: Name, body: bodies.ChargeAsked, idempotency_key: Key = None) -> Response:
    """Spend a step, or refuse it and spend nothing. Call it before the release."""
    key = bodies.key_given(body, idempotency_key)
    said = _logged_charge(request, body)
    budgets = _budgets_of_service(request)
    budget = await budgets.weighable(name, body.increment, _client_of_request(request).name)
    return _budget_receipt_response(await budgets.charged(budget, AskedCharge(body.increment, key, **said)))


@router.post("/budgets/{name}/reserve", **_RECEIPT)
@allows(SPEND)
async def reserve(request: Request, name: Name, body: bodies.ReservationAsked, idempotency_key: Key = None) -> Response:
    """Set a step aside. It counts as spent; commit it before the release, or abort it."""
    key = bodies.key_given(body, idempotency_key)
    said = _logged_charge(request, body)
    budgets = _budgets_of_service(request)
    budget = await budgets.weighable(name, body.increment, _client_of_request(request).name)
    return _budget_receipt_response(await budgets.run(lambda: budget.reserve(body.increment, key=key, ttl=body.ttl, **said)))


@router.post("/budgets/{name}/commit", **_RECEIPT)
@allows(SPEND)
async def commit(request: Request, name: Name, body: bodies.KeyGiven, idempotency_key: Key = None) -> Response:
    """Make a reservation final. Call it before the release."""
    key, budget = bodies.key_given(body, idempotency_key), await _budgets_of_service(request).named(name)
    return _budget_receipt_response(await _budgets_of_service(request).run(lambda: budget.commit(key)))


@router.post("/budgets/{name}/abort", **_RECEIPT)
@allows(SPEND)
async def abort(request: Request, name: Name, body: bodies.AbortAsked, idempotency_key: Key = None) -> Response:
    """Give back a reservation, of which nothing was released; the log says who declared that."""
    key, budget = bodies.key_given(body, idempotency_key), await _budgets_of_service(request).named(name)
    reason = f"{body.reason} (declared by {signature(_client_of_request(request))})".lstrip()
    return _budget_receipt_response(await _budgets_of_service(request).run(lambda: budget.abort(key, reason)))


@router.post("/budgets/{name}/refund", **_RECEIPT)
@allows(MANAGE)
async def refund(request: Request, name: Name, body: bodies.RefundAsked, idempotency_key: Key = None) -> Response:
    """Give back a committed charge of which nothing was ever released; the log says who declared that."""
    key, budget = bodies.key_given(body, idempotency_key), await _budgets_of_service(request).named(name)
    reason = f"{body.reason} (declared by {signature(_client_of_request(request))})" if body.reason.strip() else body.reason
    return _budget_receipt_response(await _budgets_of_service(request).run(lambda: budget.refund(key, reason)))


@router.post("/budgets/{name}/close", response_class=Response, responses={200: {"model": shapes.OneBudget}, **_WRITING})
@allows(MANAGE)
async def close(request: Request, name: Name, body: bodies.Closing) -> Response:
    """Admit nothing more, for good."""
    budgets = _budgets_of_service(request)
    budget = await budgets.named(name)
    await budgets.run(lambda: budget.close(body.reason, signature(_client_of_request(request))))
    return _budget_json(_budget_terms_shape(budget))


def _budgets_of_service(request: Request) -> Budgets:
    service: Service = request.app.state.service
    return service.budgets


def _client_of_request(request: Request) -> Client:
    client: Client = request.state.client
    return client


def signature(client: Client) -> str:
    """Return the name of the token and its id, which alone is sure to be one token's."""
    assert client.token is not None
    return f"{client.token.name} [{client.token.id}]"


def _logged_charge(request: Request, body: bodies.ChargeAsked) -> dict[str, Any]:
    """Return what the log will say of a charge; whose token it was, clients cannot choose."""
    own = signature(_client_of_request(request))
    actor = f"{body.actor} via {own}" if body.actor else own
    return {"actor": actor, "purpose": body.purpose, "metadata": body.metadata}


def _budget_terms_shape(budget: Budget) -> wire.Wire:
    terms = budget.terms
    return {
        "name": terms.name, "epsilon": terms.epsilon, "delta": terms.delta, "filter": terms.filter["kind"],
        "relation": terms.relation, "unit": terms.unit, "parent": budget.parent, "description": terms.description,
        "metadata": plain(dict(terms.metadata)),
    }  # fmt: skip


def _budget_quote_shape(found: Quote) -> wire.Wire:
    return {
        "accepted": found.accepted, "increment": str(found.increment), "filter": found.filter, "limit": found.limit,
        "asked": show(found.asked), "left": show(found.left), "cap": show(found.cap), "message": str(found),
    }  # fmt: skip


def _budget_receipt_response(receipt: Receipt) -> Response:
    return _budget_json(plain(receipt.as_json()))


def _budget_json(shape: wire.Wire, status: int = 200) -> Response:
    return Response(wire.json_text(shape), status, media_type="application/json")


def _budget_response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, media_type="application/json")
