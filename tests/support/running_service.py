"""The service as its users run it: the command in a process of its own, on a free port of this machine."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2


@dataclass
class Running:
    """A service that runs: its address, the first owner's token, and its process."""

    address: str
    token: str
    process: subprocess.Popen[str]
    folder: Path

    def ask(self, kind: str, token: str = "", **body: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx2.post(f"{self.address}/v1/{kind}", json=body, headers=headers, timeout=60, verify=False)

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(f"{self.address}{path}", headers=headers, timeout=60, verify=False)

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def log(self) -> list[dict[str, Any]]:
        lines = (self.folder / "log").read_text().splitlines(keepends=True)
        return [_read_line(line) for line in lines if line.endswith("\n")]  # the last one may still be being written

    def end(self, how: int = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(timeout=60)


def _read_line(line: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(line)
    except json.JSONDecodeError:
        raise AssertionError(f"a line of the log is no JSON: {line!r}") from None
    return found


@contextmanager
def running_service(folder: Path, *options: str, **environment: str) -> Iterator[Running]:
    """Start the service, wait until it answers, and end it; its state and log are in the folder."""
    command = [sys.executable, "-m", "tightbudget", "serve", "--port", "0", *options]
    with (folder / "log").open("a") as log:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "XDG_STATE_HOME": str(folder), **environment},
        )
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        token = re.search(r"shown only now: (tb_\S+)", said)
        address = re.search(r"Listening on (\S+)", process.stdout.readline() if token else said)
        assert address, (folder / "log").read_text()
        running = Running(address[1], token[1] if token else "", process, folder)
        _wait_until_ready(running)
        yield running
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=60)
        process.stdout.close()


def _wait_until_ready(running: Running) -> None:
    until = time.monotonic() + 60
    while running.process.poll() is None and time.monotonic() < until:
        try:
            if running.get("/ready").status_code == 200:
                return
        except httpx2.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError((running.folder / "log").read_text())
