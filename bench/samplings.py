"""Every sampling and derived mechanism beside `poisson(gaussian)` at the same count and tolerance, and beside a peer.

    python bench/run.py --only samplings       # all of them, as a table: some three minutes
    python bench/samplings.py --only zcdp      # those whose notation contains this

Numbers differ a little from run to run, so that nothing is remembered from one to the next; one thread, the least of
several CPU times. A step and the base are asked in turns, so that what else the machine does falls on both. A peer
whose answer takes seconds is asked about one count, and none once the time is up.
"""

import argparse
import importlib.util
import math
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import tightbudget as tb
from one_thread import in_one_thread
from tightbudget.numerics.bracket import Bracket

DELTA = 1e-6
COUNTS = (1, 100, 10_000)
RUNS = 50  # turns: on a machine that others use too, the least of few is chance
TOLERANCES = (1e-3, 1e-6)
MOST = 3.0  # times the time of BASE
LONG = 2.0  # seconds, after which a time is not taken again: a first answer may take three times as long as others
DEAR = 2.0  # seconds of a peer, after which it is not asked about other counts
DEAREST = "mixture_of_gaussians"  # to the peer: it takes 20 seconds, and is asked last
ENOUGH = 60.0  # seconds of peers, after which none is asked
BASE = "poisson(gaussian(sigma={s}), q=0.01)"
STEPS = (
    BASE,
    'poisson(gaussian(sigma={s}), q=0.01, relation="replace_one")',
    "poisson(laplace(scale={s}), q=0.01)",
    'poisson(laplace(scale={s}), q=0.01, relation="replace_one")',
    'poisson(discrete_gaussian(sigma={s}), q=0.01, relation="replace_one")',
    "poisson(discrete_gaussian(sigma={s}, sensitivity=2, dimension=8), q=0.01)",
    "poisson(zcdp(rho={s}), q=0.01)",
    "mixture_of_gaussians(sigma={s}, centres=[0, 1, 2], probabilities=[0.98, 0.015, 0.005])",
    "group(poisson(gaussian(sigma={s}), q=0.01), k=3)",
    "truncated_poisson(gaussian(sigma={s}), q=0.01, cap=128, examples=10000)",
    'truncated_poisson(gaussian(sigma={s}), q=0.01, cap=128, examples=10000, relation="replace_one")',
    'truncated_poisson(gaussian(sigma={s}), q=0.01, cap=128, examples=10000, relation="zero_out")',
    "without_replacement(gaussian(sigma={s}, sensitivity=0.5), batch=100, examples=10000)",
    'without_replacement(gaussian(sigma={s}, sensitivity=0.5), batch=100, examples=10000, relation="replace_one")',
    'without_replacement(gaussian(sigma={s}, sensitivity=0.5), batch=100, examples=10000, relation="zero_out")',
    'with_replacement(gaussian(sigma={s}, sensitivity=0.5), batch=100, examples=10000, relation="add_remove")',
    "with_replacement(gaussian(sigma={s}, sensitivity=0.5), batch=100, examples=10000)",
    "random_allocation(gaussian(sigma={s}), batches=100)",
    "shuffled_batches(gaussian(sigma={s}), batches=100)",
    "exponential(epsilon={s})",
    "permute_and_flip(epsilon={s})",
    "report_noisy_max(epsilon={s})",
    "sparse_vector(threshold_epsilon={s}, query_epsilon=0.5)",
    "zcdp(rho={s})",
    "rdp(alpha=[2, 4, 8, 16, 32], epsilon=[{s}, 2, 4, 8, 16])",
    "shuffled(epsilon0={s}, users=10000)",
    "randomized_response(p=0.6{d})",
    "skellam(mu={s})",
    "tree_aggregation(sigma={s}, steps=64)",
)
EXCEPTED = ("random_allocation",)  # which has its cost stated, and no limit


@dataclass(frozen=True)
class Row:
    """One step at one count: brackets and times at both tolerances, how often the base's time that is, and a peer's."""

    step: str
    count: int
    answer: Bracket
    times: tuple[float, float]
    ratios: tuple[float, float]
    peer: str = ""
    peer_epsilon: float = math.nan
    peer_time: float = math.nan

    @property
    def excepted(self) -> bool:
        return self.step.startswith(EXCEPTED)

    @property
    def met(self) -> bool:
        return max(self.ratios) <= MOST


_fresh = iter(range(1, 10**6))


def text_of(step: str, count: int) -> str:
    """Return the notation of a step, repeated, with numbers that were not asked about before."""
    small = next(_fresh)
    return f"{step.replace('{s}', repr(1.0 + 1e-7 * small)).replace('{d}', f'{small:07d}')} * {count}"


def cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def asked_in_turns(step: str, count: int, rtol: float, runs: int) -> tuple[float, float, Bracket]:
    """Return the least times of an answer and of the base's, of at most `runs` turns each, and the last answer."""
    found: list[Bracket] = []

    def ask(text: str) -> None:
        found.append(tb.parse(text).epsilon(delta=DELTA, rtol=rtol))

    turns: list[tuple[float, float]] = []
    while not turns or (len(turns) < runs and sum(map(sum, turns)) < LONG):
        base, text = text_of(BASE, count), text_of(step, count)
        turns.append((cpu(lambda text=base: ask(text)), cpu(lambda text=text: ask(text))))
    return min(own for _, own in turns), min(base for base, _ in turns), found[-1]


