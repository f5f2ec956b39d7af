"""Clients that send without end, or hardly at all, are hung up on; others do not wait for them."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from tests.support.service import settings_in

from tightbudget.interfaces.api import boundary, heads, running
from tightbudget.interfaces.api.boundary import Boundary
from tightbudget.interfaces.api.heads import LONGEST_HEAD, LimitedHeads

ASK = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(b"read: " + body)(scope, receive, send)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(heads, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(boundary, "BODY_SECONDS", 0.5)
    app = Boundary(echo, body_limit=1000, over_tls=False)
    server = uvicorn.Server(uvicorn.Config(app, http=LimitedHeads, lifespan="off", log_config=None))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


def answer(port: int, *parts: bytes, pause: float = 0.0) -> bytes:
    """Return all that is answered until the service hangs up; fail if it does not for seconds."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        said = b""
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(pause)
            while more := connection.recv(65536):
                said += more
        except (BrokenPipeError, ConnectionResetError):
            pass
        return said


def test_a_request_that_comes_whole_is_answered(port: int) -> None:
    close = b"Connection: close\r\n"
    assert answer(port, ASK, close, b"\r\n", pause=0.05).endswith(b"read: ")
    assert answer(port, POST.replace(b"\r\n\r\n", b"\r\n" + close + b"\r\n"), b"01234", b"56789", pause=0.05).endswith(
        b"read: 0123456789"
    )
    long = b"X: " + b"a" * (LONGEST_HEAD - 200) + b"\r\n"
    assert b"200 OK" in answer(port, ASK, long, close, b"\r\n")


@pytest.mark.parametrize("start", [ASK + b"X: ", b"GET /", b"X"])
def test_a_head_without_end_is_refused(port: int, start: bytes) -> None:
    assert b"200 OK" not in answer(port, start, *[b"a" * 20_000] * 20, pause=0.001)


def test_a_long_head_is_told_so(port: int) -> None:
    said = answer(port, ASK, b"X: " + b"a" * LONGEST_HEAD, pause=0.1)
    assert said.startswith(b"HTTP/1.1 431 ")
    assert b'"code": "too_large"' in said


@pytest.mark.parametrize("start", [b"", b"GET", ASK])
def test_a_head_that_does_not_come_is_not_waited_for(port: int, start: bytes) -> None:
    assert answer(port, start).startswith(b"HTTP/1.1 408 ")


def test_a_second_head_on_a_connection_has_its_own_time(port: int) -> None:
    whole = ASK + b"\r\n"
    said = answer(port, whole, whole, ASK, pause=0.3)
    assert said.count(b"200 OK") == 2
    assert said.count(b"HTTP/1.1 408 ") == 1


def test_a_body_that_does_not_come_is_not_waited_for(port: int) -> None:
    said = answer(port, POST, b"0")
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b'"code": "too_slow"' in said


def test_a_client_that_leaves_is_no_error_of_ours(port: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "tightbudget.service")
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(POST + b"0")
        time.sleep(0.1)
    time.sleep(0.3)
    (told,) = caplog.records
    assert (told.message, told.event["status"]) == ("request", 499)


def test_the_service_is_run_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[uvicorn.Config] = []

    def start(server: uvicorn.Server, sockets: list[socket.socket]) -> None:
        seen.append(server.config)
        server.started = True

    monkeypatch.setattr(uvicorn.Server, "run", start)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        settings = settings_in(tmp_path)
        for name in settings.as_environment():
            monkeypatch.setenv(name, "")  # so that what is set here is taken back
        running.run(settings, listening)
    assert seen[0].http is LimitedHeads
