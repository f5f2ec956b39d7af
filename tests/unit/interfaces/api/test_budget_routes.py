"""Budgets over HTTP: what the ledger does, who may do it, and retries that spend nothing twice."""

import uuid
from typing import Any

import pytest
from tests.support.service import Served

import tightbudget as tb
from tightbudget.access.roles import Role
from tightbudget.interfaces.api.budget_bodies import KeyGiven, key_given

STEP = "gaussian(sigma=50)"


class Asking:
    """Asks a service about budgets, in one of the roles."""

    def __init__(self, service: Served) -> None:
        self._service = service
        self._headers = {role: service.bearer(role) for role in Role}
        self.name = f"budget {uuid.uuid4().hex[:8]}"

    def make(self, **terms: Any) -> Any:
        body = {"name": self.name, "epsilon": 1, "delta": "1e-6", **terms}
        return self._service.http.post("/v1/budgets", json=body, headers=self._headers[Role.OWNER])

    def post(self, what: str, body: dict[str, Any], role: Role = Role.OWNER, **headers: str) -> Any:
        sent = {**self._headers[role], **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self._service.http.post(f"/v1/budgets/{self.name}/{what}", json=body, headers=sent)

    def get(self, what: str, role: Role = Role.AUDITOR, **params: Any) -> Any:
        return self._service.http.get(f"/v1/budgets/{self.name}/{what}", params=params, headers=self._headers[role])


@pytest.fixture
def asking(service: Served) -> Asking:
    made = Asking(service)
    assert made.make().status_code == 201
    return made


def test_a_budget_is_made_once(service: Served, asking: Asking) -> None:
    again = asking.make()
    assert (again.status_code, again.json()["code"]) == (409, "budget_exists")
    listed = service.http.get("/v1/budgets", params={"limit": 1000}, headers=service.bearer(Role.ANALYST)).json()["budgets"]
    (found,) = [one for one in listed if one["name"] == asking.name]
    assert (found["epsilon"], found["delta"], found["filter"], found["unit"]) == ("1", "1e-06", "zcdp", "person")


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        ({"epsilon": -1}, "epsilon"), ({"epsilon": "a lot"}, "epsilon"), ({"delta": 2}, "delta"),
        ({"filter": "none"}, "filter"),
        ({"relation": "x"}, "relation"), ({"settings": {"name": 1}}, "settings"),
        ({"settings": {"self": 1}}, "settings"), ({"settings": {"beside": "census"}}, "settings"),
        ({"settings": {"colour": 1}}, "settings"),
        ({"odometers": ["none"]}, "odometers"), ({"name": ""}, "name"), ({"name": "a/b"}, "name"),
        ({"metadata": 7}, "metadata"),
    ],
)  # fmt: skip
def test_a_budget_that_makes_no_sense_is_refused(service: Served, terms: dict[str, Any], field: str) -> None:
    refused = Asking(service).make(**terms)
    assert refused.status_code == 422, refused.text
    assert field in refused.json()["fields"]


def test_charges_are_what_the_filter_admits_and_not_one_more(asking: Asking) -> None:
    expected = tb.filters.ZCDPFilter(epsilon=1, delta="1e-6").remaining(tb.Gaussian(sigma=10))
    body = {"increment": "gaussian(sigma=10)"}
    quoted = asking.post("quote", body, Role.AUDITOR).json()
    assert quoted["accepted"]
    assert quoted["note"] == ""
    sampled = asking.post("quote", {"increment": "poisson(gaussian(sigma=10), q=0.01)"}).json()
    assert sampled["note"].startswith("A sample is charged as the whole here")
    for i in range(expected):
        assert asking.post("charge", {**body, "key": f"charge {i}"}, Role.ANALYST).status_code == 200
    refused = asking.post("charge", {**body, "key": "one too many"}, Role.ANALYST)
    assert (refused.status_code, refused.json()["code"]) == (409, "budget_refused")
    assert not asking.post("quote", body).json()["accepted"]
    status = asking.get("status").json()
    assert status["charges"] == expected
    assert status["more_of_last"] == 0
    assert float(status["fixed_plan"]["upper"]) < 1.0
    assert asking.post("verify", {}, Role.AUDITOR).json()["ok"]