def rows(asked: str, runs: int) -> Iterator[Row]:
    """Yield our rows."""
    for step in STEPS:
        if asked in step:
            asked_in_turns(step, 1, 1e-3, 2)  # whatever is made at first use
            for count in COUNTS:
                (coarse, base, answer), (fine, fine_base, _) = (asked_in_turns(step, count, rtol, runs) for rtol in TOLERANCES)
                yield Row(step, count, answer, (coarse, fine), (coarse / base, fine / fine_base))


# --- dp-accounting ---------------------------------------------------------------------------------------------------


def with_peer(row: Row) -> Row:
    """Return the row with what dp-accounting says of the same event, if it has it."""
    import dp_accounting as dp
    from dp_accounting import dp_event
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    replaced = 'relation="replace_one"' in row.step or row.step.startswith("randomized")
    relation = dp.NeighboringRelation.REPLACE_ONE if replaced else dp.NeighboringRelation.ADD_OR_REMOVE_ONE
    noise, half = dp_event.GaussianDpEvent(1.0), dp_event.GaussianDpEvent(2.0)
    events = {
        "poisson(gaussian": dp_event.PoissonSampledDpEvent(0.01, noise),
        "poisson(laplace(scale={s}), q=0.01)": dp_event.PoissonSampledDpEvent(0.01, dp_event.LaplaceDpEvent(1.0)),
        "poisson(zcdp": dp_event.PoissonSampledDpEvent(0.01, dp_event.ZCDpEvent(1.0)),
        "mixture_of_gaussians": dp_event.MixtureOfGaussiansDpEvent(1.0, [0.0, 1.0, 2.0], [0.98, 0.015, 0.005]),
        "truncated_poisson": dp_event.TruncatedSubsampledGaussianDpEvent(10_000, 0.01, 128, 1.0),
        "without_replacement": dp_event.SampledWithoutReplacementDpEvent(10_000, 100, half),
        "zcdp": dp_event.ZCDpEvent(1.0),
        "tree_aggregation": dp_event.SingleEpochTreeAggregationDpEvent(1.0, 64),
    }
    # The RDP accountant takes the noise multiplier under REPLACE_ONE for that of a replaced record, and does not double
    # the sensitivity: noise of 1 on a query of sensitivity 1/2, which replacing moves by 1, is a multiplier of 1 to it.
    by_rdp = {"without_replacement": dp_event.SampledWithoutReplacementDpEvent(10_000, 100, noise)} if replaced else {}
    for start, event in events.items():
        if row.step.startswith(start) and 'relation="zero_out"' not in row.step:
            for name, make, asked in (
                ("PLD", lambda: PLDAccountant(relation), event),
                ("RDP", lambda: RdpAccountant(neighboring_relation=relation), by_rdp.get(start, event)),
            ):
                accountant = make()
                if accountant.supports(asked):
                    return _asked(row, name, make, asked)
    return row


def _asked(row: Row, name: str, make: Callable[[], object], event: object) -> Row:
    found: list[float] = []

    def ask() -> None:
        accountant = make()
        accountant.compose(event, row.count)
        found.append(float(accountant.get_epsilon(DELTA)))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        taken = cpu(ask)
        if taken < LONG:  # else what is made at first use does not matter
            taken = min(cpu(ask) for _ in range(3))
    return Row(row.step, row.count, row.answer, row.times, row.ratios, name, found[-1], taken)


def with_peers(found: list[Row], begun: float) -> Iterator[Row]:
    """Yield the rows with the peer's answers: every step at the first count, then those that are quick at others."""
    if importlib.util.find_spec("dp_accounting") is None:
        yield from found
        return
    made = dict[tuple[str, int], Row]()
    for row in sorted(found, key=lambda row: (row.step.startswith(DEAREST), COUNTS.index(row.count))):
        before = [one.peer_time for (step, _), one in made.items() if step == row.step and one.peer]
        late = time.perf_counter() - begun > ENOUGH or max(before, default=0.0) > DEAR
        made[row.step, row.count] = row if late else with_peer(row)
    yield from (made[row.step, row.count] for row in found)


def measure(runs: int = RUNS, asked: str = "") -> list[Row]:
    """Return all rows, with the peer's answers where it is installed."""
    found = list(rows(asked, runs))
    return list(with_peers(found, time.perf_counter()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="steps whose notation contains this")
    parser.add_argument("--runs", type=int, default=RUNS, help="turns, at most")
    options = parser.parse_args()
    for row in measure(options.runs, options.only):
        times = "  ".join(f"{1e3 * t:8.1f} ms {r:5.1f}x" for t, r in zip(row.times, row.ratios, strict=True))
        peer = f"{row.peer} {row.peer_epsilon:.6g} in {1e3 * row.peer_time:.0f} ms" if row.peer else ""
        print(
            f"{row.step[:90]:90} {row.count:6} {row.answer!s:22} {times} {'' if row.met or row.excepted else '!'} {peer}",
            flush=True,
        )


if __name__ == "__main__":
    in_one_thread()
    main()
