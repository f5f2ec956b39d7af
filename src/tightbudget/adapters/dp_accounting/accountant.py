"""An accountant for whoever has code for dp_accounting's: the same questions, answered with certified bounds."""

import copy
import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.adapters.dp_accounting.asked_before import delta_of, epsilon_of
from tightbudget.adapters.dp_accounting.reading import NON_PRIVATE, UnsupportedEvent, from_event
from tightbudget.adapters.dp_accounting.relations import THEIRS, our_relation
from tightbudget.adaptive.sharing import Locks, lock_of
from tightbudget.errors import InvalidParameter, MissingExtra
from tightbudget.mechanisms import Composable, Composition
from tightbudget.mechanisms.checks import asked_width, probability
from tightbudget.numerics.bracket import Bracket
from tightbudget.tradeoff.risk import risk
from tightbudget.training.accountant import Accountant

try:
    from dp_accounting import privacy_accountant
except ImportError:
    raise MissingExtra("dp-accounting", "dp-accounting") from None

NeighboringRelation = privacy_accountant.NeighboringRelation
_Details = privacy_accountant.PrivacyAccountant.CompositionErrorDetails
_COMPOSING: Locks = {}
_MANY = 2**40  # of one event; fewer than 8192 times as many can be counted
_TESTS = 1e-5  # least error rate of the tests that an estimate of mu is for, unless rates are given
_THEIR_LEAST_RATE = 1e-12  # theirs, unless rates are given: mu is infinite if more of the loss is


class TightBudgetAccountant(privacy_accountant.PrivacyAccountant):  # type: ignore[misc]  # it ships no types
    """A PrivacyAccountant of dp_accounting whose answers are the certified upper ends of brackets.

    neighboring_relation  as everywhere in dp_accounting; each event must be
                          known under it
    rtol                  how narrow brackets should be, relative to the upper
                          end; usually 1e-5

    `compose`, `get_epsilon` and `get_delta` are those of dp_accounting, and take and return what they do there; so
    `calibrate_dp_mechanism` and libraries that build DpEvents need nothing else. Besides there are brackets. Threads
    may share one, as they may an `Accountant`; a copy, a pickle and a forked child go their own ways, ledger and all.

    >>> import dp_accounting
    >>> accountant = TightBudgetAccountant()
    >>> event = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.1))
    >>> accountant.compose(event, 1000).get_epsilon(1e-5)
    1.51536...
    """

    def __init__(self, neighboring_relation: Any = NeighboringRelation.ADD_OR_REMOVE_ONE, *, rtol: float = 1e-5) -> None:
        self._relation = our_relation(neighboring_relation)
        super().__init__(NeighboringRelation[THEIRS[self._relation]])
        self._rtol = asked_width(rtol, 0.0)[0]
        self._accountant = Accountant()

    def compose(self, event: Any, count: int = 1) -> Self:
        """Count an event, or `count` of them; what cannot be counted raises, and is not in the ledger either."""
        with lock_of(_COMPOSING):  # the ledger, which is dp_accounting's, takes no care of threads
            super().compose(event, count)
        return self

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def supports(self, event: Any) -> bool:
        try:
            return bool(super().supports(event))
        except InvalidParameter:  # a number in it that is none of its kind
            return False

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        try:
            steps = from_event(event, self._relation)
        except UnsupportedEvent as problem:
            return _Details(invalid_event=problem.event, error_message=str(problem))
        if do_compose:
            self._accountant.step(steps, count=count)
        elif type(count) is int and count > _MANY:  # before it is in the ledger: so many may be too many
            copy.copy(self._accountant).step(steps, count=count)
        return None

    @property
    def composition(self) -> Composition:
        """All that was composed so far."""
        return self._accountant.composition

    def bracket_epsilon(self, target_delta: float) -> Bracket:
        """Return a bracket of the smallest epsilon at a delta.

        Its upper end is rounded up to three decimal digits more than the tolerance promises, unless delta is 0. So a
        search for a target of few digits hits it, and ends; between two trials that differ by less it would go on.
        """
        return epsilon_of(self._accountant.composition, self._relation, target_delta, self._rtol)

    def bracket_delta(self, target_epsilon: float) -> Bracket:
        """Return a bracket of the smallest delta at an epsilon."""
        return delta_of(self._accountant.composition, self._relation, target_epsilon, self._rtol)

    def get_epsilon(self, target_delta: float) -> float:
        """Return the certified upper end of epsilon. Where a release was not private it is inf at every delta."""
        upper = self.bracket_epsilon(target_delta).upper
        return math.inf if self._reveals else upper

    def get_delta(self, target_epsilon: float) -> float:
        """Return the certified upper end of delta. Where a release was not private it is 1 at every epsilon."""
        upper = self.bracket_delta(target_epsilon).upper
        return 1.0 if self._reveals else upper

    def get_true_positive_rates(self, false_positive_rates: ArrayLike, deltas: ArrayLike | None = None) -> Any:
        """Return upper bounds on the true positive rates of attacks with these false positive rates.

        `deltas` are taken for the sake of those who pass them, and have no effect.
        """
        upper = risk(self._asked, rtol=self._rtol).roc(false_positive_rates).upper
        return float(upper[0]) if np.ndim(false_positive_rates) == 0 else upper

    def get_gdp_parameter_estimate(
        self, false_positive_rates: ArrayLike | None = None, deltas: ArrayLike | None = None
    ) -> float:
        """Return an upper bound on the least mu of mu-GDP for tests whose error rates are at least `_TESTS`.

        If `false_positive_rates` are given, the smallest of them replaces `_TESTS`. The bound holds for all such tests,
        not for some of them. As in dp_accounting, it is inf if the loss is infinite with a probability above the
        smallest rate, or above 1e-12 if no rates are given.
        """
        given = [] if false_positive_rates is None else np.ravel(np.asarray(false_positive_rates, dtype=float)).tolist()
        rates = [probability("false_positive_rates", rate) for rate in given]
        least = min((rate for rate in rates if 0.0 < rate < 0.5), default=_TESTS)
        rare = min([least, *rates]) if rates else _THEIR_LEAST_RATE
        if self._reveals or self._asked.delta(math.inf).upper > rare:
            return math.inf
        asked = risk(self._asked)
        try:
            return asked.gdp_mu(down_to=least).upper
        except InvalidParameter:  # tests that tell so much have no two error rates this large: all tests, then
            return asked.gdp_mu().upper

    @property
    def _asked(self) -> Composable:
        return self._accountant.composition.asked(self._relation)

    @property
    def _reveals(self) -> bool:
        return any(mechanism == NON_PRIVATE for mechanism, _ in self._accountant.composition.items)