def test_a_retry_has_the_same_receipt_and_spends_nothing(asking: Asking) -> None:
    body = {"increment": STEP, "purpose": "report"}
    first = asking.post("charge", body, Idempotency_Key="report-7")
    again = asking.post("charge", {**body, "key": "report-7"})
    assert first.json() == again.json()
    assert asking.get("status").json()["charges"] == 1
    quoted = asking.post("charge", body, Idempotency_Key='"report-7"')  # as the IETF's draft asks for
    assert quoted.json() == first.json()
    other = asking.post("charge", {**body, "increment": "gaussian(sigma=40)"}, Idempotency_Key="report-7")
    assert (other.status_code, other.json()["code"]) == (409, "key_reused")


@pytest.mark.parametrize(
    ("header", "key"),
    [("k9", "k9"), ('"k9"', "k9"), (r'"a\"b\\c"', r'a"b\c'), ('k"9"', 'k"9"'), ('"k', '"k'), ('"', '"'), (r'"a\b"', r'"a\b"')],
)
def test_a_key_in_quotes_is_the_key(header: str, key: str) -> None:
    assert key_given(KeyGiven(), header) == key
    assert key_given(KeyGiven(key=key), header) == key


@pytest.mark.parametrize("what", ["charge", "reserve", "commit", "abort", "refund"])
def test_a_charge_has_a_key(asking: Asking, what: str) -> None:
    body = {"increment": STEP} if what in ("charge", "reserve") else {"reason": "x"} if what == "refund" else {}
    for refused in (asking.post(what, body), asking.post(what, {**body, "key": "a"}, Idempotency_Key="b")):
        assert refused.status_code == 422
        assert "key" in refused.json()["fields"]


def test_reserve_commit_abort_and_refund(asking: Asking) -> None:
    for key in ("first", "second"):
        held = asking.post("reserve", {"increment": STEP, "key": key, "ttl": 600}, Role.ANALYST).json()
        assert held["state"] == "reserved"
        assert held["expires"]
    assert len(asking.get("status").json()["held"]) == 2
    assert asking.post("commit", {"key": "first"}, Role.ANALYST).json()["state"] == "committed"
    assert asking.post("abort", {"key": "second", "reason": "failed"}, Role.ANALYST).json()["state"] == "aborted"
    settled = asking.post("abort", {"key": "first"}, Role.ANALYST)
    assert (settled.status_code, settled.json()["code"]) == (409, "charge_settled")
    unknown = asking.post("commit", {"key": "third"}, Role.ANALYST)
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_charge")
    assert asking.post("refund", {"key": "first", "reason": "the query never ran"}).json()["state"] == "refunded"
    states = {entry["key"]: entry["state"] for entry in asking.get("history").json()["entries"] if entry["key"]}
    assert states["first"] == "refunded"
    assert states["second"] == "aborted"
    (aborted,) = asking.get("history", key="second").json()["entries"]
    assert aborted["reason"].startswith("failed (declared by test analyst [")


def test_the_log_says_whose_token_it_was(asking: Asking, service: Served) -> None:
    asking.post("charge", {"increment": STEP, "key": "own"}, Role.ANALYST)
    asking.post("charge", {"increment": STEP, "key": "for Ada", "actor": "Ada"}, Role.ANALYST)
    own, hers = (asking.get("history", key=key).json()["entries"][0]["actor"] for key in ("own", "for Ada"))
    assert own.startswith("test analyst [")
    assert hers == f"Ada via {own}"


