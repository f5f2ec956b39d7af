"""Who may call what: every route states it, the role matrix holds, and log-ins by cookie are safe from other sites."""

import json
import logging
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import text
from tests.support.service import Served, served, settings_in

from tightbudget.access.roles import Permission, Role
from tightbudget.interfaces.api.app import create_app
from tightbudget.interfaces.api.guard import FROM_OWN_PAGES, PUBLIC, GuardedRoute, allows, stated_by

EPSILON = {"expression": "gaussian(sigma=2)", "delta": 1e-6}
FORMS = {"Content-Type": "application/x-www-form-urlencoded"}


def test_every_route_states_who_may_call_it(tmp_path: Path) -> None:
    routes = create_app(settings_in(tmp_path)).routes
    assert len(routes) > 10
    assert not [route.path for route in routes if not isinstance(route, GuardedRoute)]
    silent = [route.path for route in routes if isinstance(route, APIRoute) and stated_by(route.endpoint) is None]
    assert not silent
    public = {route.path for route in routes if stated_by(route.endpoint) == PUBLIC}
    pages = {"/login", "/static/{version}/{name}"}
    assert public - pages == {"/health", "/ready", "/openapi.json", "/logout", "/v1/session"}
    (login,) = [route for route in routes if stated_by(route.endpoint) == FROM_OWN_PAGES]
    assert (login.path, login.methods) == ("/login", {"POST"})


@pytest.mark.parametrize("role", [*Role, None])
def test_a_route_that_states_nothing_is_closed_to_all(tmp_path: Path, role: Role | None) -> None:
    with served(tmp_path) as running:

        async def forgotten() -> str:
            return "open"

        running.http.app.get("/forgotten")(forgotten)
        refused = running.http.get("/forgotten", headers=running.bearer(role) if role else {})
    assert refused.status_code == 403
    assert "open" not in refused.text


def requests(permission: Permission) -> list[tuple[str, str, Any]]:
    """Return requests that need a permission."""
    return {
        Permission.COMPUTE: [("POST", "/v1/epsilon", EPSILON)],
        Permission.METRICS: [("GET", "/metrics", None)],
        Permission.TOKENS: [("GET", "/v1/tokens", None), ("POST", "/v1/tokens", {}), ("DELETE", "/v1/tokens/0", None)],
        Permission.READ: [
            ("GET", "/v1/budgets", None),
            ("GET", "/v1/budgets/none", None),
            *(("GET", f"/v1/budgets/none/{what}", None) for what in ("status", "history", "statement")),
            ("POST", "/v1/budgets/none/verify", None),
            *(("POST", f"/v1/budgets/none/{what}", {"increment": "gaussian(sigma=9)"}) for what in ("quote", "remaining")),
            ("POST", "/v1/verify", None),
            *(("GET", f"/budgets{what}", None) for what in ("", "/none", "/none/statement", "/none/history.csv")),
            *(("POST", f"/budgets/none/{what}", {}) for what in ("verify", "quote")),
        ],
        Permission.SPEND: [
            *(("POST", f"/v1/budgets/none/{what}", {}) for what in ("charge", "reserve", "commit", "abort")),
            *(("POST", f"/budgets/none/{what}", {}) for what in ("charge", "settle")),
        ],
        Permission.MANAGE: [
            ("POST", "/v1/budgets", {}),
            ("POST", "/budgets", {}),
            *(("POST", f"/v1/budgets/none/{what}", {}) for what in ("close", "refund")),
        ],
    }.get(permission, [])


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with served(tmp_path_factory.mktemp("closed"), compute="tokens") as running:
        yield running


@pytest.mark.parametrize("permission", list(Permission))
@pytest.mark.parametrize("role", [*Role, None])
def test_the_matrix_of_roles(closed: Served, role: Role | None, permission: Permission) -> None:
    headers = {} if role is None else closed.bearer(role)
    for method, path, body in requests(permission):
        answered = closed.http.request(method, path, json=body, headers=headers)
        if role is None:
            assert answered.status_code == 401
            assert answered.headers["WWW-Authenticate"] == "Bearer"
        elif role.allows(permission):
            assert answered.status_code in (200, 404, 422)  # let in, though there is no such token or form
        else:
            assert answered.status_code == 403
            assert answered.json()["code"] == "forbidden"


