"""Strategies of the adversary: from what she sees, for many runs at once, to the next step of her menu or STOP.

Each is pure: no memory, no coins of its own. What an adversary of Algorithm 2 may use is all in the `View`; a strategy
that needs more would only be a mixture of these (the privacy of a mixture is at most the worst of its parts).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tightbudget.deprecated import deprecated
from tightbudget.errors import InvalidParameter
from tightbudget.research.games.exceeds import exceeds
from tightbudget.research.games.steps import Response, Step, gaussian, response

STOP = -1
Choices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class View:
    """What the adversary sees before a round; the arrays have a row for each run."""

    round: int  # rounds played so far
    loss: NDArray[np.float64]  # the realised privacy loss
    bound: NDArray[np.float64]  # the epsilon of the filter, or what the odometer shows now
    accepts: NDArray[np.bool_]  # (runs, menu): what the filter would let through; an odometer lets everything through


class Adversary(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def menu(self) -> Sequence[Step]:
        """The steps she may choose from, in increasing size."""
        ...

    def next_step(self, view: View) -> Choices:
        """Return for each run an index into the menu, or STOP. A step that the filter refuses ends the run too."""
        ...


class Strategy:
    """What the strategies below share: the former name of `next_step`."""

    def choose(self: Adversary, view: View) -> Choices:
        deprecated("choose()", "next_step()")
        return self.next_step(view)


def next_steps(adversary: Adversary, view: View) -> Choices:
    """Return what the adversary does next in each run, also if her class has only `choose`, the former name."""
    for kind in type(adversary).__mro__:
        if "next_step" in vars(kind):
            break
        if "choose" in vars(kind) and kind is not Strategy:
            deprecated("The method choose of an adversary", "next_step")
            former: Choices = adversary.choose(view)  # type: ignore[attr-defined]
            return former
    return adversary.next_step(view)


@dataclass(frozen=True)
class Fixed(Strategy):
    """The same step until the end: the game of Algorithm 1, with the length left to the filter."""

    each: Step
    name: str = "fixed"

    @property
    def menu(self) -> Sequence[Step]:
        return (self.each,)

    def next_step(self, view: View) -> Choices:
        return np.zeros(view.loss.size, np.intp)


@dataclass(frozen=True)
class Plan(Strategy):
    """Steps fixed in advance: FixedParamComp (Algorithm 1)."""

    steps: Sequence[Step]
    name: str = "plan"

    @property
    def menu(self) -> Sequence[Step]:
        return self.steps

    def next_step(self, view: View) -> Choices:
        return np.full(view.loss.size, view.round if view.round < len(self.steps) else STOP, np.intp)


@dataclass(frozen=True)
class StopWhenAhead(Strategy):
    """The same step until the realised loss is above the bound: the adversary of Theorem 6.1."""

    each: Step
    name: str = "stop-when-ahead"

    @property
    def menu(self) -> Sequence[Step]:
        return (self.each,)

    def next_step(self, view: View) -> Choices:
        return np.where(_ahead_of_bound(view), STOP, 0).astype(np.intp)


@dataclass(frozen=True)
class Greedy(Strategy):
    """The smallest step that could lift the loss above the bound now, else the largest; stop once ahead."""

    menu: Sequence[Step]
    name: str = "greedy"

    def next_step(self, view: View) -> Choices:
        sizes = np.array([item.law.size for item in self.menu])
        with np.errstate(invalid="ignore"):  # a bit that was revealed under an odometer that shows infinity: any step will do
            needed = view.bound - view.loss
        wanted = np.searchsorted(sizes, needed, side="right").clip(max=sizes.size - 1)
        return np.where(_ahead_of_bound(view), STOP, _largest_accepted(view, wanted)).astype(np.intp)


@dataclass(frozen=True)
class Bursts(Strategy):
    """Small steps while behind; a burst of large ones whenever the loss is above `trigger` times the bound."""

    small: Step
    large: Step
    trigger: float = 0.5
    name: str = "bursts"

    @property
    def menu(self) -> Sequence[Step]:
        return self.small, self.large

    def next_step(self, view: View) -> Choices:
        burst = (view.loss > self.trigger * view.bound) & (view.round > 0)
        return np.where(_ahead_of_bound(view), STOP, _largest_accepted(view, burst.astype(np.intp))).astype(np.intp)


@dataclass(frozen=True)
class TinyThenLarge(Strategy):
    """`each` rounds of every step of the menu, the last one for ever: the sum of squares grows over many scales."""

    menu: Sequence[Step]
    each: int = 10
    name: str = "tiny-then-large"

    def next_step(self, view: View) -> Choices:
        wanted = np.full(view.loss.size, min(view.round // self.each, len(self.menu) - 1), np.intp)
        return np.where(_ahead_of_bound(view), STOP, _largest_accepted(view, wanted)).astype(np.intp)


@dataclass(frozen=True)
class Counterexample(Strategy):
    """Theory B.0: one response; then another if it told, or a small chance of everything if it did not."""

    first: float
    second: float
    reveal: float
    name: str = "counterexample"

    @property
    def menu(self) -> Sequence[Step]:
        return response(self.first), response(self.second), response(0.0, self.reveal)

    def next_step(self, view: View) -> Choices:
        return _second_by_the_first(view, 0.0)


@dataclass(frozen=True)
class SpendTheRest(Strategy):
    """One Gaussian step; then another if the loss is above `threshold`, else a small chance of everything.

    It breaks every filter that divides delta between Gaussian steps and chances of revealing as it goes.
    """

    first: float
    second: float
    reveal: float
    threshold: float
    name: str = "spend-the-rest"

    @property
    def menu(self) -> Sequence[Step]:
        return gaussian(self.first), gaussian(self.second), response(0.0, self.reveal)

    def next_step(self, view: View) -> Choices:
        return _second_by_the_first(view, self.threshold)


def _second_by_the_first(view: View, threshold: float) -> Choices:
    """Take step 0; then step 1 where the loss is above the threshold, else step 2; then stop."""
    if view.round == 0:
        return np.zeros(view.loss.size, np.intp)
    if view.round == 1:
        return np.where(view.loss > threshold, 1, 2).astype(np.intp)
    return np.full(view.loss.size, STOP, np.intp)


def counterexample(first: float = 0.1, second: float = 0.45, epsilon: float = 0.5) -> tuple[Counterexample, float]:
    """Return the adversary of theory B.0 and the delta at which both of her fixed plans have just that delta(epsilon).

    Either plan has delta(epsilon) = p_+ H_second(epsilon - first) with p_+ = e^first / (1 + e^first), so a filter that
    composes what was realised accepts both. Played as here, the view has (1 + p_-) times as much.

    >>> adversary, delta = counterexample()
    >>> print(f"{delta:.4e}")
    1.5635e-02
    """
    if not (0.0 < first <= epsilon and epsilon - first < second <= epsilon + first):
        raise InvalidParameter(
            "second", second, "above epsilon - first and at most epsilon + first, with 0 < first <= epsilon", "See theory B.0."
        )
    tells = Response(first).likely
    beyond = Response(second).likely * -math.expm1(epsilon - first - second)
    return Counterexample(first, second, tells * beyond), tells * beyond


def _ahead_of_bound(view: View) -> NDArray[np.bool_]:
    return exceeds(view.loss, view.bound) & (view.round > 0)


def _largest_accepted(view: View, wanted: NDArray[np.intp]) -> Choices:
    """Return the largest accepted index up to the one wanted, or STOP."""
    columns = np.arange(view.accepts.shape[1])
    possible = view.accepts & (columns <= wanted[:, None])
    best: Choices = np.where(possible, columns, STOP).max(axis=1)
    return best
