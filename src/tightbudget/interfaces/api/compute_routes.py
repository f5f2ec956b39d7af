"""Routes that compute: a body in, the answer of the command's --json out."""

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from tightbudget.access.roles import Permission
from tightbudget.interfaces.api import bodies, shapes
from tightbudget.interfaces.api.guard import GuardedRoute, allows
from tightbudget.interfaces.api.service import Service

router = APIRouter(prefix="/v1", route_class=GuardedRoute, tags=["compute"])
COMPUTE = Permission.COMPUTE
_PROBLEMS = shapes.problems(400, 401, 403, 413, 415, 422, 429)


def _documented_route(shape: type[BaseModel], says: str) -> dict[str, Any]:
    return {"response_class": Response, "responses": {200: {"model": shape, "description": says}, **_PROBLEMS}}


@router.post("/epsilon", **_documented_route(shapes.Bracket, "A bracket of the smallest ε at δ."))
@allows(COMPUTE)
async def epsilon(request: Request, body: bodies.EpsilonAsked) -> Response:
    """The smallest ε at a δ."""
    return await _computed_response(request, "epsilon", body)


@router.post("/delta", **_documented_route(shapes.Bracket, "A bracket of the smallest δ at ε."))
@allows(COMPUTE)
async def delta(request: Request, body: bodies.DeltaAsked) -> Response:
    """The smallest δ at an ε."""
    return await _computed_response(request, "delta", body)


@router.post("/curve", **_documented_route(shapes.Curve, "δ at many ε."))
@allows(COMPUTE)
async def curve(request: Request, body: bodies.CurveAsked) -> Response:
    """δ over a range of ε."""
    return await _computed_response(request, "curve", body)


@router.post("/compare", **_documented_route(shapes.Comparison, "Our bracket and every classic bound."))
@allows(COMPUTE)
async def compare(request: Request, body: bodies.ComparisonAsked) -> Response:
    """The classic bounds beside ours."""
    return await _computed_response(request, "compare", body)


@router.post("/calibrate", **_documented_route(shapes.Calibration, "The value that meets the target, and one that misses it."))
@allows(COMPUTE)
async def calibrate(request: Request, body: bodies.CalibrationAsked) -> Response:
    """The noise, rate or count that meets a target."""
    return await _computed_response(request, "calibrate", body)


@router.post("/risk", **_documented_route(shapes.Risk, "What an attacker can do, in numbers and in words."))
@allows(COMPUTE)
async def risk(request: Request, body: bodies.RiskAsked) -> Response:
    """What an attacker can do who sees the release."""
    return await _computed_response(request, "risk", body)


@router.post("/dpsgd", **_documented_route(shapes.TrainingRun, "The run, its bracket of ε and its statement."))
@allows(COMPUTE)
async def dpsgd(request: Request, body: bodies.TrainingAsked) -> Response:
    """A training run by the numbers of its loop."""
    return await _computed_response(request, "dpsgd", body)


async def _computed_response(request: Request, kind: str, body: BaseModel) -> Response:
    service: Service = request.app.state.service
    found = await service.compute.answer(kind, body.model_dump(), request.state.client.name)
    return Response(found.body, found.status, media_type="application/json")
