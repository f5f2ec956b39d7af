"""The client against a real service: the calls and errors of the local ledger, and retries that spend nothing twice."""

import threading
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import uvicorn
from tests.support.service import settings_in

import tightbudget as tb
from tightbudget.access.roles import Role
from tightbudget.access.tokens import new_token
from tightbudget.interfaces.api.app import create_app
from tightbudget.interfaces.client import RemoteBudget, RemoteLedger
from tightbudget.interfaces.client.records import ServiceError

STEP = tb.Gaussian(sigma=50)


class Service:
    """A service in a thread, with tokens of every role."""

    def __init__(self, folder: Path) -> None:
        self._app = create_app(settings_in(folder, processes=1))
        self._server = uvicorn.Server(uvicorn.Config(self._app, port=0, log_config=None, access_log=False))
        self._thread = threading.Thread(target=self._server.run)

    def __enter__(self) -> "Service":
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            threading.Event().wait(0.02)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()

    def token(self, role: Role) -> str:
        token, text = new_token("client", role, 1_800_000_000)
        self._app.state.service.tokens.add(token)
        return text

    def connect(self, role: Role = Role.OWNER) -> RemoteLedger:
        return tb.client.connect(self.url, self.token(role))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("service")) as running:
        yield running


@pytest.fixture
def budget(service: Service) -> Iterator[RemoteBudget]:
    with service.connect() as ledger:
        yield ledger.create_budget(f"budget {uuid.uuid4().hex[:8]}", epsilon=1, delta="1e-6", filter="zcdp")


def test_a_charge_and_its_retry(budget: RemoteBudget) -> None:
    assert budget.quote(STEP)
    receipt = budget.charge(STEP, key="report-7", purpose="report")
    assert (receipt.state, receipt.key, receipt.budget) == ("committed", "report-7", budget.name)
    assert budget.charge(str(STEP), key="report-7", purpose="report") == receipt
    assert budget.status().charges == 1
    with pytest.raises(tb.KeyReused):
        budget.charge(tb.Gaussian(sigma=40), key="report-7", purpose="report")


def test_a_refusal_is_the_error_of_the_local_ledger(budget: RemoteBudget) -> None:
    assert not budget.quote("gaussian(sigma=1)")
    with pytest.raises(tb.ChargeRefused, match="zcdp") as refused:
        budget.charge("gaussian(sigma=1)")
    assert isinstance(refused.value, tb.BudgetRefused)
    assert budget.status().charges == 0


def test_what_is_left_and_answers_in_words(budget: RemoteBudget, tmp_path: Path) -> None:
    with tb.ledger.open(tmp_path / "local.db") as ledger:
        local = ledger.create_budget(budget.name, epsilon=1, delta="1e-6", filter="zcdp")
        assert budget.remaining(STEP) == local.remaining(STEP)
        assert str(budget.quote(STEP)) == str(local.quote(STEP))
        assert str(budget.charge(STEP, key="a")) == str(local.charge(STEP, key="a"))
        assert budget.remaining(str(STEP)) == local.remaining(STEP)
        local.reserve(STEP, key="b")
        assert "reserved on" in str(held := budget.reserve(STEP, key="b"))
        assert str(held).endswith(f"commits by itself at {held.expires:%Y-%m-%d %H:%M:%S} UTC")
        assert str(budget.status()) == str(local.status())
        with pytest.raises(tb.NotationError):
            budget.remaining("gaussian(")


def test_reservations(budget: RemoteBudget) -> None:
    held = budget.reserve(STEP, key="a", ttl=60)
    assert held.expires > held.time
    assert budget.commit("a").state == "committed"
    budget.reserve(STEP, key="b")
    assert budget.abort("b", "failed").state == "aborted"
    assert budget.refund("a", "never ran").state == "refunded"
    with budget.spend(STEP, key="c") as charge:
        pass
    assert charge.receipt is not None
    assert charge.receipt.state == "committed"
    with budget.spend(STEP, key="d") as charge:
        charge.nothing_released()
    assert charge.receipt is not None
    assert charge.receipt.state == "aborted"
    with pytest.raises(ZeroDivisionError), budget.spend(STEP, key="e"):
        raise ZeroDivisionError
    assert {entry.key: entry.state for entry in budget.history() if entry.key} == {
        "a": "refunded", "b": "aborted", "c": "committed", "d": "aborted", "e": "committed",
    }  # fmt: skip
    assert len(budget.history(limit=2)) == 2
    assert "differentially private" in budget.statement()


