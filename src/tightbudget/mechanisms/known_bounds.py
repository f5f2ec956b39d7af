"""What is known of any mechanism by its pairs: moments, rho of zCDP, mu of GDP, domination (decision 0016).

Every default is sound. A mechanism that has a theorem of its own overrides a method whose name begins with `known`, or
one of the properties; it never has to.
"""

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tightbudget.mechanisms.stated import Promise, Ratio
from tightbudget.numerics.remembered import remembered
from tightbudget.numerics.rounding import TINIEST, float_above, raised
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.moments.concentrated import pure_mu, pure_rho, steepest_rho
from tightbudget.pairs.moments.events import Events

if TYPE_CHECKING:
    from tightbudget.mechanisms.mechanism import Mechanism
    from tightbudget.mechanisms.renyi_promises import MomentPromise


class Known:
    """The questions that Rényi, zCDP and GDP accounting, filters and comparisons ask of one step."""

    def pair(self, direction: Direction) -> Pair | None:
        """Return the dominating pair in a direction, or None if the mechanism reveals nothing."""
        raise NotImplementedError

    def member(self) -> "Mechanism":
        """Return a mechanism that can occur where this one stands."""
        raise NotImplementedError

    @property
    def absent_if_zeroed(self) -> bool:
        """Whether a record that contributes nothing leaves no trace, as if it were not there: so for additive noise."""
        return False

    @property
    def replaced_in_samples(self) -> bool:
        """Whether `sampled_replacement` is known."""
        return False

    def sampled_replacement_of(self, direction: Direction, q: float) -> Pair | None:
        """Return the pair of `sampled_replacement` in one direction, where the two differ."""
        return self.sampled_replacement(q)

    def sampled_replacement(self, q: float) -> Pair | None:
        """Return the pair of one record replaced by another, run on a Poisson sample at rate 0 < q < 1.

        It serves both directions; None if the mechanism reveals nothing. Three laws count here, those with either
        record and that without, so that no pair of a replacement alone leads to it.
        """
        raise NotImplementedError

    # What kind of mechanism it is

    @property
    def is_class(self) -> bool:
        """Whether it stands for a class, so that the lower end composed is that of one member (decision 0008)."""
        return self.member() != self

    @property
    def subsamples(self) -> bool:
        """Whether it runs another mechanism on a random sample of the records."""
        return False

    @property
    def whole(self) -> "Mechanism":
        """The mechanism that is run on a sample, of others itself."""
        return self  # type: ignore[return-value]

    @property
    def reveals_nothing(self) -> bool:
        """Whether both distributions are the same: pairs round no loss down to none."""
        return all(self.pair(direction) is None for direction in Direction)

    @property
    def reveals_everything(self) -> bool:
        """Whether it is known to show all there is; by its parameters, since pairs may round up to it."""
        return False

    def in_numbers(self) -> "Mechanism":
        """Return the mechanism without the names of files it was read from."""
        return self  # type: ignore[return-value]

    # Numbers as they were given

    @property
    def promise(self) -> Promise | None:
        """The (epsilon, delta) of a mechanism of which nothing else is known."""
        return None

    @property
    def stated_epsilon(self) -> Ratio | None:
        """Its epsilon, where the parameters say it without rounding."""
        return None

    @property
    def moment_promise(self) -> "MomentPromise | None":
        """What it promises of Rényi divergences in both directions, where nothing more is known (M34)."""
        return None

    @property
    def normal_noise(self) -> Ratio | None:
        """Shift over scale, where it is as hard to see through as normal noise, no more and no less."""
        return None

    # Pure differential privacy

    @property
    def pure_epsilon(self) -> float:
        """The smallest epsilon with delta = 0, rounded up; inf if losses are unbounded or infinite."""
        pairs = self._pairs_known
        if len(pairs) == 1 or any(pair.infinity.possible for pair in pairs):  # one direction says nothing of the other
            return math.inf
        return max([0.0, *(pair.max_loss for pair in pairs)])

    @property
    def loss_range(self) -> float:
        """How much the loss of any two neighbours may vary, rounded up.

        It lies between minus the largest loss of one direction and the largest of the other.
        """
        pairs = self._pairs_known
        # a pair may count as infinite what lies beyond its finite losses, though the mechanism's have an end
        if math.isinf(self.pure_epsilon) or len(pairs) < 2 or any(pair.infinity.possible for pair in pairs):
            return 2.0 * self.pure_epsilon
        losses = [max(0.0, pair.max_loss) for pair in pairs]
        return float_above(sum(map(Fraction, losses), start=Fraction(0)))

    @property
    def _pairs_known(self) -> list[Pair]:
        return [pair for pair in map(self.pair, Direction) if pair is not None]

    # Rényi moments

    def log_moment(self, direction: Direction, orders: Array) -> Array:
        """Return upper bounds on log E_A e^{(a-1)L} = (a-1) D_a at orders a > 1; inf where it is infinite or not known.

        >>> from tightbudget import Gaussian
        >>> Gaussian(sigma=1.0).log_moment(Direction.REMOVE, np.array([3.0]))
        array([3.])
        """
        pair = self.pair(direction)
        if pair is None:
            return np.zeros(orders.size)
        if pair.infinity.possible:
            return np.full(orders.size, np.inf)
        with np.errstate(over="ignore"):
            largest = raised((orders - 1.0) * pair.max_loss, 4)
            least = np.minimum(largest, self.known_log_moment(pair, direction, orders))
            return np.maximum(least, TINIEST)  # a little is not nothing

    def known_log_moment(self, pair: Pair, direction: Direction, orders: Array) -> Array:
        """Return upper bounds on the log moments of a mechanism with finite losses; `pair` is that of the direction."""
        return pair.log_moment(orders)

    def events(self, direction: Direction, reach: float) -> Events:
        """Return finitely many events with moments at least as large; normal laws are resolved to `reach` sigmas."""
        pair = self.pair(direction)
        assert pair is not None  # a mechanism that reveals nothing has no pair when subsampled either
        return pair.events(reach)

    # Zero-concentrated and Gaussian differential privacy

    def zcdp_rho(self, direction: Direction) -> float:
        """Return rho with D_a <= rho a at every order in one direction, rounded up; inf if we know of none."""
        return _least_rho(self, direction)

    def known_rho(self, pair: Pair, direction: Direction) -> float:
        """Return a rho that a theorem gives, rounded up; inf if there is none."""
        return pair.zcdp_rho

    def gdp_mu(self) -> float:
        """Return mu such that N(mu, 1) and N(0, 1) are as easy to tell apart, rounded up; inf if we know of none."""
        pairs = self._pairs_known
        return min(pure_mu(self.pure_epsilon), self.known_mu()) if pairs else 0.0

    def known_mu(self) -> float:
        """Return a mu that a theorem gives for both directions, rounded up; inf if there is none."""
        pairs = self._pairs_known
        return max(pair.gdp_mu for pair in pairs) if pairs else 0.0

    # Domination

    def dominates(self, step: "Mechanism") -> bool:
        """Whether the step is known to be a post-processing of this mechanism, whatever the data; False if in doubt.

        Every rule is exact: numbers are compared as the rationals that the floats are, or by bounds rounded to the safe
        side (M15).
        """
        if self == step or step.reveals_nothing or self.reveals_everything:
            return True
        return self.known_to_dominate(step) or step.known_below(self)

    def known_to_dominate(self, step: "Mechanism") -> bool:
        """Whether a theorem about this mechanism says that it dominates the step."""
        return False

    def known_below(self, slot: "Known") -> bool:
        """Whether a theorem about this mechanism says that the slot dominates it."""
        return False


@remembered(512)
def _least_rho(step: Known, direction: Direction) -> float:
    """Return the least rho known for one step: each of the bounds holds, so the smallest does."""
    pair = step.pair(direction)
    if pair is None:
        return 0.0
    if pair.infinity.possible:
        return math.inf
    epsilon = step.pure_epsilon
    bounds = [pure_rho(epsilon), step.known_rho(pair, direction)]
    if epsilon < math.inf and pair.max_loss > 0.0:
        bounds.append(steepest_rho(lambda orders: step.log_moment(direction, orders), pair.max_loss))
    return max(min(bounds), TINIEST)  # a little is not nothing
