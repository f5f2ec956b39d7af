"""What an attacker can do: the power of tests between two neighbours, and what follows from it (M23)."""

import math
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.divergences import gdp, pure_epsilon, pure_to_gdp
from tightbudget.errors import InvalidParameter
from tightbudget.lazy import found_at
from tightbudget.mechanisms.arrays import ask_each, float_array
from tightbudget.mechanisms.checks import asked_width, not_lost_to_zero, real
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.questions import NEGLIGIBLE_WIDTH
from tightbudget.notation import composition_given
from tightbudget.numerics.bracket import Bracket
from tightbudget.tradeoff.both_directions import TradeOff
from tightbudget.tradeoff.gdp import least_mu
from tightbudget.tradeoff.odds import belief_after, error_of_best_guess, log_odds_against, log_ratio
from tightbudget.tradeoff.roc import Roc

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TRIES = 4  # at a delta that is narrow enough
_NARROWEST = 1e-13  # delta that can be hoped for
_USUAL_RATES = (0.01, 0.001)  # false positives that audits report
_CHANCE = "a number from 0 to 1"


def risk(c: Composable | str, *, rtol: float = 1e-3, effort: float | None = None, relation: str | None = None) -> "Risk":
    """Return what an attacker can do who sees what the composition, or that of its notation, releases.

    Each number is a bracket. `relation` is the neighbouring relation, by default the one that the steps state.

    >>> from tightbudget import Gaussian
    >>> print(risk(Gaussian(sigma=1.0)).tpr(fpr=0.01))
    [0.092..., 0.092...]
    """
    private = composition_given("c", c)
    relative, _, work = asked_width(rtol, 0.0, effort)
    return Risk(private.asked(relation), relative, work)


