"""How long the service takes over HTTP: medians of `epsilon` for common cases, new questions and repeated ones.

python bench/service.py starts a service of its own on a free port and prints a table.
"""

import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

CASES = {
    "Gaussian, 512 steps": "gaussian(sigma={}) * 512",
    "DP-SGD, 65,536 steps": "poisson(gaussian(sigma={}), q=0.01) * 65536",
    "Gaussian and Laplace": "gaussian(sigma={}) * 512 + laplace(scale=200) * 100",
}
ROUNDS = 60


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tightbudget", "serve", "--port", "0", "--anonymous-rate", "1000000"]
        environment = {**os.environ, "XDG_STATE_HOME": folder}
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        ) as process:
            try:
                assert process.stdout is not None
                port = int(re.findall(r":(\d+)$", [process.stdout.readline() for _ in range(2)][-1])[0])
                _measure(port)
            finally:
                process.terminate()


def _measure(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    print(f"{'case':24} {'new, p50 ms':>12} {'p90 ms':>8} {'again, p50 ms':>14}")
    for name, template in CASES.items():
        questions = [template.format(4 + i / 1000) for i in range(ROUNDS)]
        new, again = ([_milliseconds(connection, question) for question in questions] for _ in range(2))
        tenth = statistics.quantiles(new, n=10)[-1]
        print(f"{name:24} {statistics.median(new):12.1f} {tenth:8.1f} {statistics.median(again):14.1f}")


def _milliseconds(connection: http.client.HTTPConnection, expression: str) -> float:
    body = json.dumps({"expression": expression, "delta": 1e-6})
    started = time.perf_counter()
    connection.request("POST", "/v1/epsilon", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200
    return 1e3 * (time.perf_counter() - started)


if __name__ == "__main__":
    main()
