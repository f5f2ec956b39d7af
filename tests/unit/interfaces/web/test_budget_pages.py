"""Pages of budgets without a browser: plain forms, roles, refusals with reasons, forms of other sites."""

import csv
import io
import re
import uuid

import pytest
from tests.support.service import Served

from tightbudget.access.roles import Role
from tightbudget.interfaces.web.budget_view import gauge_of

PAGE = {"Accept": "text/html"}
STEP = "gaussian(sigma=10)"


class Browser:
    """A visitor with a cookie."""

    def __init__(self, service: Served, role: Role) -> None:
        self.http = service.http
        self.http.cookies.clear()
        sent = self.http.post("/login", data={"token": service.token(role), "then": "/budgets"}, headers=PAGE)
        assert sent.status_code == 200
        found = re.search(r'name="csrf_token" value="([^"]+)"', sent.text)
        assert found
        self.word = found[1]

    def post(self, path: str, follow: bool = True, **fields: str):
        data = {"csrf_token": self.word, **fields}
        return self.http.post(path, data=data, headers=PAGE, follow_redirects=follow)

    def get(self, path: str, **params: str):
        return self.http.get(path, params=params, headers=PAGE)


@pytest.fixture
def name(service: Served) -> str:
    name = f"budget {uuid.uuid4().hex[:8]} é"
    made = Browser(service, Role.OWNER).post("/budgets", name=name, epsilon="1", delta="1e-6", unit="person")
    assert made.status_code == 200
    assert name in made.text
    return name


def test_visitors_without_a_token_are_asked_to_log_in(service: Served) -> None:
    service.http.cookies.clear()
    sent = service.http.get("/budgets?after=x", headers=PAGE, follow_redirects=False)
    assert (sent.status_code, sent.headers["location"]) == (303, "/login?then=%2Fbudgets%3Fafter%3Dx")
    wrong = service.http.post("/login", data={"token": "tb_no"}, headers=PAGE)
    assert wrong.status_code == 401
    assert "not known" in wrong.text
    assert service.http.get("/nowhere", headers=PAGE).headers["content-type"].startswith("text/html")
    assert service.http.get("/nowhere").json()["code"] == "not_found"


def test_a_budget_is_charged_until_it_refuses_and_says_why(service: Served, name: str) -> None:
    visitor = Browser(service, Role.ANALYST)
    quoted = visitor.get(f"/budgets/{name}", increment=STEP)
    assert "fits the zcdp filter" in quoted.text
    assert visitor.post(f"/budgets/{name}/quote", increment=STEP).text.count("fits the zcdp filter") == 1
    for attempt in range(10):
        sent = visitor.post(f"/budgets/{name}/charge", increment=STEP, key=f"k{attempt}", purpose="a <b>test</b>")
        if sent.status_code != 200:
            break
    assert (sent.status_code, attempt) == (409, 4)  # rho of (1, 1e-6) is 0.0244, a step takes 0.005
    assert "is refused by the zcdp filter" in sent.text
    assert "&lt;b&gt;test" in sent.text
    assert 'class="state refused"' in sent.text
    table = visitor.get(f"/budgets/{name}/history.csv")
    assert table.text.count("committed") == 4
    assert "differentially private" in visitor.get(f"/budgets/{name}/statement").text
    verified = visitor.post(f"/budgets/{name}/verify")
    assert "entries were replayed" in verified.text


def test_a_form_that_is_sent_twice_is_charged_once(service: Served, name: str) -> None:
    visitor = Browser(service, Role.ANALYST)
    for _ in range(2):
        assert visitor.post(f"/budgets/{name}/charge", increment=STEP, key="same").status_code == 200
    assert visitor.get(f"/budgets/{name}/history.csv").text.count("committed") == 1


def test_the_table_has_the_whole_history(service: Served, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tightbudget.interfaces.web.budget_pages._ROWS", 2)
    visitor = Browser(service, Role.ANALYST)
    for place in range(4):
        assert visitor.post(f"/budgets/{name}/charge", increment=STEP, key=f"{place}").status_code == 200
    sent = visitor.get(f"/budgets/{name}/history.csv")
    rows = list(csv.DictReader(io.StringIO(sent.text)))
    assert [row["key"] for row in rows] == ["3", "2", "1", "0", ""]
    assert [int(row["sequence"]) for row in rows] == [5, 4, 3, 2, 1]
    assert sent.headers["content-type"].startswith("text/csv")


def test_forms_of_other_sites_do_nothing(service: Served, name: str) -> None:
    visitor = Browser(service, Role.OWNER)
    visitor.word = "guessed"
    assert visitor.post(f"/budgets/{name}/charge", increment=STEP, key="x").status_code == 403
    assert visitor.post("/budgets", name="y", epsilon="1", delta="0").status_code == 403


def test_auditors_read_and_change_nothing(service: Served, name: str) -> None:
    visitor = Browser(service, Role.AUDITOR)
    shown = visitor.get(f"/budgets/{name}")
    assert shown.status_code == 200
    assert "Charge it" not in shown.text
    assert "New budget" not in visitor.get("/budgets").text
    refused = visitor.post(f"/budgets/{name}/charge", increment=STEP, key="x")
    assert refused.status_code == 403
    assert "auditor" in refused.text


@pytest.mark.parametrize("increment", ["gaussian(", "histograms('/etc/passwd')", "gaussian(sigma=-1)"])
def test_steps_that_make_no_sense_are_told_in_the_page(service: Served, name: str, increment: str) -> None:
    visitor = Browser(service, Role.ANALYST)
    assert visitor.get(f"/budgets/{name}", increment=increment).status_code == 422
    assert visitor.post(f"/budgets/{name}/charge", increment=increment, key="x").status_code == 422


def test_reservations_are_shown_and_settled(service: Served, name: str) -> None:
    body = {"increment": STEP, "key": "held"}
    service.http.cookies.clear()
    service.http.post(f"/v1/budgets/{name}/reserve", json=body, headers=service.bearer(Role.ANALYST))
    visitor = Browser(service, Role.ANALYST)
    assert re.search(r"[1-9][\d.]* % reserved", visitor.get(f"/budgets/{name}").text)
    settled = visitor.post(f"/budgets/{name}/settle", key="held", how="abort")
    assert "0 % reserved" in settled.text
    assert "aborted" in settled.text


def test_the_gauge_rounds_what_is_used_up_and_what_is_free_down() -> None:
    limits = [{"name": "rho", "used": "1/3", "cap": "1", "left": "2/3"}]
    gauge = gauge_of({"limits": limits, "reserved": {"rho": "1/9"}})
    assert gauge.words == {"spent": "22.3", "held": "11.2", "free": "66.6"}
    nothing = gauge_of({"limits": [{"name": "delta", "used": "0", "cap": "0", "left": "0"}], "reserved": {}})
    assert (nothing.spent, nothing.free) == (0.0, 1.0)
