"""Two workers on PostgreSQL: many clients charge one budget at once, and not one charge too many is admitted."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.postgresql import new_database
from tests.support.running_service import running_service

import tightbudget as tb

pytestmark = pytest.mark.slow

STEP, CLIENTS, EACH = "gaussian(sigma=50)", 8, 20


def test_clients_of_two_workers_do_not_overspend(tmp_path: Path) -> None:
    room = tb.filters.ZCDPFilter(epsilon=1, delta="1e-6").remaining(tb.parse(STEP))
    assert room < CLIENTS * EACH
    with (
        new_database() as database,
        running_service(
            tmp_path, "--database", database.render_as_string(hide_password=False), "--workers", "2", "--processes", "1"
        ) as service,
        tb.client.connect(service.address, service.token) as ledger,
    ):
        budget = ledger.create_budget("hot", epsilon=1, delta="1e-6")

        def charge(client: int) -> Counter[str]:
            done: Counter[str] = Counter()
            with tb.client.connect(service.address, service.token) as own:
                for i in range(EACH):
                    try:
                        done[own.budget("hot").charge(STEP, key=f"{client}-{i}").state] += 1
                    except tb.BudgetRefused:
                        done["refused"] += 1
            return done

        with ThreadPoolExecutor(CLIENTS) as threads:
            total = sum(threads.map(charge, range(CLIENTS)), Counter[str]())
        assert total == {"committed": room, "refused": CLIENTS * EACH - room}
        assert budget.status(plan=False).charges == room
        assert ledger.verify(budget="hot").ok