def test_every_route_is_in_the_matrix(closed: Served) -> None:
    stated = Counter(stated_by(route.endpoint) for route in closed.http.app.routes)
    for permission in Permission:
        asked = {
            (method, path.replace("none", "{name}").replace("/0", "/{token_id}")) for method, path, _ in requests(permission)
        }
        assert len(asked) == stated[permission] or permission is Permission.COMPUTE  # of which one stands for seven


def test_on_loopback_anyone_computes_unless_told_otherwise(service: Served, closed: Served) -> None:
    assert service.http.post("/v1/epsilon", json=EPSILON).status_code == 200
    assert closed.http.post("/v1/epsilon", json=EPSILON).status_code == 401
    assert service.http.get("/v1/tokens").status_code == 401


def test_who_is_not_let_in_is_not_read(closed: Served) -> None:
    refused = closed.http.post("/v1/epsilon", content=b"{not json", headers={"Content-Type": "application/json"})
    assert refused.status_code == 401


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Bearer x", "Basic eDp5", f"Bearer tb_{'0' * 16}_{'A' * 43}", "bearer tb_é"]
)
def test_a_wrong_token_is_refused_even_where_none_is_needed(service: Served, header: str) -> None:
    refused = service.http.post("/v1/epsilon", json=EPSILON, headers={"Authorization": header.encode()})
    assert refused.status_code == 401
    assert refused.json()["code"] == "unauthorized"


def test_a_token_that_was_revoked_or_has_expired_is_refused(service: Served) -> None:
    owner = service.bearer(Role.OWNER)
    made = service.http.post("/v1/tokens", json={"name": "x", "role": "auditor", "expires_in": 3600}, headers=owner).json()
    auditor = {"Authorization": f"Bearer {made['text']}"}
    assert service.http.get("/metrics", headers=auditor).status_code == 200
    assert service.http.delete(f"/v1/tokens/{made['id']}", headers=owner).status_code == 204
    assert service.http.get("/metrics", headers=auditor).status_code == 401
    late = service.token(Role.AUDITOR, expires=int(time.time()) + 1)
    time.sleep(1.1)
    assert service.http.get("/metrics", headers={"Authorization": f"Bearer {late}"}).status_code == 401


def test_tokens_are_made_listed_and_never_told_again(service: Served) -> None:
    owner = service.bearer(Role.OWNER)
    made = service.http.post("/v1/tokens", json={"name": "Ada", "role": "analyst"}, headers=owner)
    assert made.status_code == 201
    pages, following = [], ""
    while following is not None:
        page = service.http.get("/v1/tokens", params={"limit": 2, "after": following}, headers=owner).json()
        pages += page["tokens"]
        following = page["next"]
    (found,) = [token for token in pages if token["id"] == made.json()["id"]]
    assert (found["name"], found["role"], found["revoked"]) == ("Ada", "analyst", None)
    secret = made.json()["text"].split("_", 2)[2]
    assert secret not in json.dumps(pages)
    assert "digest" not in json.dumps(pages)


@pytest.mark.parametrize(
    "body",
    [
        {"name": "x", "role": "king"}, {"name": "", "role": "owner"}, {"role": "owner"},
        {"name": "x", "role": "owner", "more": 1}, {"name": "x", "role": "owner", "expires_in": 1e99},
        {"name": "x", "role": "owner", "expires_in": -5}, {"name": "x", "role": "owner", "expires_in": "-inf"},
    ],
)  # fmt: skip
def test_a_token_that_makes_no_sense_is_refused(service: Served, body: dict[str, Any]) -> None:
    refused = service.http.post("/v1/tokens", json=body, headers=service.bearer(Role.OWNER))
    assert refused.status_code == 422
    assert refused.json()["fields"]


