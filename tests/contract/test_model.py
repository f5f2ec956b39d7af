"""A budget against a model of it, in a page: whatever is asked in whatever order, both agree."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test
from sqlalchemy import URL
from tests.support.postgresql import new_schema

import tightbudget as tb
from tightbudget.ledger import Ledger

STEPS = {f"pure_dp(epsilon={tenths / 10})": Fraction(tenths, 10) for tenths in (1, 2, 3)}
KEYS = st.sampled_from(["a", "b", "c", "d", "e", "f"])
NAMES = st.sampled_from(["whole", "part"])
TTL = 100.0


class Model:
    """Budgets as dictionaries: what each key stands for, in which state, until when."""

    def __init__(self) -> None:
        self.limits = {"whole": Fraction(1), "part": Fraction(1, 2)}
        self.charges: dict[tuple[str, str], list[Any]] = {}  # step, state, time of expiry
        self.closed: set[str] = set()

    def spent(self, name: str) -> Fraction:
        counted = [STEPS[step] for (at, _), (step, state, _) in self.charges.items()
                   if state in ("reserved", "committed") and (at == name or name == "whole")]  # fmt: skip
        return sum(counted, Fraction(0))

    def charge(self, name: str, key: str, step: str, now: float, ttl: float | None) -> str:
        if (name, key) in self.charges:
            known = self.charges[name, key]
            if known[0] != step or known[1] in ("aborted", "refunded"):
                return "KeyReused"
            if ttl is None:
                known[1] = "committed"
            return str(known[1])
        for each in ("whole",) if name == "whole" else ("whole", "part"):
            if each in self.closed:
                return "BudgetClosed"
            if self.spent(each) + STEPS[step] > self.limits[each]:
                return "ChargeRefused"
        self.charges[name, key] = [step, "committed" if ttl is None else "reserved", now + (ttl or 0.0)]
        return str(self.charges[name, key][1])

    def settle(self, name: str, key: str, how: str, now: float) -> str:
        if (name, key) not in self.charges:
            return "UnknownCharge"
        known = self.charges[name, key]
        if known[1] == how:
            return how
        if known[1] == "reserved" and how == "aborted" and now >= known[2]:
            known[1] = "committed"
            return "ChargeSettled"
        if known[1] != ("committed" if how == "refunded" else "reserved"):
            return "ChargeSettled"
        known[1] = how
        return how


class Ledgers(RuleBasedStateMachine):
    url = ""

    def __init__(self) -> None:
        super().__init__()
        self.now, self.model = 1e9, Model()
        self.ledger = Ledger(self.url, clock=lambda: self.now)
        self.ledger.create_budget("whole", epsilon=1, delta=0, filter="basic").split("part", epsilon="0.5", delta=0)

    def told(self, work: Any) -> str:
        try:
            return str(work().state)
        except tb.LedgerError as problem:
            return type(problem).__name__

    @rule(name=NAMES, key=KEYS, step=st.sampled_from(sorted(STEPS)), held=st.booleans())
    def charge(self, name: str, key: str, step: str, held: bool) -> None:
        budget = self.ledger.budget(name)
        expected = self.model.charge(name, key, step, self.now, TTL if held else None)
        ask = (lambda: budget.reserve(step, key=key, ttl=TTL)) if held else (lambda: budget.charge(step, key=key))
        assert self.told(ask) == expected

    @rule(name=NAMES, key=KEYS, how=st.sampled_from(["committed", "aborted", "refunded"]))
    def settle(self, name: str, key: str, how: str) -> None:
        budget = self.ledger.budget(name)
        ways = {"committed": budget.commit, "aborted": budget.abort, "refunded": lambda key: budget.refund(key, "unsent")}
        assert self.told(lambda: ways[how](key)) == self.model.settle(name, key, how, self.now)

    @rule(name=NAMES, steps=st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3), start=KEYS)
    def batch(self, name: str, steps: list[str], start: str) -> None:
        keys = [f"{start}{place}" for place in range(len(steps))]
        before = {pair: list(charge) for pair, charge in self.model.charges.items()}
        expected = [self.model.charge(name, key, step, self.now, None) for key, step in zip(keys, steps, strict=True)]
        wrong = [each for each in expected if each != "committed"]
        if wrong:
            self.model.charges = before
        told = self.told(lambda: self.ledger.budget(name).charge_all(steps, keys=keys)[0])
        assert told in (wrong or ["committed"])

    @rule(seconds=st.sampled_from([1.0, 60.0, TTL]))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def expire(self) -> None:
        late = [charge for charge in self.model.charges.values() if charge[1] == "reserved" and self.now >= charge[2]]
        assert self.ledger.expire() == len(late)
        for charge in late:
            charge[1] = "committed"

    @precondition(lambda self: len(self.model.charges) > 4)
    @rule(name=NAMES)
    def close(self, name: str) -> None:
        self.ledger.budget(name).close()
        self.model.closed.add(name)

    @rule()
    def open_again(self) -> None:
        self.ledger.close()
        self.ledger = Ledger(self.url, clock=lambda: self.now)

    @invariant()
    def sums_agree(self) -> None:
        for name in self.model.limits:
            status = self.ledger.budget(name).status()
            assert status.spent["epsilon"] + status.reserved["epsilon"] == self.model.spent(name)

    def teardown(self) -> None:
        for (name, key), (step, state, _) in self.model.charges.items():
            receipt = self.ledger.budget(name).receipt(key)
            assert (receipt.increment, receipt.state) == (step, state)
        report = self.ledger.verify()
        self.ledger.close()
        assert report.ok, report


@pytest.fixture(params=["sqlite", "postgresql"])
def fresh(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Something that gives a new address at each call."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        if request.param == "sqlite":
            yield lambda: f"sqlite:///{Path(stack.enter_context(TemporaryDirectory())) / 'budget.db'}"
        else:
            database: URL = request.getfixturevalue("_database")
            yield lambda: stack.enter_context(new_schema(database))


def test_a_budget_does_what_its_model_does(fresh: Any) -> None:
    class Fresh(Ledgers):
        @property
        def url(self) -> str:  # type: ignore[override]
            if not hasattr(self, "_url"):
                self._url: str = fresh()
            return self._url

    run_state_machine_as_test(Fresh, settings=settings(stateful_step_count=20, phases=[Phase.generate]))
