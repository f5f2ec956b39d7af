"""The explorer: a composition in, its guarantee in words and numbers out; pictures follow when they are asked for."""

import asyncio
import json
import math
from typing import Any

from fastapi import APIRouter, Request, Response

from tightbudget.access.roles import Permission
from tightbudget.interfaces import wire
from tightbudget.interfaces.api.guard import GuardedRoute, allows
from tightbudget.interfaces.api.problems import Problem, of_status
from tightbudget.interfaces.api.service import Service
from tightbudget.interfaces.web.explored import USUAL, Explored
from tightbudget.interfaces.web.pictures import PICTURES
from tightbudget.interfaces.web.rendering import HTML, fragment, page
from tightbudget.numerics.rounding import AMPLE, raised_by

router = APIRouter(route_class=GuardedRoute, include_in_schema=False)
COMPUTE = Permission.COMPUTE
_LARGEST = 700.0  # ε above which e^ε is no float


@router.get("/")
@allows(COMPUTE)
async def explorer(request: Request) -> Response:
    """The page: the answer is in it, scripts or not; with full=1 everything is, in tables."""
    asked = Explored.read(request.query_params)
    values: dict[str, Any] = {"asked": asked, "usual": USUAL, "answer": None, "noise": None, "details": None, "problem": None}
    status = 200
    try:
        values["answer"] = await _explorer_answer(request, asked)
        if "target" in request.query_params:
            values["noise"] = await _explorer_noise(request, asked)
        if "full" in request.query_params:
            values["details"] = await _explorer_details(request, asked)
    except Problem as problem:
        values["problem"], status = problem, problem.status
    return page(request, "explorer.html", status, **values)


@router.get("/explorer/answer")
@allows(COMPUTE)
async def answer(request: Request) -> Response:
    """The answer alone, as it is in the page; for scripts that put it there."""
    asked = Explored.read(request.query_params)
    return _explorer_html(fragment("explorer_answer.html", asked=asked, answer=await _explorer_answer(request, asked)))


@router.get("/explorer/noise")
@allows(COMPUTE)
async def noise(request: Request) -> Response:
    """How much noise keeps the target."""
    asked = Explored.read(request.query_params)
    return _explorer_html(fragment("explorer_noise.html", asked=asked, noise=await _explorer_noise(request, asked)))


@router.get("/explorer/details")
@allows(COMPUTE)
async def details(request: Request) -> Response:
    """Risk in words, and the classic bounds in a table."""
    asked = Explored.read(request.query_params)
    return _explorer_html(fragment("explorer_details.html", asked=asked, details=await _explorer_details(request, asked)))


@router.get("/explorer/pictures/{kind}")
@allows(COMPUTE)
async def picture(request: Request, kind: str) -> Response:
    """What one of the charts draws."""
    if kind not in PICTURES:
        raise of_status(404)
    asked = Explored.read(request.query_params)
    found = await _explorer_answer(request, asked)
    question: dict[str, Any] = {"expression": found["expression"], "delta": asked.number("delta")}
    if kind == "roc":
        question["fpr"] = asked.rate("fpr")
    shape = await _explorer_computed(request, f"picture of {kind}", question)
    return Response(wire.json_text(shape), media_type="application/json")


async def _explorer_answer(request: Request, asked: Explored) -> dict[str, Any]:
    found = await _explorer_computed(request, *asked.question())
    upper = float(found["upper"])
    factor = raised_by(math.exp(upper), AMPLE) if 0.0 < upper < _LARGEST else None
    return {**found, "factor": factor, "copies": asked.copies(_explorer_origin(request))}


async def _explorer_noise(request: Request, asked: Explored) -> dict[str, Any] | None:
    question = asked.noise_question()
    return None if question is None else await _explorer_computed(request, *question)


async def _explorer_details(request: Request, asked: Explored) -> dict[str, Any]:
    expression = (await _explorer_answer(request, asked))["expression"]
    risk, comparison = await asyncio.gather(
        _explorer_computed(request, "risk", asked.risk_question(expression)),
        _explorer_computed(request, "compare", asked.comparison_question(expression)),
    )
    return {"risk": risk, "comparison": comparison}


async def _explorer_computed(request: Request, kind: str, question: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a question, or raise the problem it meets."""
    service: Service = request.app.state.service
    found = await service.compute.answer(kind, question, request.state.client.name)
    shape: dict[str, Any] = json.loads(found.body)
    if found.status != 200:
        raise Problem(found.status, shape["code"], shape["message"], shape["fields"])
    return shape


def _explorer_origin(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


def _explorer_html(text: str) -> Response:
    return Response(text, media_type=HTML)
