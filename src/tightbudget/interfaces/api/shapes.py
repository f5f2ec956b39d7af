"""Shapes of answers, for the document that describes the service; the answers are made by `interfaces/wire.py`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Number = float | Literal["inf", "-inf", "nan"]


class Shape(BaseModel):
    """Answers may come to say more than is listed here, never less."""

    model_config = ConfigDict(extra="allow")


class ProblemShape(BaseModel):
    code: str
    message: str
    fields: dict[str, str]


class Ends(Shape):
    lower: Number
    upper: Number


class Bracket(Ends):
    expression: str
    relation: str
    direction: str | None
    estimate: Number
    converged: bool
    reason: str
    rtol: Number
    trace: list[dict[str, Any]]
    note: str
    version: str


class Curve(Shape):
    expression: str
    relation: str
    epsilon: list[Number]
    lower: list[Number]
    upper: list[Number]
    converged: bool
    note: str
    version: str


class Comparison(Shape):
    expression: str
    relation: str
    bounds: list[dict[str, Any]]
    converged: bool
    reason: str
    note: str
    version: str


class Calibration(Shape):
    template: str
    argument: str | None
    target: dict[str, Any]
    value: Number
    achieved: Ends
    too_little: Number | None
    missed: Ends | None
    expression: str
    relation: str
    converged: bool
    reason: str
    version: str


class Risk(Shape):
    expression: str
    relation: str
    epsilon: Ends
    advantage: Ends
    tpr: list[Ends]
    posterior: list[Ends]
    bayes_error: Ends
    words: list[dict[str, Any]]
    converged: bool
    reason: str
    version: str


class TrainingRun(Ends):
    expression: str
    relation: str
    delta: Number
    steps: int
    statement: dict[str, list[str]]
    converged: bool
    reason: str
    version: str


class Session(Shape):
    role: str | None
    name: str | None
    token: str | None
    csrf: str | None


class OneToken(Shape):
    id: str
    name: str
    role: str
    created: int
    expires: int | None
    revoked: int | None


class NewToken(OneToken):
    text: str


class Tokens(Shape):
    tokens: list[OneToken]
    next: str | None


class OneBudget(Shape):
    name: str = Field(examples=["census"])
    epsilon: str = Field(examples=["1"])
    delta: str = Field(examples=["1e-06"])
    filter: str = Field(examples=["zcdp"])
    relation: str = Field(examples=["add_remove"])
    unit: str = Field(examples=["person"])
    parent: str | None
    description: str


class Budgets(Shape):
    budgets: list[OneBudget]
    next: str | None


class Status(Shape):
    name: str
    state: str
    time: str
    epsilon: str
    delta: str
    charges: int
    spent: dict[str, str]
    reserved: dict[str, str]
    limits: list[dict[str, Any]]
    used: Number
    held: list[dict[str, Any]]


class Quote(Shape):
    accepted: bool
    increment: str
    limit: str
    asked: str
    left: str
    message: str
    note: str = Field(description="What to know of the step: a sample may be charged as the whole.")


class Remaining(Shape):
    name: str
    increment: str
    remaining: int


class Receipt(Shape):
    ledger: str
    budget: str
    key: str
    state: str
    increment: str
    sequence: int
    time: str
    hash: str


class History(Shape):
    entries: list[dict[str, Any]]
    next: int | None


class Statement(Shape):
    name: str
    statement: str


class Report(Shape):
    ok: bool
    budgets: int
    entries: int
    charges: int
    problems: list[dict[str, Any]]


_SAYS = {
    400: "The body cannot be read.",
    401: "A token is needed.",
    403: "The role does not allow this.",
    404: "There is no such thing.",
    409: "Refused, or in contradiction to an earlier request.",
    413: "The body is too long.",
    415: "The body is not JSON.",
    422: "A value is not allowed.",
    429: "Too many requests.",
    503: "Not now; try again later.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what the document says of these statuses."""
    return {status: {"model": ProblemShape, "description": _SAYS[status]} for status in statuses}
