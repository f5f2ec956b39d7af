"""Repeat a mechanism a random number of times and release the best answer, as in private tuning (M39)."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probability, real, whole_count
from tightbudget.mechanisms.composition import Composition
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.one_run import OneRun
from tightbudget.mechanisms.one_sample import OneSample
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import Relations
from tightbudget.numerics.rounding import float_above, raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.best_of_runs import best_of_runs_pair, scored_by_loss_pair, slopes_apart
from tightbudget.pairs.points import REMEMBERED, PointPair
from tightbudget.pairs.runs import BinomialRuns, NegativeBinomial, PoissonRuns, Runs

_TAKES = {
    "geometric": ("mean or gamma", ({"mean"}, {"gamma"})),
    "logarithmic": ("gamma", ({"gamma"},)),
    "negative_binomial": ("eta and gamma", ({"eta", "gamma"},)),
    "poisson": ("mean", ({"mean"},)),
    "binomial": ("trials and p", ({"trials", "p"},)),
}
LAWS_OF_RUNS = tuple(_TAKES)
"""The laws that the number of runs may have, the usual one first."""
_MOST_RUNS = 1e12
_FEWEST_RUNS = 1e-100


@dataclass(frozen=True)
class RepeatAndSelect(KeptPairs):
    """Run a mechanism a random number of times, and release the best answer.

    mechanism  what is run: a mechanism, or a composition, such as all steps
               of training; every run includes the score that its answer is
               judged by
    runs       the law of the number of runs: geometric, logarithmic,
               negative_binomial, poisson or binomial; usually geometric
    mean       how many runs there are on average: geometric, 1 or more, and
               poisson, 0 or more
    gamma      above 0, up to 1: geometric, with 1/gamma runs on average,
               logarithmic, negative_binomial
    eta        above -1: negative_binomial; 1 is geometric, 0 logarithmic
    trials     how many runs there may be: binomial
    p          how likely each of them is, from 0 to 1: binomial

    Neighbours: the relation of the mechanism. Nothing but the best answer is
    released: not how many runs there were. It stands for a class: the upper
    end holds for every score, the lower end is that of one.

    >>> from tightbudget import Gaussian, RepeatAndSelect
    >>> tuned = RepeatAndSelect(Gaussian(sigma=2), runs="geometric", mean=10)
    >>> print(tuned.delta(epsilon=2))
    [9.37...e-5, 0.0396...]
    """

    name: ClassVar[str] = "repeat_and_select"
    attains_pair: ClassVar[bool] = False

    mechanism: Mechanism
    runs: str = "geometric"
    mean: float | None = field(default=None, kw_only=True)
    gamma: float | None = field(default=None, kw_only=True)
    eta: float | None = field(default=None, kw_only=True)
    trials: int | None = field(default=None, kw_only=True)
    p: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        self._check_parameters()
        if isinstance(self.mechanism, Composition):
            object.__setattr__(self, "mechanism", _as_one_run(self.mechanism))
        if not isinstance(self.mechanism, Mechanism):
            raise InvalidParameter("mechanism", self.mechanism, "a mechanism, or a composition for several in one run")
        self._check_runs()

    def _check_runs(self) -> None:
        if not isinstance(self.runs, str) or self.runs not in _TAKES:
            raise InvalidParameter("runs", self.runs, f"one of {', '.join(_TAKES)}")
        said, allowed = _TAKES[self.runs]
        given = {name for name in ("mean", "gamma", "eta", "trials", "p") if getattr(self, name) is not None}
        if given not in allowed:
            shown = ", ".join(sorted(given)) or "nothing"
            raise InvalidParameter("runs", f"{self.runs} with {shown}", f"given with {said}")
        if self.mean is not None:
            least = 1.0 if self.runs == "geometric" else _FEWEST_RUNS
            within = f"a number from {least:g} to {_MOST_RUNS:g}{', or 0' if least < 1.0 else ''}"
            mean = real("mean", self.mean, within)
            if not (least <= mean <= _MOST_RUNS or (mean == 0.0 and least < 1.0)):
                raise InvalidParameter("mean", self.mean, within)
        if self.gamma is not None and not probability("gamma", self.gamma) >= 1.0 / _MOST_RUNS:
            raise InvalidParameter("gamma", self.gamma, f"a number from {1.0 / _MOST_RUNS:g} to 1")
        if self.eta is not None and not -1.0 < real("eta", self.eta, "a number above -1, up to 1000") <= 1000.0:
            raise InvalidParameter("eta", self.eta, "a number above -1, up to 1000", "1 is geometric, 0 logarithmic.")
        if self.trials is not None and self.p is not None:
            self._check_trials(whole_count(self.trials, "trials"), probability("p", self.p))

    def _check_trials(self, trials: int, p: float) -> None:
        if trials > _MOST_RUNS:
            raise InvalidParameter("trials", self.trials, f"a whole number from 0 to {_MOST_RUNS:g}")
        if 0.0 < p < _FEWEST_RUNS:
            raise InvalidParameter("p", self.p, f"0, or from {_FEWEST_RUNS:g} to 1")
        if p == 1.0 and trials > 1:
            hint = "The best of so many runs hides no more than all of them: write mechanism * trials."
            raise InvalidParameter("p", self.p, "below 1 where there are several trials", hint)

    @property
    def law(self) -> Runs | None:
        """The law of the number of runs; None if there is always one, or none."""
        if self.runs == "poisson":
            return PoissonRuns(float(self.mean or 0.0)) if self.mean else None
        if self.runs == "binomial":
            assert self.trials is not None
            assert self.p is not None
            return BinomialRuns(int(self.trials), float(self.p)) if self.trials and 0.0 < self.p < 1.0 else None
        odds = Fraction(self.mean) - 1 if self.mean is not None else 1 / Fraction(self.gamma or 1) - 1
        eta = {"geometric": 1.0, "logarithmic": 0.0}.get(self.runs, self.eta)
        return NegativeBinomial(float_above(odds), float(eta or 0.0)) if odds > 0 else None

    @property
    def never_runs(self) -> bool:
        return 0 in (self.trials, self.p) or (self.runs == "poisson" and self.mean == 0)

    @cached_property
    def relations(self) -> Relations:
        return self.mechanism.relations

    def _under(self, relation: str) -> Mechanism | None:
        known = relation in self.mechanism.known_relations
        return replace(self, mechanism=self.mechanism.under(relation)) if known else None

    def in_numbers(self) -> Mechanism:
        return replace(self, mechanism=self.mechanism.in_numbers())

    def _pair_in(self, direction: Direction) -> Pair | None:
        if self.law is None:
            return None if self.never_runs else self.mechanism.pair(direction)
        there, back = self._base_pairs(direction)
        return None if there is None and back is None else _selected_pair(self.law, there, back)

    def _base_pairs(self, direction: Direction) -> tuple[Pair | None, Pair | None]:
        """Return the pairs of one run in a direction and in the other."""
        remove, add = (self.mechanism.pair(way) for way in Direction)
        return (remove, add) if direction is Direction.REMOVE else (add, remove)

    # A ratio of densities is at most that of one run times that of two slopes.

    @property
    def pure_epsilon(self) -> float:
        once = self.mechanism.pure_epsilon
        if self.law is None or once in (0.0, math.inf):
            return 0.0 if self.never_runs else once
        return raised(once + max(slopes_apart(self.law, *self._base_pairs(way)) for way in Direction), 4)

    def log_moment(self, direction: Direction, orders: Array) -> Array:
        promised = PureDP(self.pure_epsilon).log_moment(direction, orders)
        return np.minimum(super().log_moment(direction, orders), promised)

    def zcdp_rho(self, direction: Direction) -> float:
        return min(super().zcdp_rho(direction), PureDP(self.pure_epsilon).zcdp_rho(direction))

    def gdp_mu(self) -> float:
        return min(super().gdp_mu(), PureDP(self.pure_epsilon).gdp_mu())

    def member(self) -> Mechanism:
        inner = self.mechanism.member()
        return inner if self.law is None and not self.never_runs else ScoredByLoss(replace(self, mechanism=inner))

    def composed_member(self) -> Composition | None:
        # with a score that is drawn at random the best run is any one of them, if there always is one
        runs_always = isinstance(self.law, NegativeBinomial) or (self.law is None and not self.never_runs)
        return self.mechanism.composed_member() if runs_always else None


@dataclass(frozen=True)
class ScoredByLoss(KeptPairs):
    """The best of several runs of a mechanism that attains its pair, with its privacy loss for a score."""

    name: ClassVar[str] = "scored_by_loss"

    selection: RepeatAndSelect

    @cached_property
    def relations(self) -> Relations:
        return self.selection.relations

    def _pair_in(self, direction: Direction) -> Pair | None:
        base, law = self.selection.mechanism.pair(direction), self.selection.law
        if base is None or law is None:
            return None
        # with the same score for both directions it is the loss of one, and minus that of the other
        made = _scored_pair(law, base, rising=direction is Direction.REMOVE)
        # If no mass is known well enough to count, the step is left out: beside others it would leave nothing of them.
        return made if made.points().size or made.infinity.possible else None


def _as_one_run(composition: Composition) -> Mechanism:
    """Return a composition as one mechanism, by its pair where it has one."""
    try:
        return OneSample(composition)
    except InvalidParameter:
        return OneRun(composition)


@REMEMBERED.remember
def _scored_pair(law: Runs, base: Pair, rising: bool) -> PointPair:
    return scored_by_loss_pair(("scored by loss", law, base, rising), law, base, rising)


@REMEMBERED.remember
def _selected_pair(law: Runs, there: Pair | None, back: Pair | None) -> PointPair:
    made = best_of_runs_pair(("best of runs", law, there, back), law, there, back)
    assert made is not None  # one run reveals something
    return made
