"""Filters of every kind, made anew at each call: with plain budgets, with tight ones and with ample ones."""

from collections.abc import Callable

import tightbudget as tb
from tightbudget import filters
from tightbudget.filters import Filter

Maker = Callable[[], Filter]

PLAIN: list[Maker] = [
    lambda: filters.BasicFilter(1, 1e-6),
    lambda: filters.AdvancedFilter(1, 1e-6),
    lambda: filters.SharpenedFilter(1, 1e-6),
    lambda: filters.WhitehouseFilter(1, 1e-6),
    lambda: filters.ZCDPFilter(1, 1e-6),
    lambda: filters.RDPFilter(1, 1e-6, orders=[4, 16]),
    lambda: filters.GDPFilter(1, 1e-6),
    lambda: filters.ResidualFilter(1, 1e-6),
    lambda: filters.SlotFilter(1, 1e-6, plan=tb.PureDP(0.1) * 3),
]

# a few steps are refused; amounts as text, as fractions and as floats
TIGHT: list[Maker] = [
    lambda: filters.BasicFilter("1", "1e-6"),
    lambda: filters.AdvancedFilter(2, 1e-6, or_basic=True),
    lambda: filters.SharpenedFilter(2, 1e-6, delta_for_steps=1e-7),
    lambda: filters.WhitehouseFilter(1.5, 1e-6, delta_for_steps=1e-7, or_basic=True),
    lambda: filters.ZCDPFilter(1, 1e-6, delta_for_steps="1/10000000"),
    lambda: filters.RDPFilter(
        1, 1e-6, orders=[2.5, 8, "100/3"], weights=[0.2, "1/3", 0.1], delta_for_steps=1e-7, or_basic=True
    ),
    lambda: filters.GDPFilter(1, 1e-6, delta_for_steps=1e-7),
    lambda: filters.ResidualFilter(1, 1e-6, delta_for_steps=1e-7, step=2**-7),
    lambda: filters.SlotFilter(1, 1e-6, plan=tb.PureDP(0.1) * 4 + tb.Gaussian(30) * 4, delta_for_steps=1e-7),
]

# steps so large that one of the sums is infinite are still admitted
AMPLE: list[Maker] = [
    lambda: filters.BasicFilter(1000, 1e-6),
    lambda: filters.AdvancedFilter(1000, 1e-6, or_basic=True),
    lambda: filters.SharpenedFilter(1000, 1e-6, delta_for_steps=1e-7, or_basic=True),
    lambda: filters.WhitehouseFilter(1000, 1e-6, delta_for_steps=1e-7, or_basic=True),
    lambda: filters.ZCDPFilter(1000, 1e-6, delta_for_steps=1e-7, or_basic=True),
    lambda: filters.RDPFilter(10, 1e-6, orders=[2, 4, 8], delta_for_steps=1e-7),
    lambda: filters.RDPFilter(10, 1e-6, orders=[1.5, 64], delta_for_steps=1e-7, or_basic=True),
    lambda: filters.GDPFilter(10, 1e-6, delta_for_steps=1e-7),
    lambda: filters.ResidualFilter(10, 1e-6, delta_for_steps=1e-7),
    lambda: filters.SlotFilter(10, 1e-6, plan=tb.Gaussian(20) * 5 + tb.PureDP(0.1) * 3, delta_for_steps=1e-7),
]
