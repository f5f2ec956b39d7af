"""Clients of a ledger, each a process of its own, that can be killed at any moment and started again.

    python ledger_clients.py '{"url": …, "budgets": […], "clients": 16, "count": 9, "kills": 2, "folder": …, "seed": 1}'

A client works through its keys in order. What it was told by the ledger it appends to a file at once, as a client would
release its result then. After a kill another takes its place and begins with the first key that has no answer yet,
which may have been charged all the same: the ledger knows it by its key. Prints how many were killed.
"""

import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tightbudget as tb
from tightbudget.ledger import Ledger, SigningKey

STEP = "pure_dp(epsilon=0.001)"
PATIENCE = 120.0


def plan_of(name: str, place: int) -> str:
    """Return what a client does with its key number `place`."""
    return random.Random(f"{name} {place}").choices(("charge", "commit", "abort"), (7, 2, 1))[0]


def client(spec: dict[str, Any], name: str) -> None:
    """Work through all keys that have no answer yet."""
    file = Path(spec["folder"]) / name
    told = file.read_bytes() if file.exists() else b""
    done = told.count(b"\n")
    source = random.Random(f"{spec['seed']} {name} {done}")
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.write(out, told[: told.rfind(b"\n") + 1])  # without a line that was cut short
    ledger = patiently(lambda: Ledger(spec["url"], patience=PATIENCE))
    for place in range(done, spec["count"]):
        names = spec["budgets"]
        name_of_budget = names[place % len(names)]
        budget = patiently(lambda: ledger.budget(name_of_budget))  # noqa: B023
        os.write(out, answer(budget, f"{name} {place}", plan_of(name, place), source).encode() + b"\n")
    ledger.close()


def patiently(work: Callable[[], Any]) -> Any:
    """Wait for a server that is being restarted; a ledger does so itself once it is open."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return work()
        except tb.LedgerUnavailable:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def answer(budget: Any, key: str, plan: str, source: random.Random) -> str:
    """Charge once, sometimes asking twice, and return what the ledger said."""
    try:
        receipt = budget.charge(STEP, key=key) if plan == "charge" else budget.reserve(STEP, key=key)
        if plan == "commit":
            receipt = budget.commit(key)
        if plan == "abort":
            receipt = budget.abort(key)
    except tb.BudgetRefused:
        return json.dumps([key, "refused", ""])
    except tb.KeyReused:  # it was aborted, and the client killed before it was told
        assert plan == "abort"
        receipt = budget.abort(key)
    if plan != "abort" and source.random() < 0.1:
        assert budget.charge(STEP, key=key) == receipt
    return json.dumps([key, receipt.state, receipt.hash])


def main(spec: dict[str, Any]) -> int:
    """Keep all clients busy until they are done; kill so many of them, and others take their places."""
    source = random.Random(spec["seed"])
    SigningKey.new()  # loads what children would load one by one
    running: dict[int, str] = {}
    waiting = [f"client {number}" for number in range(spec["clients"])]
    killed = 0
    until = time.monotonic() + spec.get("seconds", 600.0)
    while running or waiting:
        while waiting:
            name = waiting.pop()
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    client(spec, name)
                    code = 0
                except BaseException:
                    traceback.print_exc()
                finally:
                    os._exit(code)
            running[child] = name
        if killed < spec["kills"]:
            time.sleep(source.uniform(0.0, 0.15))
            os.kill(source.choice(list(running)), signal.SIGKILL)
        child, status = os.waitpid(-1, 0 if killed >= spec["kills"] else os.WNOHANG)
        if child:
            name = running.pop(child)
            if os.WIFSIGNALED(status):
                killed += 1
                waiting.append(name)
            elif status:
                raise SystemExit(f"{name} failed")
        if time.monotonic() > until:
            for child in running:
                os.kill(child, signal.SIGKILL)
            raise SystemExit("the clients took too long")
    return killed


if __name__ == "__main__":
    print(main(json.loads(sys.argv[1])))
