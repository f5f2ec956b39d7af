"""What a step costs in each currency: its epsilon, its rho, its Rényi divergences, its mu squared, and its delta.

Costs add up over steps, so a composition costs the sum of its parts. What was typed stays exact; what is computed is
rounded up. `inf` is what no budget can pay. Delta comes last in every price: it is the probability of the event after
whose removal the step keeps its promise, since an (epsilon, delta)-private step is an epsilon-private one after removal
of such an event (M14).
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tightbudget import divergences
from tightbudget.adaptive.amounts import Amount, amount_rounded_up, amount_to_float, exact, sums_after
from tightbudget.adaptive.increments import Increment
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Mechanism, PureDP
from tightbudget.mechanisms.stated import Promise, Ratio
from tightbudget.numerics.remembered import remembered
from tightbudget.numerics.rounding import float_above, raised

Price = tuple[Amount, ...]

_NOTHING = PureDP(0)
ZERO = 0  # a whole number: adding it to another is cheap
TICKS = 2**400
"""Computed amounts are whole numbers of ticks of 1/TICKS, rounded up: fine beside the smallest budget, about 1e-82."""
_BEYOND = 10**300  # no budget pays this; kept as a number it could grow too long to be written down
REMEMBERED = 4096  # a service sees the same few kinds of step over and over


@remembered(REMEMBERED)
def basic_price(increment: Increment) -> Price:
    """Return (epsilon, delta)."""
    return _price_of_composition(increment, _promised_price)


@remembered(REMEMBERED)
def squares_price(increment: Increment) -> Price:
    """Return (epsilon^2, delta, epsilon)."""
    return _price_of_composition(increment, lambda step: _squared_epsilon_price(*_promised_price(step)))


@remembered(REMEMBERED)
def printed_drift(increment: Increment) -> Price:
    """Return (epsilon (e^epsilon - 1)/2, epsilon^2, delta, epsilon), the first two in ticks: drift of Theorem 5.1."""
    return _price_of_composition(increment, lambda step: _with_drift(_promised_price(step), _half_expm1))


@remembered(REMEMBERED)
def exact_drift(increment: Increment) -> Price:
    """Return (epsilon tanh(epsilon/2), epsilon^2, delta, epsilon), the first two in ticks: drift is the mean loss."""
    return _price_of_composition(increment, lambda step: _with_drift(_promised_price(step), mean_loss))


@remembered(REMEMBERED)
def zcdp_price(increment: Increment) -> Price:
    """Return (rho, delta, epsilon)."""
    return _price_of_composition(increment, _zcdp_price_of_step)


@remembered(REMEMBERED)
def gdp_price(increment: Increment) -> Price:
    """Return (mu^2, delta)."""
    return _price_of_composition(increment, _gdp_price_of_step)


def renyi_price(increment: Increment, orders: tuple[Fraction, ...]) -> Price:
    """Return the divergences at the orders, then (delta, epsilon)."""
    return _price_of_composition(increment, lambda step: _renyi_price_of_step(step, orders))


def renyi_ticks(increment: Increment, orders: tuple[Fraction, ...]) -> Price:
    """Return the divergences at the orders in whole ticks of 2^-400, rounded up, then (delta, epsilon)."""
    *divergences, delta, epsilon = renyi_price(increment, orders)
    return (*map(_in_ticks, divergences), delta, epsilon)


def price_in_float(ticks: Amount) -> float:
    try:
        return float(ticks / TICKS)
    except OverflowError:
        return math.inf


def _in_ticks(amount: Amount) -> Amount:
    if isinstance(amount, float) or amount > _BEYOND:
        return math.inf
    return -(-amount.numerator * TICKS // amount.denominator)


def _price_of_composition(increment: Increment, price: Callable[[Mechanism], Price]) -> Price:
    if isinstance(increment, Mechanism):  # it is not made of parts
        return price(increment)
    total = price(_NOTHING)
    for step, count in increment._parts:
        total = sums_after(total, price(step), count)
    return total


def _promised_price(step: Mechanism) -> tuple[Amount, Amount]:
    if step.moment_promise is not None:  # of a promise about moments no epsilon follows
        raise _no_epsilon(step)
    stated = step.stated_epsilon
    if stated is not None:
        return _price_as_typed(stated), _delta_price(step.promise)
    bound = step.pure_epsilon
    if math.isinf(bound):
        raise _no_epsilon(step)
    return Fraction(bound), ZERO


def _no_epsilon(step: Mechanism) -> InvalidParameter:
    what = "an epsilon (stated as pure_dp or approximate_dp)"
    return _no_price(step, what, "State it so, or take a filter for steps of its kind.")


def _epsilon_or_inf(step: Mechanism) -> Amount:
    """Return the epsilon of a step that has one; the basic alternative of a filter ends with one that has none."""
    try:
        return _promised_price(step)[0]
    except InvalidParameter:
        return math.inf


def _squared_epsilon_price(epsilon: Amount, delta: Amount) -> Price:
    return epsilon * epsilon, delta, epsilon


def _with_drift(promise: tuple[Amount, Amount], drift: Callable[[Amount], Amount]) -> Price:
    squares, delta, epsilon = _squared_epsilon_price(*promise)
    return _in_ticks(drift(epsilon)), _in_ticks(squares), delta, epsilon


def _zcdp_price_of_step(step: Mechanism) -> Price:
    promised = step.moment_promise
    if promised is not None:  # as it was typed, and of promises at some orders no rho follows
        if promised.stated_rho is None:
            raise _no_rho(step)
        return promised.stated_rho, promised.promised_delta, math.inf
    if step.promise is not None:
        epsilon, delta = _promised_price(step)
        return mean_loss(epsilon), delta, epsilon
    mu = _exact_mu(step)
    if mu is not None:
        return mu**2 / 2, ZERO, math.inf
    bound = divergences.zcdp(step)
    if math.isinf(bound):
        raise _no_rho(step)
    return Fraction(bound), ZERO, _epsilon_or_inf(step)


def _no_rho(step: Mechanism) -> InvalidParameter:
    return _no_price(step, "a rho", "Give it as zcdp, gaussian_dp or pure_dp, or take a filter for steps of its kind.")


def _gdp_price_of_step(step: Mechanism) -> Price:
    if step.moment_promise is not None:  # neither rho nor divergences bound mu
        raise _no_mu(step)
    mu = _exact_mu(step)
    if mu is not None:
        return mu**2, ZERO
    if step.promise is not None:
        epsilon, delta = _promised_price(step)
        return _squared_mu(epsilon), delta
    bound = divergences.gdp(step)
    if math.isinf(bound):
        raise _no_mu(step)
    return Fraction(bound) ** 2, ZERO


def _no_mu(step: Mechanism) -> InvalidParameter:
    return _no_price(step, "a mu", "Give it as gaussian_dp or pure_dp, or take a filter for steps of its kind.")


def _exact_mu(step: Mechanism) -> Fraction | None:
    """Return mu as it was typed, of a step that is normal noise or promises to be no worse."""
    noise = step.normal_noise
    return _exact_price_quotient("mu", noise) if noise is not None and noise.proper else None


def _squared_mu(epsilon: Amount) -> Amount:
    # one rounding up for the float that stands for epsilon: mu grows no faster than in proportion
    mu = raised(divergences.pure_to_gdp(amount_to_float(epsilon)), 4)
    return Fraction(mu) ** 2 if mu < math.inf else math.inf


def _renyi_price_of_step(step: Mechanism, orders: tuple[Fraction, ...]) -> Price:
    promised = step.moment_promise
    if promised is not None:  # as they were typed
        bounds = [promised.at(order) for order in orders]
        if all(bound is None for bound in bounds):
            raise _no_price(
                step, f"a bound at order {amount_to_float(min(orders)):.4g} or above", "Declare a larger order as well."
            )
        return (*(math.inf if bound is None else bound for bound in bounds), promised.promised_delta, math.inf)
    if step.promise is not None:
        epsilon, delta = _promised_price(step)
        return (*(pure_renyi(epsilon, order) for order in orders), delta, epsilon)
    mu = _exact_mu(step)
    if mu is not None:
        return (*(order * (mu**2 / 2) for order in orders), ZERO, math.inf)
    derived = divergences.renyi(step, np.array([float_above(order) for order in orders]))  # divergences grow with the order
    if np.isinf(derived).all():
        raise _no_price(step, "a Rényi divergence at these orders", "Take smaller orders, or a filter for steps of its kind.")
    return (*(Fraction(bound) if bound < math.inf else bound for bound in derived.tolist()), ZERO, _epsilon_or_inf(step))


def mean_loss(epsilon: Amount) -> Amount:
    """Return epsilon tanh(epsilon/2), the least rho of epsilon-private steps, rounded up."""
    x = amount_to_float(epsilon)
    # x is good to one rounding, tanh loses no more than its argument does
    return amount_rounded_up(x * math.tanh(0.5 * x)) if x < math.inf and epsilon else _zero_or_infinite_price(epsilon)


def _half_expm1(epsilon: Amount) -> Amount:
    x = amount_to_float(epsilon)
    if not epsilon or x > 700.0:
        return _zero_or_infinite_price(epsilon)
    # a rounding of x moves e^x by x roundings
    return amount_rounded_up(0.5 * x * math.expm1(x), 8.0 + 2.0 * x)


def pure_renyi(epsilon: Amount, order: Fraction) -> Amount:
    r"""Return the divergence of randomised response, the largest of epsilon-private steps, rounded up.

    $$\frac{1}{a-1}\ln\frac{\cosh((a-\frac12)\varepsilon)}{\cosh(\varepsilon/2)}
      = \frac{1}{a-1}\ln\Bigl(1 + \frac{2\sinh(a\varepsilon/2)\sinh((a-1)\varepsilon/2)}{\cosh(\varepsilon/2)}\Bigr)$$

    whose second form has no cancellation.
    """
    x = amount_to_float(epsilon)
    if not epsilon or math.isinf(x):
        return _zero_or_infinite_price(epsilon)
    a, rest = amount_to_float(order), amount_to_float(order - 1)
    if a * x > 600.0:  # the hyperbolic functions overflow; what is dropped is below e^-600 and covered by the rounding
        return min(epsilon, amount_rounded_up(x - math.log1p(math.exp(-x)) / rest + math.exp(-600.0) / rest, 16.0))
    ratio = 2.0 * math.sinh(0.5 * a * x) * math.sinh(0.5 * rest * x) / math.cosh(0.5 * x)
    # roundings of a, rest and x move the exponents by their size; ratio counts fully, its logarithm less
    return min(epsilon, amount_rounded_up(math.log1p(ratio) / rest, 16.0 + 4.0 * a * x))


def _zero_or_infinite_price(epsilon: Amount) -> Amount:
    return ZERO if not epsilon else math.inf


def _price_as_typed(epsilon: Ratio) -> Amount:
    return math.inf if epsilon.above == math.inf else _exact_price_quotient("epsilon", epsilon)


def _exact_price_quotient(name: str, ratio: Ratio) -> Fraction:
    return exact(name, ratio.above) if ratio.below == 1 else exact(name, ratio.above) / exact(name, ratio.below)


def _delta_price(promise: Promise | None) -> Amount:
    return exact("delta", promise.delta) if promise is not None and promise.delta else ZERO


def _no_price(step: Mechanism, what: str, hint: str) -> InvalidParameter:
    if 0 in (getattr(step, "sigma", None), getattr(step, "scale", None)):
        return InvalidParameter("increment", str(step), "a step with noise", "It has none, and no budget admits it.")
    return InvalidParameter("increment", str(step), f"a step with {what} for this filter", hint)
