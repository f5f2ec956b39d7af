"""Random events beside dp_accounting: its sound accountants are never below our bracket (bench/events.py has more)."""

import random

import pytest
from bench.events import compared, random_case


@pytest.mark.parametrize("seed", range(4))
def test_their_bound_is_not_below_ours(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(8):
        case = random_case(draw)
        found = compared(case, rtol=1e-6)
        assert found.lower <= found.upper
        assert found.lower <= found.theirs * (1 + 1e-9), case
        assert found.upper <= found.theirs * (1 + 2e-6), case
