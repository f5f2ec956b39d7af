"""Decisions a second of each filter on one core: python bench/filters.py"""

import time

import tightbudget as tb
from tightbudget.filters import (
    AdvancedFilter,
    BasicFilter,
    GDPFilter,
    RDPFilter,
    ResidualFilter,
    SharpenedFilter,
    SlotFilter,
    WhitehouseFilter,
    ZCDPFilter,
)

STEPS = [tb.PureDP(epsilon) for epsilon in (0.01, 0.0123, 0.02, 1 / 300)]
LARGE = (10**6, 1e-6)  # a budget that does not run out meanwhile
FILTERS = {
    "basic": BasicFilter(*LARGE),
    "advanced": AdvancedFilter(*LARGE),
    "sharpened": SharpenedFilter(*LARGE),
    "whitehouse": WhitehouseFilter(*LARGE),
    "zcdp": ZCDPFilter(*LARGE),
    "rdp, one order": RDPFilter(*LARGE, orders=16),
    "rdp, 32 orders": RDPFilter(*LARGE, orders=range(2, 34)),
    "gdp": GDPFilter(*LARGE),
    "slots": SlotFilter(1, 1e-6, plan=tb.PureDP(0.02) * 100),
    "residual": ResidualFilter(1, 1e-6),
}
SECONDS = 1.0


def main() -> None:
    for name, budget in FILTERS.items():
        # the last two would run out: their decisions are quoted, the others spent
        decide = budget.quote if name in ("slots", "residual") else budget.spend
        for step in STEPS:
            decide(step)
        count, started = 0, time.process_time()
        while (seconds := time.process_time() - started) < SECONDS:
            for step in STEPS:
                decide(step)
            count += len(STEPS)
        print(f"{name:16} {count / seconds:>10,.0f} decisions a second")


if __name__ == "__main__":
    main()
