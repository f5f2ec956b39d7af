"""The games again, one path at a time with 50 digits: the independent truth for `exact`, `best` and `walk`.

A strategy here is a plain function of (round, loss, last bound, what is accepted); the filter or odometer is a fresh
object fed with the whole history on every path. Nothing is shared with the code under test but the object itself.
"""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath

Digits = mpmath.mpf
Strategy = Callable[[int, float, Any], int | None]


def outcomes(epsilon: float, delta: float, bit: int) -> list[tuple[Any, Any]]:
    """(loss of bit 0 against bit 1, probability under `bit`): the table of Definition 2.6."""
    grow = mpmath.exp(mpmath.mpf(epsilon))
    d = mpmath.mpf(delta)
    under_zero = [
        (mpmath.inf, d),
        (mpmath.mpf(epsilon), (1 - d) * grow / (1 + grow)),
        (-mpmath.mpf(epsilon), (1 - d) / (1 + grow)),
    ]
    if bit == 0:
        return [pair for pair in under_zero if pair[1] > 0]
    under_one = [
        (-mpmath.inf, d),
        (mpmath.mpf(epsilon), (1 - d) / (1 + grow)),
        (-mpmath.mpf(epsilon), (1 - d) * grow / (1 + grow)),
    ]
    return [pair for pair in under_one if pair[1] > 0]


def leaves(
    steps: Sequence[tuple[Any, float, float]], strategy: Strategy, meter: Callable[[], Any], rounds: int, bit: int = 0
) -> list[tuple[Any, Any, list[tuple[Any, float]]]]:
    """Every path to its end: (probability, loss, [(loss, bound) after each round])."""
    found = []

    def walk(history: list[int], loss: Any, probability: Any, trail: list[tuple[Any, float]]) -> None:
        object_now = meter()
        for index in history:
            object_now.spend(steps[index][0])
        choice = strategy(len(history), float(loss), object_now) if len(history) < rounds else None
        if choice is None:
            found.append((probability, loss, trail))
            return
        increment, epsilon, delta = steps[choice]
        if (
            hasattr(object_now.quote(increment) if hasattr(object_now, "quote") else None, "accepted")
            and not object_now.quote(increment).accepted
        ):
            found.append((probability, loss, trail))
            return
        object_now.spend(increment)
        for step_loss, share in outcomes(epsilon, delta, bit):
            after = loss + step_loss
            walk([*history, choice], after, probability * share, [*trail, (after, float(object_now.epsilon))])

    with mpmath.workdps(50):
        walk([], mpmath.mpf(0), mpmath.mpf(1), [])
    return found


def view_delta(found: Sequence[Any], epsilon: float, bit: int = 0) -> Any:
    """delta(epsilon) of the view: sum of p (1 - e^(epsilon - loss))_+."""
    with mpmath.workdps(50):
        sign = 1 - 2 * bit
        return mpmath.fsum(p * max(mpmath.mpf(0), 1 - mpmath.exp(mpmath.mpf(epsilon) - sign * loss)) for p, loss, _ in found)


def crossing(found: Sequence[Any], bit: int = 0) -> Any:
    """Pr[some loss above its bound], ties left out."""
    with mpmath.workdps(50):
        sign = 1 - 2 * bit
        return mpmath.fsum(p for p, _, trail in found if any(sign * loss > bound * (1 + 1e-9) for loss, bound in trail))


def best_view(steps: Sequence[tuple[Any, float, float]], meter: Callable[[], Any], epsilon: float, rounds: int) -> Any:
    """The supremum over all strategies of delta(epsilon), by trying every step after every single path."""

    def value(history: list[int], loss: Any) -> Any:
        best = max(mpmath.mpf(0), 1 - mpmath.exp(mpmath.mpf(epsilon) - loss))
        if len(history) == rounds or loss == mpmath.inf:
            return best
        object_now = meter()
        for index in history:
            object_now.spend(steps[index][0])
        for choice, (increment, size, delta) in enumerate(steps):
            if object_now.quote(increment).accepted:
                best = max(
                    best, sum(share * value([*history, choice], loss + moved) for moved, share in outcomes(size, delta, 0))
                )
        return best

    with mpmath.workdps(50):
        return value([], mpmath.mpf(0))


def best_crossing(steps: Sequence[tuple[Any, float, float]], meter: Callable[[], Any], rounds: int) -> Any:
    """The supremum over all strategies of the probability that some loss is above its bound."""

    def value(history: list[int], loss: Any) -> Any:
        object_now = meter()
        for index in history:
            object_now.spend(steps[index][0])
        if history and loss > object_now.epsilon * (1 + 1e-9):
            return mpmath.mpf(1)
        if len(history) == rounds:
            return mpmath.mpf(0)
        options = [
            sum(share * value([*history, choice], loss + moved) for moved, share in outcomes(size, delta, 0))
            for choice, (_, size, delta) in enumerate(steps)
        ]
        return max(options)

    with mpmath.workdps(50):
        return value([], mpmath.mpf(0))