def test_names_verification_and_closing(service: Service, budget: RemoteBudget) -> None:
    with service.connect(Role.AUDITOR) as auditor:
        assert budget.name in auditor.names()
        assert budget.name in [one.name for one in auditor.budgets()]
        assert auditor.verify()
        assert auditor.verify(budget=budget.name).ok
        assert auditor.budget(budget.name).status(plan=False).fixed_plan is None
        with pytest.raises(tb.UnknownBudget, match="no budget called 'none'"):
            auditor.budget("none")
        with pytest.raises(ServiceError, match="role") as denied:
            auditor.budget(budget.name).charge(STEP)
        assert (denied.value.code, vars(denied.value)["status"]) == ("forbidden", 403)
    budget.close("over")
    with pytest.raises(tb.BudgetClosed):
        budget.charge(STEP)


def test_questions(service: Service) -> None:
    composition = tb.Gaussian(sigma=80) * 512
    with service.connect() as ledger:
        assert ledger.epsilon(composition, delta=1e-6) == composition.epsilon(delta=1e-6)
        assert ledger.delta(str(composition), epsilon=1.0, rtol=1e-6) == composition.delta(epsilon=1.0, rtol=1e-6)
        assert ledger.epsilon("gaussian(sigma=0)", delta=1e-6).upper == float("inf")
        with pytest.raises(tb.NotationError):
            ledger.epsilon("gaussian(", delta=1e-6)
        with pytest.raises(tb.InvalidParameter, match="delta is 2"):
            ledger.epsilon("gaussian(sigma=1)", delta=2)


def test_the_token_may_come_from_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIGHTBUDGET_TOKEN", service.token(Role.AUDITOR))
    with tb.client.connect(service.url) as auditor:
        assert auditor.verify()
    with tb.client.connect(service.url, "tb_wrong") as stranger, pytest.raises(ServiceError, match="token is not known"):
        stranger.names()
    with pytest.raises(tb.InvalidParameter, match="address of a service"):
        tb.client.connect("127.0.0.1:8000")


def test_a_token_may_end_with_a_newline_and_is_never_shown(service: Service) -> None:
    token = service.token(Role.AUDITOR)
    with tb.client.connect(service.url, f" {token}\r\n") as auditor:
        assert auditor.verify()
    for wrong in (f"{token}\nsecret", f"{token} {token}", f"{token}é"):
        with pytest.raises(tb.InvalidParameter, match="printable ASCII without spaces") as told:
            tb.client.connect(service.url, wrong)
        assert token not in str(told.value) + repr(vars(told.value))


class Flaky(BaseHTTPRequestHandler):
    """A proxy's view of bad days: fails a few times in different ways, then answers."""

    protocol_version = "HTTP/1.1"
    bodies: list[bytes] = []  # noqa: RUF012  # of the one server that a test starts

    def do_POST(self) -> None:
        self.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        match len(self.bodies):
            case 1:
                self.close_connection = True  # without a word
            case 2:
                self._answer(503, b'{"code": "ledger_busy", "message": "Not now.", "fields": {}}')
            case 3:
                self._answer(502, b"<html>")
            case 4:
                self._answer(200, b'{"state": "committed", "key": "k"}')
            case _:
                self._answer(503, b'{"code": "ledger_busy", "message": "Not now.", "fields": {}}')

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None: ...


def test_what_fails_for_a_while_is_tried_again_with_the_same_key() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Flaky) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            ledger = tb.client.connect(f"http://127.0.0.1:{server.server_port}", "", patience=5.0)
            budget = RemoteBudget(ledger._connection, "flaky")
            assert budget.charge(STEP).state == "committed"
            assert len(Flaky.bodies) == 4
            assert len(set(Flaky.bodies)) == 1  # one key for all of them
            impatient = RemoteBudget(
                tb.client.connect(f"http://127.0.0.1:{server.server_port}", "", patience=0.3)._connection, "x"
            )
            with pytest.raises(tb.LedgerBusy):
                impatient.charge(STEP)
            ledger.close()
            impatient._connection.close()
        finally:
            server.shutdown()
            thread.join()
    with pytest.raises(tb.LedgerUnavailable, match=r"cannot be reached .* try again with the same key: if it was spent"):
        impatient.charge(STEP)


def test_a_service_that_is_not_there_is_named_without_its_password() -> None:
    ledger = tb.client.connect("http://ana:secret@127.0.0.1:1/", "", patience=0.1)
    with pytest.raises(tb.LedgerUnavailable) as told:
        ledger.names()
    assert str(told.value).startswith("The service at http://127.0.0.1:1 cannot be reached (ConnectionRefusedError).")
    assert str(told.value).endswith("try again.")  # a question has no key