def log_in(running: Served, role: Role = Role.OWNER, **others: str) -> str:
    """Log in as a browser does, and return the word for its requests."""
    running.http.cookies.clear()
    done = running.http.post("/login", data={"token": running.token(role), **others}, follow_redirects=False)
    assert done.status_code == 303
    word = running.http.get("/v1/session").json()["csrf"]
    assert word
    return str(word)


def test_a_browser_logs_in_and_out(service: Served) -> None:
    done = service.http.post("/login", data={"token": service.token(Role.AUDITOR)}, follow_redirects=False)
    cookie = done.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    word = log_in(service, Role.AUDITOR)
    assert service.http.get("/v1/session").json()["role"] == "auditor"
    assert service.http.get("/metrics").status_code == 200
    assert service.http.get("/v1/tokens").status_code == 403
    assert service.http.post("/logout", headers={"X-CSRF-Token": word}, follow_redirects=False).status_code == 303
    assert service.http.get("/metrics").status_code == 401
    assert service.http.get("/v1/session").json()["role"] is None


def test_over_tls_the_cookie_is_for_this_host_and_tls_only(tmp_path: Path) -> None:
    with served(tmp_path, behind_tls=True) as running:
        done = running.http.post("/login", data={"token": running.token(Role.OWNER)}, follow_redirects=False)
        assert done.headers["set-cookie"].startswith("__Host-tightbudget=")
        assert "; secure" in done.headers["set-cookie"].lower()
        assert done.headers["strict-transport-security"].startswith("max-age=")
        assert running.http.post("/v1/epsilon", json=EPSILON).status_code == 401  # a proxy lets others in


def test_a_log_in_ends_with_its_token(service: Served) -> None:
    log_in(service)
    token_id = service.http.get("/v1/session").json()["token"]
    assert service.http.get("/v1/tokens").status_code == 200
    service.service.tokens.revoke(token_id, int(time.time()))
    assert service.http.get("/v1/tokens").status_code == 401
    service.http.cookies.clear()


def test_a_forged_cookie_is_worth_nothing(service: Served) -> None:
    log_in(service)
    (name,) = list(service.http.cookies.keys())
    cookie = service.http.cookies[name]
    service.http.cookies.clear()
    for forged in ("", "x", cookie[:-2] + "xx", "WyJhIiwiYiJd." + cookie.partition(".")[2]):
        assert service.http.get("/v1/tokens", headers={"Cookie": f"{name}={forged}"}).status_code == 401
    assert service.http.get("/v1/tokens", headers={"Cookie": f"{name}={cookie}"}).status_code == 200


