"""A service of its own, for whoever measures or shows it."""

import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def service(*options: str) -> Iterator[tuple[int, str, int]]:
    """Start a service on a free port; give the port, the first owner's token and the process."""
    with tempfile.TemporaryDirectory() as folder:
        rates = ["--anonymous-rate", "1000000", "--token-rate", "1000000"]
        command = [sys.executable, "-m", "tightbudget", "serve", "--port", "0", *rates, *options]
        environment = {**os.environ, "XDG_STATE_HOME": folder}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as process:
            try:
                assert process.stdout is not None
                said = process.stdout.readline() + process.stdout.readline()
                port = int(re.findall(r":(\d+)$", said, re.MULTILINE)[-1])
                _wait_until_ready(port)
                yield port, re.findall(r"shown only now: (tb_\S+)", said)[0], process.pid
            finally:
                process.terminate()


def _wait_until_ready(port: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            connection.request("GET", "/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise TimeoutError("the service is not ready")
