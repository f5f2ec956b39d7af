"""Whether steps fit in a budget, and how many of them do: what is not certified does not fit."""

from collections.abc import Callable

from tightbudget.mechanisms import Composable

WIDTHS = (0.1, 1e-3, 1e-5)
"""Relative widths of the bracket of epsilon that are tried in turn, until the budget lies outside of it."""


def certainly_affordable(composition: Composable, epsilon: float, delta: float) -> bool:
    """Tell whether the composition is certified to be (epsilon, delta)-private; False if that cannot be decided.

    Epsilon at the delta of the budget is asked for: far below a budget, delta at its epsilon is too small to be quick.
    """
    composition.check_proven()
    for rtol in WIDTHS:
        answer = composition.epsilon(delta, rtol=rtol)
        if answer.certainly_at_most(epsilon):
            return True
        if answer.certainly_above(epsilon) or not answer.converged:
            return False
    return False


def affordable(repeated: Callable[[int], Composable], most: int, epsilon: float, delta: float) -> int:
    """Return the largest number up to `most` at which `repeated` is seen to hold, as far as bisection sees.

    Guarantee: what it returns was certified itself, unless it is 0. Truly, what holds for a number holds for all below
    it; only where nothing can be decided might bisection stop before the largest one that holds.
    """
    fits, fails = 0, 1
    while fails <= most and certainly_affordable(repeated(fails), epsilon, delta):
        fits, fails = fails, 2 * fails
    if fits == most or (fails > most and certainly_affordable(repeated(most), epsilon, delta)):
        return most
    fails = min(fails, most)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if certainly_affordable(repeated(middle), epsilon, delta):
            fits = middle
        else:
            fails = middle
    return fits