def test_a_cookie_alone_changes_nothing(service: Served) -> None:
    """Other sites can have a browser send its cookies; the word is in no cookie."""
    word = log_in(service)
    body = {"name": "forged", "role": "owner"}
    for headers in (
        {},
        {"X-CSRF-Token": "wrong"},
        {"X-CSRF-Token": "wörd".encode()},
        {"X-CSRF-Token": word, "Origin": "https://elsewhere.example"},
        {"X-CSRF-Token": word, "Sec-Fetch-Site": "cross-site"},
        {"X-CSRF-Token": word, "Sec-Fetch-Site": "same-site"},
    ):
        refused = service.http.post("/v1/tokens", json=body, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (403, "csrf")
    assert "forged" not in service.http.get("/v1/tokens?limit=1000").text
    own = {"X-CSRF-Token": word, "Origin": "http://127.0.0.1", "Sec-Fetch-Site": "same-origin"}
    assert service.http.post("/v1/tokens", json=body, headers=own).status_code == 201
    assert service.http.post("/logout", data={"csrf_token": "wrong"}, follow_redirects=False).status_code == 403
    assert service.http.post("/logout", data={"csrf_token": word}, follow_redirects=False).status_code == 303


def test_another_site_cannot_log_a_browser_in(service: Served) -> None:
    service.http.cookies.clear()
    form = {"token": service.token(Role.OWNER)}
    refused = service.http.post("/login", data=form, headers={"Sec-Fetch-Site": "cross-site"}, follow_redirects=False)
    assert (refused.status_code, refused.json()["code"]) == (403, "csrf")
    assert "set-cookie" not in refused.headers


@pytest.mark.parametrize(
    ("then", "leads_to"),
    [
        ("/budgets", "/budgets"), ("/budgets?name=a", "/budgets?name=a"), ("//evil.example", "/"), ("/\\evil.example", "/"),
        ("https://evil.example", "/"), ("/a\r\nSet-Cookie: x=y", "/"), ("", "/"), ("/é", "/"),
    ],
)  # fmt: skip
def test_a_log_in_leads_to_pages_of_this_service_only(service: Served, then: str, leads_to: str) -> None:
    service.http.cookies.clear()
    done = service.http.post("/login", data={"token": service.token(Role.OWNER), "then": then}, follow_redirects=False)
    assert done.headers["location"] == leads_to
    service.http.cookies.clear()


def test_a_wrong_token_does_not_log_in(service: Served) -> None:
    refused = service.http.post("/login", data={"token": "tb_x"}, follow_redirects=False)
    assert refused.status_code == 401
    assert "set-cookie" not in refused.headers


def history_of_the_ledger(running: Served) -> list[dict[str, Any]]:
    """Return what the ledger logged about itself."""
    with running.service.engine.connect() as connection:
        rows = connection.execute(text("SELECT body FROM entries WHERE budget = 0 ORDER BY seq")).scalars()
        return [json.loads(row) for row in rows]


def test_every_denial_is_an_event_without_secrets(service: Served, caplog: pytest.LogCaptureFixture) -> None:
    service.http.cookies.clear()
    secret = service.token(Role.ANALYST)
    with caplog.at_level(logging.INFO, logger="tightbudget.service"):
        service.http.get("/v1/tokens", headers={"Authorization": f"Bearer {secret}"})
        service.http.get("/v1/tokens", headers={"Authorization": "Bearer tb_nonsense"})
        service.http.get("/metrics")
        service.http.post("/login", data={"token": "tb_wrong"})
    denials = [record.event for record in caplog.records if record.message == "denied"]
    in_ledger = [entry for entry in history_of_the_ledger(service) if entry["kind"] == "denied"]
    assert [entry["route"] for entry in in_ledger][-1:] == ["/v1/tokens"]  # of those who hold tokens
    assert in_ledger[-1]["actor"] == f"token:{secret.split('_')[1]}"
    assert [(event["status"], event["route"], event["role"]) for event in denials] == [
        (403, "/v1/tokens", "analyst"), (401, "/v1/tokens", None), (401, "/metrics", None), (401, "/login", None),
    ]  # fmt: skip
    assert denials[0]["client"] == f"token:{secret.split('_')[1]}"
    written = json.dumps([record.event for record in caplog.records if hasattr(record, "event")], default=str)
    assert secret.split("_", 2)[2] not in written
    assert "nonsense" not in written


def test_one_who_asks_too_often_waits(tmp_path: Path) -> None:
    with served(tmp_path, token_rate=3, anonymous_rate=2) as running:
        codes = [running.http.get("/health").status_code for _ in range(4)]
        one, other = running.bearer(Role.OWNER), running.bearer(Role.OWNER)
        mine = [running.http.get("/health", headers=one) for _ in range(5)]
        theirs = running.http.get("/health", headers=other)
    assert codes == [200, 200, 429, 429]
    assert [answer.status_code for answer in mine] == [200, 200, 200, 429, 429]
    assert theirs.status_code == 200
    assert 1 <= int(mine[-1].headers["Retry-After"]) <= 60
    assert mine[-1].json()["code"] == "too_many_requests"


def test_guessing_tokens_is_limited_by_address(tmp_path: Path) -> None:
    with served(tmp_path, anonymous_rate=3) as running:
        guesses = [running.http.get("/health", headers={"Authorization": f"Bearer guess{i}"}).status_code for i in range(5)]
    assert guesses == [401, 401, 401, 429, 429]


def test_what_a_function_states_can_be_read_back() -> None:
    @allows(Permission.SPEND)
    def endpoint() -> None: ...

    assert stated_by(endpoint) is Permission.SPEND
    assert stated_by(lambda: None) is None