def test_history_comes_in_pages_and_is_not_sent_twice(asking: Asking, service: Served) -> None:
    for i in range(5):
        asking.post("charge", {"increment": STEP, "key": str(i)})
    keys, before = [], None
    while True:
        page = asking.get("history", limit=2, **({} if before is None else {"before": before}))
        keys += [entry["key"] for entry in page.json()["entries"] if entry["key"]]
        before = page.json()["next"]
        if before is None:
            break
    assert keys == ["4", "3", "2", "1", "0"]
    tag = asking.get("history").headers["ETag"]
    known = service.http.get(
        f"/v1/budgets/{asking.name}/history", headers={**service.bearer(Role.AUDITOR), "If-None-Match": tag}
    )
    assert known.status_code == 304
    assert not known.content
    asking.post("charge", {"increment": STEP, "key": "new"})
    assert asking.get("history").headers["ETag"] != tag


def test_a_budget_is_closed_for_good(asking: Asking) -> None:
    assert asking.post("close", {"reason": "the study is over"}).status_code == 200
    refused = asking.post("charge", {"increment": STEP, "key": "late"})
    assert (refused.status_code, refused.json()["code"]) == (409, "budget_closed")
    assert asking.get("status").json()["state"] == "closed"


def test_the_statement_says_what_is_promised(asking: Asking) -> None:
    said = asking.get("statement").json()["statement"]
    assert "differentially private" in said


@pytest.mark.parametrize("role", list(Role))
def test_the_terms_are_told_as_when_it_was_made(service: Served, role: Role) -> None:
    asking = Asking(service)
    made = asking.make(description="weekly reports", metadata={"team": "a"})
    asking.post("charge", {"increment": STEP, "key": "k"})
    told = service.http.get(f"/v1/budgets/{asking.name}", headers=service.bearer(role))
    assert (told.status_code, told.json()) == (200, made.json())
    assert told.json()["metadata"] == {"team": "a"}


def test_budgets_that_are_not_there(service: Served) -> None:
    asking = Asking(service)
    for refused in (
        service.http.get(f"/v1/budgets/{asking.name}", headers=service.bearer(Role.AUDITOR)),
        asking.get("status"), asking.get("history"), asking.get("statement"), asking.post("verify", {}),
        asking.post("quote", {"increment": STEP}), asking.post("charge", {"increment": STEP, "key": "x"}),
    ):  # fmt: skip
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown_budget")


@pytest.mark.parametrize("increment", ['histograms("/etc/passwd")', "gaussian(", "gaussian(sigma=-1)", ""])
def test_steps_that_cannot_be_read_are_refused(asking: Asking, increment: str) -> None:
    for what in ("quote", "remaining", "charge", "reserve"):
        refused = asking.post(what, {"increment": increment, **({"key": "k"} if what in ("charge", "reserve") else {})})
        assert refused.status_code == 422
        assert "root" not in refused.text


@pytest.mark.slow
def test_a_step_that_takes_too_long_to_weigh_is_refused(asking: Asking) -> None:
    """The zCDP of these takes half a minute; in a thread of the service it would hold up all others."""
    steps = " + ".join(f"poisson(laplace(scale={1 + i / 100}), q={0.01 + i / 5000})" for i in range(400))
    refused = asking.post("charge", {"increment": steps, "key": "slow"})
    assert (refused.status_code, refused.json()["code"]) == (422, "too_much")
    assert asking.get("status").json()["charges"] == 0


def test_parts_of_a_budget_are_admitted_by_both(asking: Asking, service: Served) -> None:
    part = Asking(service)
    assert part.make(parent=asking.name, epsilon="1/2", delta="1e-7").status_code == 201
    assert part.post("charge", {"increment": STEP, "key": "k"}).status_code == 200
    assert asking.get("status").json()["charges"] == 1
    assert part.get("status").json()["parent"] == asking.name


def test_what_is_broken_is_told(asking: Asking, service: Served) -> None:
    asking.post("charge", {"increment": STEP, "key": "k"})
    with service.service.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE budgets SET spent = '{}' WHERE name = ?", (asking.name,))
    report = asking.post("verify", {}, Role.AUDITOR).json()
    assert not report["ok"]
    assert report["problems"][0]["budget"] == asking.name