@dataclass(frozen=True)
class Risk:
    """The attack risk of a composition: an attacker tells from the release which of two neighbours it was made from.

    A test has a true and a false positive rate, TPR and FPR. All numbers are for the best test between the worst two
    neighbours, whichever of the two is the suspicion; rounding is included. `rtol` says how narrow brackets should be,
    relative to the upper end; `effort` as in `delta`.
    """

    composition: Composable
    rtol: float = 1e-3
    effort: float | None = None

    def __post_init__(self) -> None:
        self.composition.check_proven()

    @property
    def relation(self) -> str:
        """The neighbouring relation the answers are for."""
        return self.composition.answers_for

    def __str__(self) -> str:
        return f"risk of {self.composition} ({self.relation})"

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_record

        rates = ((f"TPR at FPR {fpr:g}, in", self.tpr(fpr)) for fpr in _USUAL_RATES)
        return html_record([("advantage in", self.advantage()), *rates], str(self))

    @overload
    def tpr(self, fpr: float, rtol: float | None = ...) -> Bracket: ...
    @overload
    def tpr(self, fpr: ArrayLike, rtol: float | None = ...) -> Any: ...
    def tpr(self, fpr: Any, rtol: float | None = None) -> Any:
        """Return the largest true positive rate of a test with the false positive rate given; arrays give arrays.

        The upper end bounds the trade-off curve of f-DP (the hull of both directions), the lower end is attained by a
        test between two neighbours (M23).
        """
        wanted = self._wanted(rtol)
        return ask_each(fpr, lambda value: self._tpr(_risk_probability("fpr", value), wanted))

    def advantage(self, rtol: float | None = None) -> Bracket:
        """Return the membership advantage, the largest TPR - FPR of any test: total variation, delta(0)."""
        return self.composition.delta(0.0, self._wanted(rtol), NEGLIGIBLE_WIDTH, self.effort)

    @overload
    def bayes_error(self, prior: float, rtol: float | None = ...) -> Bracket: ...
    @overload
    def bayes_error(self, prior: ArrayLike, rtol: float | None = ...) -> Any: ...
    def bayes_error(self, prior: Any, rtol: float | None = None) -> Any:
        """Return how often the best guess is wrong: the least prior FNR + (1 - prior) FPR of any test."""
        wanted = self._wanted(rtol)
        return ask_each(prior, lambda value: self._bayes_error(_risk_probability("prior", value), wanted))

    @overload
    def posterior(self, prior: float, fpr: float | None = ..., rtol: float | None = ...) -> Bracket: ...
    @overload
    def posterior(self, prior: ArrayLike, fpr: float | None = ..., rtol: float | None = ...) -> Any: ...
    def posterior(self, prior: Any, fpr: float | None = None, rtol: float | None = None) -> Any:
        """Return what an attacker can come to believe who held the suspicion with probability `prior` before.

        With `fpr`: after a positive answer of the best test with this false positive rate. Without: after the most
        telling outcome there is, however rare, which the largest loss decides; it is 1 where losses have no bound, as
        for Gaussian noise.
        """
        wanted = self._wanted(rtol)
        rate = None if fpr is None else _risk_probability("fpr", fpr)
        return ask_each(prior, lambda value: self._posterior(_risk_probability("prior", value), rate, wanted))

    def gdp_mu(self, down_to: float = 0.0, rtol: float | None = None) -> Bracket:
        """Return the least mu for which mu-GDP dominates: N(mu, 1) and N(0, 1) are as easy to tell apart, or easier.

        With `down_to`: for the tests whose two error rates are at least that. Tests with ever smaller rates decide
        about all of them: for sampled Gaussian noise mu is then that without sampling, which says little about tests
        that occur; 1e-5 is a usual choice. inf if no mu does.
        """
        wanted, least = self._wanted(rtol), _risk_probability("down_to", down_to)
        if least > 0.0 and not least < 0.5:
            raise InvalidParameter("down_to", down_to, "a number, 0 or more and below 0.5", "1e-5 is a usual choice.")
        known = min(gdp(self.composition), pure_to_gdp(pure_epsilon(self.composition)))
        lower, upper, reason = least_mu(self.composition, wanted, self.effort, least, known)
        return Bracket(lower, upper, not reason, reason, self.relation)

    def roc(self, fprs: "ArrayLike", rtol: float | None = None) -> Roc:
        """Return lower and upper bounds of the true positive rate at each of the false positive rates."""
        given = np.atleast_1d(float_array(fprs))
        rates, wanted = [_risk_probability("fprs", value) for value in given.ravel().tolist()], self._wanted(rtol)
        values = np.array(rates).reshape(given.shape)
        trade_off = TradeOff(self.composition, self.effort)
        found = {rate: self._tpr(rate, wanted, trade_off) for rate in sorted(set(rates))}
        converged = all(answer.converged for answer in found.values())
        # the rate grows, so each bound also holds on one side of its own point
        lower = dict(zip(found, accumulate((one.lower for one in found.values()), max), strict=True))
        falling = accumulate((one.upper for one in reversed(found.values())), min)
        upper = dict(zip(reversed(found), falling, strict=True))
        ends = [np.array([end[rate] for rate in rates]).reshape(values.shape) for end in (lower, upper)]
        return Roc(values, ends[0], ends[1], converged, self.relation)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the trade-off curve as a band, which holds between its points too, and return the Matplotlib axes.

        Without `ax` they are new ones, which a notebook shows and `.figure.savefig` writes; pyplot is not used.
        """
        axes: Axes = found_at("tightbudget.interfaces.risk_plot:plot_risk")(self, ax)
        return axes

    def _wanted(self, rtol: float | None) -> float:
        return self.rtol if rtol is None else asked_width(rtol, 0.0)[0]

    def _tpr(self, fpr: float, rtol: float, trade_off: TradeOff | None = None) -> Bracket:
        if fpr == 1.0:
            return Bracket(1.0, 1.0, relation=self.relation)
        if fpr == 0.0:
            return self.composition.delta(math.inf, rtol, NEGLIGIBLE_WIDTH, self.effort)
        lower, upper, reason = (trade_off or TradeOff(self.composition, self.effort)).tpr(fpr, rtol)
        return Bracket(lower, upper, not reason, reason, self.relation)

    def _bayes_error(self, prior: float, rtol: float) -> Bracket:
        chance = min(prior, 1.0 - prior)  # 1 - prior is exact where it is the smaller
        if chance == 0.0:
            return Bracket(0.0, 0.0, relation=self.relation)
        least, most = log_odds_against(chance)
        wanted = rtol
        for _ in range(_TRIES):
            high, low = (self.composition.delta(one, wanted, NEGLIGIBLE_WIDTH, self.effort) for one in (least, most))
            lower, upper = error_of_best_guess(chance, high.upper)[0], error_of_best_guess(chance, low.lower)[1]
            if upper - lower <= rtol * upper or upper == lower:
                return Bracket(lower, min(upper, chance), relation=self.relation)
            wanted *= max(0.3 * rtol * upper / (upper - lower), 1e-6)
            if wanted < _NARROWEST or not (high.converged and low.converged):  # to ask for more is in vain
                break
        return Bracket(lower, min(upper, chance), False, high.reason or low.reason or _NEAR_ONE, self.relation)

    def _posterior(self, prior: float, fpr: float | None, rtol: float) -> Bracket:
        if prior in (0.0, 1.0):
            return Bracket(prior, prior, relation=self.relation)
        if fpr is None or fpr == 0.0:
            loss = self.composition.epsilon(0.0, rtol, NEGLIGIBLE_WIDTH, self.effort)
            ratios = loss.lower, loss.upper
            reason = loss.reason
        else:
            power = self._tpr(fpr, rtol)
            ratios = log_ratio(power.lower, fpr)[0], log_ratio(power.upper, fpr)[1]
            reason = power.reason
        lower, upper = belief_after(prior, ratios[0])[0], belief_after(prior, ratios[1])[1]
        narrow = upper - lower <= rtol * upper
        return Bracket(lower, upper, narrow, "" if narrow else reason, self.relation)


_NEAR_ONE = "delta is so near 1 that what is left has no more digits"


def _risk_probability(name: str, value: object) -> float:
    number = not_lost_to_zero(name, value, real(name, value, _CHANCE), _CHANCE)
    if not 0.0 <= number <= 1.0:
        raise InvalidParameter(name, value, _CHANCE, "It is a probability.")
    return number
