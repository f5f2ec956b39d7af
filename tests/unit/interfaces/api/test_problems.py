"""Errors: one shape for all of them, and nothing of our insides in any."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.service import TRAINING, Served, served

from tightbudget import errors
from tightbudget.interfaces.api import problems
from tightbudget.interfaces.api.answers import AS_ASKED, answer

JSON = {"Content-Type": "application/json"}
EPSILON = {"expression": "gaussian(sigma=2)", "delta": 1e-6}


def shape_of(answered: Any, status: int, code: str) -> dict[str, Any]:
    """Check that the answer is a problem, and return it."""
    assert answered.status_code == status, answered.text
    assert answered.headers["content-type"] == "application/json"
    shape: dict[str, Any] = answered.json()
    assert set(shape) == {"code", "message", "fields"}
    assert shape["code"] == code
    assert shape["message"].endswith((".", "?", "…"))
    assert all(isinstance(said, str) for said in shape["fields"].values())
    assert "Traceback" not in answered.text
    return shape


@pytest.mark.parametrize("path", ["/nowhere", "/v1", "/v1/", "/v1/epsilon/", "/v2/epsilon", "/docs", "/redoc", "/%00"])
def test_what_is_not_there(service: Served, path: str) -> None:
    shape_of(service.http.get(path), 404, "not_found")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "BREW"])
def test_methods_that_are_not_known(service: Served, method: str) -> None:
    refused = service.http.request(method, "/v1/epsilon")
    assert refused.status_code == 405
    assert refused.headers["Allow"] == "POST"
    if method != "HEAD":
        shape_of(refused, 405, "method_not_allowed")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"{", "not JSON"), (b"\xff", "UTF-8"), (b'{"delta": NaN}', "no NaN"), (b'{"delta": -Infinity}', "no -Infinity"),
        (b'{"delta": 1e-400}', "too small"), (b'{"delta": 1e400}', "too large"),
        (b'{"delta": 1' + b"0" * 5000 + b"}", "digits"),
        (b'{"delta": 1, "delta": 2}', "twice"), (b"[" * 100_000, "nested"), (b'{"expression": "\\ud800"}', "UTF-8"),
    ],
)  # fmt: skip
def test_bodies_that_cannot_be_read(service: Served, body: bytes, says: str) -> None:
    shape = shape_of(service.http.post("/v1/epsilon", content=body, headers=JSON), 400, "not_json")
    assert says in shape["message"]


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/xml", ""]
)
def test_bodies_of_other_kinds(service: Served, kind: str) -> None:
    shape_of(
        service.http.post("/v1/epsilon", content=json.dumps(EPSILON), headers={"Content-Type": kind}),
        415,
        "unsupported_media_type",
    )


def test_json_of_other_names_is_read(service: Served) -> None:
    for kind in ("application/json; charset=utf-8", "application/vnd.question+json", "APPLICATION/JSON"):
        assert service.http.post("/v1/epsilon", content=json.dumps(EPSILON), headers={"Content-Type": kind}).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "expression"), ({"expression": "gaussian(sigma=2)"}, "delta"), ({**EPSILON, "delta": "tiny"}, "delta"),
        ({**EPSILON, "delta": True}, "delta"), ({**EPSILON, "delta": None}, "delta"), ({**EPSILON, "deltas": 1}, "deltas"),
        ({**EPSILON, "expression": 7}, "expression"), ({**EPSILON, "mix_relations": 1}, "mix_relations"),
        ({**EPSILON, "rtol": [1]}, "rtol"), ({**EPSILON, "delta": 10**400}, "delta"), ([], "body"), ("text", "body"),
        (None, "body"),
    ],
)  # fmt: skip
def test_bodies_of_another_form(service: Served, body: Any, field: str) -> None:
    assert field in shape_of(service.http.post("/v1/epsilon", json=body), 422, "invalid_request")["fields"]


@pytest.mark.parametrize(
    ("others", "code", "field"),
    [
        ({"delta": 2}, "invalid_parameter", "delta"), ({"delta": "inf"}, "invalid_parameter", "delta"),
        ({"rtol": 0}, "invalid_parameter", "rtol"), ({"effort": 65}, "invalid_parameter", "effort"),
        ({"relation": "x"}, "invalid_parameter", "relation"), ({"direction": "x"}, "invalid_parameter", "direction"),
        ({"expression": "gaussian(sigma=-1)"}, "invalid_parameter", "sigma"),
        ({"expression": "gaussian(sigma=?)"}, "notation", "expression"), ({"expression": ""}, "notation", "position"),
        ({"expression": "randomized_response(p=0.6) + gaussian(1)"}, "mixed_relations", "relation"),
        ({"expression": "(" * 5000}, "notation", "expression"), ({"expression": "gaussian(\x00)"}, "notation", "expression"),
    ],
)  # fmt: skip
def test_values_that_are_not_allowed(service: Served, others: dict[str, Any], code: str, field: str) -> None:
    shape = shape_of(service.http.post("/v1/epsilon", json={**EPSILON, **others}), 422, code)
    assert field in shape["fields"]


def test_long_bodies_are_refused_whether_or_not_they_say_how_long_they_are(tmp_path: Path) -> None:
    with served(tmp_path, body_limit=1000) as running:
        body = json.dumps({**EPSILON, "expression": " " * 1000}).encode()
        shape_of(running.http.post("/v1/epsilon", content=body, headers=JSON), 413, "too_large")
        pieces = (body[i : i + 100] for i in range(0, len(body), 100))
        shape_of(running.http.post("/v1/epsilon", content=pieces, headers=JSON), 413, "too_large")
        lie = {**JSON, "Content-Length": "9" * 30}
        shape_of(running.http.post("/v1/epsilon", content=b"{}", headers=lie), 413, "too_large")
        assert running.http.post("/v1/epsilon", json=EPSILON).status_code == 200


def test_values_of_clients_are_quoted_only_in_part(service: Served) -> None:
    refused = service.ask("epsilon", TRAINING, delta=1e-6, relation="x" * 100_000)
    assert refused.status_code == 422
    assert len(refused.content) < 10_000


def test_what_goes_wrong_inside_stays_inside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served(tmp_path) as running:
        running.service.compute.answer = None  # type: ignore[assignment, method-assign]
        shape_of(running.http.post("/v1/epsilon", json=EPSILON), 500, "internal")
    assert "NoneType" in caplog.text


def test_every_answer_has_the_headers_that_protect_pages(service: Served) -> None:
    for answered in (service.http.get("/health"), service.http.get("/nowhere"), service.ask("epsilon", delta=5)):
        assert "default-src 'none'" in answered.headers["content-security-policy"]
        assert "'unsafe-inline'" not in answered.headers["content-security-policy"]
        assert "'unsafe-eval'" not in answered.headers["content-security-policy"]
        assert answered.headers["x-content-type-options"] == "nosniff"
        assert answered.headers["cache-control"] == "no-store"
        assert len(answered.headers["x-request-id"]) == 16


def every_error(kind: type[errors.TightBudgetError] = errors.TightBudgetError) -> list[type[errors.TightBudgetError]]:
    return [kind, *(found for child in kind.__subclasses__() for found in every_error(child))]


def test_every_error_of_the_library_but_those_of_the_database_is_a_problem_of_the_request() -> None:
    for kind in every_error():
        error = kind.__new__(kind, "It is wrong.")
        vars(error).update(name="delta", position=3)
        problem = problems.of_error(error)
        ours = {"ledger_busy": 503, "ledger_unavailable": 503, "no_ledger": 503, "clock_went_back": 503, "ledger_corrupt": 500}
        assert problem.status == ours.get(kind.code) or 400 <= problem.status < 500
        assert problem.code == kind.code


def test_an_error_in_a_process_is_told_by_the_process() -> None:
    question = {**EPSILON, "rtol": 1e-3, "effort": None, "relation": None, "direction": None, "mix_relations": False}
    assert answer("epsilon", {**question, "delta": -1.0}, AS_ASKED).status == 422


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("deltas", "deltas: there is no such field; did you mean delta? The fields are expression, "),
        ("q", "q: there is no such field; the fields are "),
    ],
)
def test_a_field_that_is_not_known_is_answered_with_those_that_are(service: Served, field: str, said: str) -> None:
    answer = service.http.post("/v1/epsilon", json={**EPSILON, field: 1})
    assert said in answer.text
    assert "delta" in answer.text
