"""A privacy loss distribution that someone else made: an upper end only."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import probability, real
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import DEFAULT, relation_named
from tightbudget.numerics.mass import Mass
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.infinite_mass import InfiniteMass
from tightbudget.pairs.points import point_pair

_TINIEST_BITS = 1074  # every float is a whole number of 2^-1074
_MOST_TOTAL = Fraction(1, 10**6)  # by which masses may add up to more than 1: those of dp_accounting do by 2e-8
_MOST_EXCESS = Fraction(1, 10**9)  # by which those of B may: rounding does not do more
MOST_LOSS = 600.0
"""Size of the losses that are followed."""

_LIKELY_WRONG = (
    "Losses are ln(A/B), rounded up. A pessimistic PrivacyLossDistribution of dp_accounting, which is rounded, is read by "
    "tightbudget.adapters.dp_accounting.from_pld."
)
NO_NOTATION = "A loss distribution has none: keep its masses, and make it of them with tb.from_loss_distribution."


@dataclass(frozen=True, repr=False)
class LossDistribution(KeptPairs):
    """Losses and their masses under A, in one direction or both; made by `from_loss_distribution`.

    It has no notation: thousands of masses are no expression, and the name of a file would not be the numbers that were
    certified. It prints as what it is, `parse` says where it is made, and states that would have to name it are
    refused.
    """

    name: ClassVar[str] = "loss_distribution"
    attains_pair: ClassVar[bool] = False

    remove: tuple[tuple[float, float], ...]
    remove_infinity: float
    add: tuple[tuple[float, float], ...]
    add_infinity: float
    relation: str = DEFAULT

    def member(self) -> Mechanism:
        return PureDP(0.0)  # a list that only bounds a mechanism says nothing of what it reveals at least

    def _pair_in(self, direction: Direction) -> Pair | None:
        if direction is Direction.REMOVE:
            return _loss_pair(self.remove, self.remove_infinity)
        return _loss_pair(self.add, self.add_infinity)

    def in_numbers(self) -> Mechanism:
        raise InvalidParameter("mechanism", str(self), "one with a notation to be written down", NO_NOTATION)

    def __str__(self) -> str:
        return f"{self.name}(losses={len(self.remove)})"

    def __repr__(self) -> str:
        return f"LossDistribution(losses={len(self.remove)})"


def from_loss_distribution(
    remove: Mapping[float, float],
    infinity: float = 0.0,
    add: Mapping[float, float] | None = None,
    add_infinity: float | None = None,
    relation: str = DEFAULT,
) -> LossDistribution:
    """Return a mechanism that a privacy loss distribution bounds; `adapters.dp_accounting.from_pld` reads theirs.

    remove        the mass of A at each finite loss, where a record is removed
    infinity      the mass at infinite loss; what masses lack of 1 is added to it
    add           the same as `remove` where a record is added; without it they are the same
    add_infinity  the mass at infinite loss then; without it as `infinity`
    relation      the neighbouring relation that the distribution was made for

    Guarantee: upper ends hold for every mechanism that the distribution dominates in each direction and at every
    epsilon, negative ones included. Lower ends are those of a mechanism that reveals nothing.

    Python only: it has no notation, so the command line does not read it and the states of accountants and slots do not
    hold it; pickles do.

    >>> answer = from_loss_distribution({-1.0: 0.2689414, 1.0: 0.7310585}).delta(epsilon=0.5)
    >>> answer.lower, round(answer.upper, 4), answer.converged
    (0.0, 0.2876, False)
    """
    other = remove if add is None else add
    other_infinity = infinity if add is None or add_infinity is None else add_infinity
    return LossDistribution(
        _checked_loss_masses(remove),
        probability("infinity", infinity),
        _checked_loss_masses(other),
        probability("add_infinity", other_infinity),
        relation_named(relation),
    )


def _checked_loss_masses(masses: Any) -> tuple[tuple[float, float], ...]:
    """Return losses with their masses in order, or refuse what is no distribution."""
    if not isinstance(masses, Mapping):
        hint = _LIKELY_WRONG if hasattr(masses, "_pmf_remove") else ""
        must = "a mapping from losses to masses, as in {0.1: 0.5, -0.1: 0.5}"
        raise InvalidParameter("masses", type(masses).__name__, must, hint)
    made = []
    for loss, mass in masses.items():
        number = real("loss", loss, f"a number from -{MOST_LOSS:g} to {MOST_LOSS:g}")
        if not abs(number) <= MOST_LOSS:
            raise InvalidParameter("loss", loss, f"a number from -{MOST_LOSS:g} to {MOST_LOSS:g}", "Put more at infinity.")
        made.append((number, probability("mass", mass)))
    return tuple(sorted(made))


def _loss_pair(masses: tuple[tuple[float, float], ...], infinity: float) -> Pair | None:
    finite = [(loss, mass) for loss, mass in masses if mass > 0.0]
    total = _exact_sum([infinity, *(mass for _, mass in finite)])
    if total > 1 + _MOST_TOTAL:
        raise InvalidParameter("masses", float(total), "masses that add up to 1", "They are those of A, infinity included.")
    losses, log_a = np.array([loss for loss, _ in finite]), np.log(np.array([mass for _, mass in finite]))
    below = _exact_sum(np.exp(log_a - losses).tolist())
    if below > 1 + _MOST_EXCESS:
        raise InvalidParameter("masses", float(below), "such that sum(mass e^-loss) is at most 1", _LIKELY_WRONG)
    # masses that miss 1 are no better known than that
    doubt = float(max(total - 1, below - 1, Fraction(0)))
    return point_pair(
        ("loss distribution", masses, infinity),
        losses,
        log_a,
        log_a - losses,
        error=2.0 * doubt + 8.0 * U * (1.0 + np.abs(log_a) + np.abs(losses)),
        infinity=InfiniteMass(Mass.exactly(Fraction(infinity) + max(Fraction(0), 1 - total))),
        minus_infinity=InfiniteMass(Mass.exactly(max(Fraction(0), 1 - below))),
    )


def _exact_sum(values: list[float]) -> Fraction:
    """Return the sum of floats, as whole numbers of the smallest: thousands of fractions would take seconds."""
    ratios = map(float.as_integer_ratio, values)
    return Fraction(sum(numerator << (_TINIEST_BITS + 1 - whole.bit_length()) for numerator, whole in ratios), 2**_TINIEST_BITS)
