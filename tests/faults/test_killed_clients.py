"""Many clients at once, some of which are killed: nothing is lost, doubled or overspent."""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support import ledger_clients
from tests.support.ledger_clients import STEP, plan_of
from tests.support.long_runs import scaled

import tightbudget as tb
from tightbudget.ledger import Ledger

EACH = Fraction(1, 1000)


class Clients:
    """A run of clients and what they were told."""

    def __init__(self, url: str, folder: Path, **spec: Any) -> None:
        folder.mkdir()
        self.folder = folder
        self.spec = {"url": url, "budgets": ["census"], "kills": 0, "folder": str(folder), "seed": 1, "seconds": 3000.0, **spec}
        command = [sys.executable, str(Path(ledger_clients.__file__)), json.dumps(self.spec)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def killed(self) -> int:
        """Wait for the end, and return how many were killed."""
        out, errors = self.process.communicate()
        assert self.process.returncode == 0, errors
        return int(out)

    def told(self) -> list[tuple[str, str, str]]:
        return [tuple(json.loads(line)) for file in self.folder.iterdir() for line in file.read_text().splitlines()]


def check(ledger: Ledger, told: list[tuple[str, str, str]], names: list[str]) -> Counter[str]:
    """Every receipt that was handed out is in the log, each charge once, and the sums are those of the log."""
    report = ledger.verify()
    assert report.ok, report
    with ledger._database.reading() as connection:
        hashes = {bytes(row[0]).hex() for row in connection.exec_driver_sql("SELECT hash FROM entries")}
    assert not [key for key, state, hash in told if state != "refused" and hash not in hashes]
    states: dict[str, str] = {}
    for name in names:
        budget = ledger.budget(name)
        here = {entry.key: entry.state for entry in budget.history() if entry.is_charge}
        committed = Counter(here.values())["committed"]
        status = budget.status()
        assert status.spent["epsilon"] + status.reserved["epsilon"] == EACH * (committed + Counter(here.values())["reserved"])
        assert status.spent["epsilon"] <= Fraction(budget.terms.epsilon)
        assert not set(here) & set(states)  # a key was charged in one place
        states.update(here)
    assert {key: states.get(key, "refused") for key, _, _ in told} == {key: state for key, state, _ in told}
    return Counter(states.values())


def test_many_processes_lose_and_double_nothing(url: str, tmp_path: Path) -> None:
    processes, count = scaled(6, 16), scaled(40, 10_000)
    with Ledger(url) as ledger:
        ledger.create_budget("census", epsilon=processes * count, delta=0, filter="basic")
        clients = Clients(url, tmp_path / "told", clients=processes, count=count)
        assert clients.killed() == 0
        told = clients.told()
        assert len(told) == processes * count
        states = check(ledger, told, ["census"])
        aborts = sum(plan_of(*key.rsplit(" ", 1)[:1], int(key.rsplit(" ", 1)[1])) == "abort" for key, _, _ in told)
        assert states == {"committed": len(told) - aborts, "aborted": aborts}


def test_many_processes_never_overspend(url: str, tmp_path: Path) -> None:
    processes, count = scaled(6, 16), scaled(20, 1000)
    room = processes * count // 2
    with Ledger(url) as ledger:
        ledger.create_budget("census", epsilon=str(Fraction(room, 1000)), delta=0, filter="basic")
        clients = Clients(url, tmp_path / "told", clients=processes, count=count)
        clients.killed()
        states = check(ledger, clients.told(), ["census"])
        assert states["committed"] <= room
        assert ledger.budget("census").remaining(STEP) == room - states["committed"] < processes
        assert any(state == "refused" for _, state, _ in clients.told())


def test_threads_share_one_ledger(url: str) -> None:
    threads, count = scaled(16, 16), scaled(8, 2000)
    room = threads * count - 10
    refused: list[str] = []
    with Ledger(url) as ledger:
        budget = ledger.create_budget("census", epsilon=str(Fraction(room, 1000)), delta=0, filter="basic")

        def work(number: int) -> None:
            for place in range(count):
                try:
                    budget.charge(STEP, key=f"{number} {place}")
                    assert budget.charge(STEP, key=f"{number} {place}").state == "committed"
                except tb.BudgetRefused:
                    refused.append(f"{number} {place}")

        everyone = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for each in everyone:
            each.start()
        for each in everyone:
            each.join()
        assert len(refused) == 10
        assert budget.remaining(STEP) == 0
        report = ledger.verify()
        assert (report.ok, report.charges) == (True, room)


def test_clients_are_killed_at_any_moment(url: str, tmp_path: Path) -> None:
    kills = scaled(6, 200)
    with Ledger(url) as ledger:
        names = ["census", "survey"]
        for name in names:
            ledger.create_budget(name, epsilon=1000, delta=0, filter="basic")
        clients = Clients(url, tmp_path / "told", clients=4, count=scaled(400, 6000), kills=kills, budgets=names)
        assert clients.killed() >= kills
        told = clients.told()
        assert len(told) == 4 * clients.spec["count"]
        states = check(ledger, told, names)
        assert states["reserved"] == 0


def test_a_killed_server_loses_nothing_it_confirmed(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Kill -9 of a process of the server, which makes it cut all connections, and of the server as a whole."""
    from tests.support.postgresql import new_database

    server = request.getfixturevalue("own_server")
    backends, servers = scaled(2, 170), scaled(1, 40)
    with new_database(server.url) as address:
        url = address.render_as_string(hide_password=False)
        with Ledger(url) as ledger:
            ledger.create_budget("census", epsilon=1_000_000, delta=0, filter="basic")
        clients = Clients(url, tmp_path / "told", clients=4, count=scaled(60, 20_000))
        killed = place = 0
        while killed < backends + servers and clients.process.poll() is None:
            time.sleep(0.1 + 0.4 * ((place * 0.618) % 1.0))
            if place % (backends // servers + 1) == 1:
                server.kill_all()
                server.start_again()
                killed += 1
            else:  # right after a crash nobody may be connected
                killed += server.kill_a_backend(address.database)
                server.wait()
            place += 1
        clients.killed()
        with Ledger(url) as ledger:
            told = clients.told()
            assert len(told) == 4 * clients.spec["count"]
            assert check(ledger, told, ["census"])["reserved"] == 0
        assert killed >= scaled(2, 200)


def test_a_ledger_is_opened_while_its_server_starts(request: pytest.FixtureRequest) -> None:
    from tests.support.postgresql import new_database

    server = request.getfixturevalue("own_server")
    with new_database(server.url) as address:
        url = address.render_as_string(hide_password=False)
        Ledger(url).close()
        server.kill_all()
        starting = threading.Timer(0.5, server.start_again)
        starting.start()
        with Ledger(url) as ledger:
            assert ledger.names() == []
        starting.join()


@pytest.fixture
def rejecting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, str, Ledger, Ledger]]:
    """A server that answers, and takes no connections, as while it recovers; two ledgers, one of little patience."""
    from tests.support.postgresql import new_database, run_outside

    server = request.getfixturevalue("own_server")
    monkeypatch.setattr("tightbudget.ledger.storage.postgresql.STARTING", 0.5)  # of silence: this one answers
    with new_database(server.url) as address:
        url = address.render_as_string(hide_password=False)
        with Ledger(url) as patient, Ledger(url, patience=1.0) as hasty:
            patient.create_budget("census", epsilon=1, delta=0, filter="basic")
            assert hasty.names() == ["census"]
            run_outside(server.url, "ALTER SYSTEM SET hot_standby = off")
            server.kill_all()
            starting = server.start_rejecting()
            try:
                yield server, url, patient, hasty
            finally:
                if server.rejects():
                    server.let_go()
                starting.join()
                run_outside(server.url, "ALTER SYSTEM RESET hot_standby")


def test_a_server_that_recovers_is_waited_for(rejecting: tuple[Any, str, Ledger, Ledger]) -> None:
    server, url, _, _ = rejecting
    with pytest.raises(tb.LedgerUnavailable):
        Ledger(url, patience=1.0)
    threading.Timer(2.0, server.let_go).start()
    with Ledger(url) as ledger:
        assert ledger.names() == ["census"]


def test_reports_wait_for_a_server_that_recovers(rejecting: tuple[Any, str, Ledger, Ledger]) -> None:
    server, _, patient, hasty = rejecting
    with pytest.raises(tb.LedgerUnavailable):
        hasty.names()
    threading.Timer(2.0, server.let_go).start()
    assert patient.names() == ["census"]
    assert patient.budget("census").status().charges == 0
    assert hasty.names() == ["census"]


def test_a_server_that_is_not_there_is_not_waited_for_for_long() -> None:
    started = time.monotonic()
    with pytest.raises(tb.LedgerUnavailable):
        Ledger("postgresql://nobody@127.0.0.1:1/none", patience=0.5)
    assert time.monotonic() - started < 5.0
