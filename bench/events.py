"""Random DpEvents beside dp_accounting's accountants: who is lower, and how long each takes (CPU time).

python bench/events.py [--count N] [--seed S]    # 1,000 events: some minutes, nearly all of them theirs
"""

import argparse
import random
import time
from collections import Counter
from typing import Any, NamedTuple

import dp_accounting
from dp_accounting import dp_event, pld, rdp

from tightbudget.adapters.dp_accounting import TightBudgetAccountant

Relation = dp_accounting.NeighboringRelation
ROOM = 1e-9  # relative: what their sums may be rounded down by
NARROWER = 1e-2  # times the tolerance, where theirs lies inside our bracket


class Case(NamedTuple):
    """An event both can express, under a relation, asked at a delta; the accountant of theirs that is sound for it."""

    event: dp_event.DpEvent
    count: int
    relation: Relation
    delta: float
    theirs: Any


def coarse_pld(neighboring_relation: Relation) -> pld.PLDAccountant:
    """Return their accountant for mixtures: on its usual grid it takes up to a minute for one of them."""
    return pld.PLDAccountant(neighboring_relation, value_discretization_interval=1e-2)


def random_case(draw: random.Random) -> Case:
    """Return an event that both can express, of moderate size so that theirs answers within seconds."""
    relation = draw.choice(list(Relation))
    noise, rate = draw.uniform(0.8, 8.0), 10 ** draw.uniform(-3, -0.5)
    count, delta = round(10 ** draw.uniform(0, 3)), 10 ** draw.uniform(-9, -3)
    gaussian, both = dp_event.GaussianDpEvent(noise), relation is not Relation.REPLACE_ONE
    sampled = dp_event.PoissonSampledDpEvent(rate, gaussian)
    kinds: list[tuple[dp_event.DpEvent, Any]] = [(gaussian, pld.PLDAccountant), (sampled, pld.PLDAccountant)] * 2
    size = draw.randint(50, 5000)
    capped = dp_event.TruncatedSubsampledGaussianDpEvent(size, rate, max(1, round(size * rate * 1.3)), noise)
    kinds.append((capped, pld.PLDAccountant))
    if both:
        kinds += [
            (dp_event.LaplaceDpEvent(noise * 4), pld.PLDAccountant),
            (dp_event.PoissonSampledDpEvent(rate, dp_event.LaplaceDpEvent(noise)), pld.PLDAccountant),
            (dp_event.DiscreteLaplaceDpEvent(0.5 / noise, draw.randint(1, 3)), pld.PLDAccountant),
            (dp_event.MixtureOfGaussiansDpEvent(noise, [0.0, 1.0, 2.0], [1 - rate, rate / 2, rate / 2]), coarse_pld),
            (dp_event.ComposedDpEvent([gaussian, sampled, dp_event.LaplaceDpEvent(noise * 9)]), pld.PLDAccountant),
            (dp_event.PoissonSampledDpEvent(rate, dp_event.ComposedDpEvent([gaussian] * 2)), rdp.RdpAccountant),
            (dp_event.ZCDpEvent(0.5 / noise**2), rdp.RdpAccountant),
        ]
    if relation is Relation.REPLACE_SPECIAL:
        kinds.append((dp_event.SingleEpochTreeAggregationDpEvent(noise, draw.randint(1, 100)), rdp.RdpAccountant))
    if relation is not Relation.ADD_OR_REMOVE_ONE:
        kinds.append((dp_event.RandomizedResponseDpEvent(draw.uniform(0.3, 0.95), draw.randint(2, 9)), rdp.RdpAccountant))
    event, theirs = draw.choice(kinds)
    if isinstance(event, dp_event.LaplaceDpEvent | dp_event.DiscreteLaplaceDpEvent | dp_event.ComposedDpEvent):
        count = min(count, 100)
    return Case(event, count, relation, delta, theirs)


class Outcome(NamedTuple):
    """What both say, and how long it took them."""

    lower: float
    upper: float
    theirs: float
    seconds: float
    their_seconds: float

    @property
    def kept(self) -> bool:
        """Whether our upper end is at most theirs, and so our lower end too."""
        return self.lower <= self.upper <= self.theirs * (1 + ROOM)


def compared(case: Case, rtol: float = 1e-8) -> Outcome:
    begun = time.process_time()
    bracket = TightBudgetAccountant(case.relation, rtol=rtol).compose(case.event, case.count).bracket_epsilon(case.delta)
    between = time.process_time()
    theirs = case.theirs(neighboring_relation=case.relation).compose(case.event, case.count).get_epsilon(case.delta)
    return Outcome(bracket.lower, bracket.upper, float(theirs), between - begun, time.process_time() - between)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rtol", type=float, default=1e-8, help="how narrow our brackets are, relatively")
    asked = parser.parse_args()
    draw, kinds, lost = random.Random(asked.seed), Counter[str](), Counter[str]()
    ours = theirs = 0.0
    again = 0
    for number in range(asked.count):
        case = random_case(draw)
        found = compared(case, asked.rtol)
        if not found.kept:  # by less than our bracket is wide: as narrow as it takes
            again += 1
            found = compared(case, NARROWER * asked.rtol)
        kind = f"{type(case.event).__name__} beside {case.theirs.__name__}"
        kinds[kind] += 1
        ours, theirs = ours + found.seconds, theirs + found.their_seconds
        if not found.kept:
            lost[kind] += 1
            print(f"{number}: {case} {found}", flush=True)
    for kind, count in sorted(kinds.items()):
        print(f"{kind:60} {count:5} events, {lost[kind]} with an upper end above theirs")
    print(f"{asked.count} events: {ours:.1f} s, theirs {theirs:.1f} s; {again} asked again for a narrower bracket")


if __name__ == "__main__":
    main()
