"""What a stored bucket list means, evaluated with 40 digits: the bounds of M5-M7 restated without the engine's code."""

from collections.abc import Sequence

import mpmath
import numpy as np
from mpmath import mpf

from tightbudget.engine.discretisation.tilted import TiltedPMF

DIGITS = 40
Masses = list[tuple[mpf, mpf]]  # (loss, mass), losses increasing


_remembered: dict[tuple[int, float, float, int], tuple[TiltedPMF, Masses]] = {}


def masses(stack: TiltedPMF, step: float, tilt: float, row: int = 0) -> Masses:
    """Return the losses and untilted masses that a row stands for, its floats taken as exact."""
    key = (id(stack), step, tilt, row)  # the stack is kept beside its masses, so that no other can take its id
    if key not in _remembered:
        if len(_remembered) > 16:
            _remembered.clear()
        with mpmath.workdps(DIGITS):
            h, t, anchor = mpf(step), mpf(tilt), mpf(float(stack.anchor))
            scale = mpf(float(stack.log_scale[row]))
            _remembered[key] = (
                stack,
                [
                    (anchor + k * h, mpf(float(value)) * mpmath.exp(scale - t * k * h))
                    for k, value in enumerate(stack.rows[row], start=stack.first)
                ],
            )
    return _remembered[key][1]


def stack(rows, first: int = 0, anchor: float = 0.0, log_scale=0.0, error=0.0, noise=0.0) -> TiltedPMF:
    """Return a bucket list made by hand; numbers serve for all rows alike."""
    table = np.atleast_2d(np.asarray(rows, dtype=np.float64))
    numbers = (
        log_scale,
        error,
        noise,
        np.asarray(noise) * np.sqrt(table.shape[1]),
    )  # noise of this 2-norm weighs at most so much
    each = [np.broadcast_to(np.asarray(value, dtype=np.float64), table.shape[:1]).copy() for value in numbers]
    return TiltedPMF(table, first, anchor, *each)


def scale(stack: TiltedPMF, tilt: float, epsilon: mpf, row: int = 0) -> mpf:
    """Return Z e^{-tilt (epsilon - anchor)}: what one unit of the stored row weighs, untilted, at loss epsilon."""
    with mpmath.workdps(DIGITS):
        return mpmath.exp(mpf(float(stack.log_scale[row])) - mpf(tilt) * (mpf(epsilon) - mpf(float(stack.anchor))))


def hockey_stick(points: Masses, epsilon: mpf) -> mpf:
    """Return sum of a_i (1 - e^{epsilon - l_i}) over the losses l_i above epsilon."""
    with mpmath.workdps(DIGITS):
        return mpmath.fsum(a * -mpmath.expm1(epsilon - loss) for loss, a in points if loss > epsilon)


def weight_norms(tilt: float, step: float, start: mpf) -> tuple[mpf, mpf]:
    """Return the largest value of w(y) = e^{-tilt y} (1 - e^{-y}), y > 0, and its 2-norm on start, start + step, ..."""
    with mpmath.workdps(DIGITS):
        t, h, y0 = mpf(tilt), mpf(step), mpf(start)
        peak = mpmath.log1p(1 / t)
        largest = mpmath.exp(-t * peak) * -mpmath.expm1(-peak)
        # the sum of squares is three geometric series
        squares = sum(
            sign * mpmath.exp(-rate * y0) / -mpmath.expm1(-rate * h)
            for sign, rate in ((1, 2 * t), (-2, 2 * t + 1), (1, 2 * t + 2))
        )
        return largest, mpmath.sqrt(max(squares, mpf(0)))


def upper(stack: TiltedPMF, step: float, theta: float, epsilon: float, loss_shift: float = 0.0) -> mpf:
    """Return the bound on delta(epsilon) that a spread row certifies: M7 with every loss `loss_shift` larger."""
    with mpmath.workdps(DIGITS):
        shifted, h = mpf(epsilon) - mpf(loss_shift), mpf(step)
        start = h - mpmath.fmod(shifted - mpf(float(stack.anchor)), h)  # from epsilon to the next grid point
        largest, length = weight_norms(theta, step, start if start <= h else start - h)
        charge = mpf(float(stack.error[0])) * largest + mpf(float(stack.noise[0])) * length
        return hockey_stick(masses(stack, step, theta), shifted) + charge * scale(stack, theta, shifted)


def lower(stack: TiltedPMF, step: float, theta: float, epsilon: float) -> mpf:
    """Return the best of the bounds A(S) - e^epsilon B(S) - errors over S = all buckets from one on (M6, M7)."""
    with mpmath.workdps(DIGITS):
        a, b = masses(stack, step, theta), masses(stack, step, theta + 1.0, row=1)
        e, best, total = mpmath.exp(mpf(epsilon)), mpf(0), mpf(0)
        error_bounds = [
            mpf(float(stack.error[row])) + mpf(float(stack.noise[row])) / mpmath.sqrt(-mpmath.expm1(-2 * tilt * mpf(step)))
            for row, tilt in ((0, mpf(theta)), (1, mpf(theta) + 1))
        ]
        last = a[-1][0]
        gain, cost = error_bounds[0] * scale(stack, theta, last), error_bounds[1] * scale(stack, theta + 1.0, last, row=1)
        ratios = mpmath.exp(mpf(theta) * mpf(step)), mpmath.exp((mpf(theta) + 1) * mpf(step))
        for (_, mass_a), (_, mass_b) in zip(reversed(a), reversed(b), strict=True):
            total += mass_a - e * mass_b
            best = max(best, total - gain - e * cost)
            gain, cost = gain * ratios[0], cost * ratios[1]  # one bucket lower, the same error weighs more
        return best


def distance(first: Sequence[mpf], second: Sequence[mpf]) -> mpf:
    """Return the L1 distance."""
    with mpmath.workdps(DIGITS):
        return mpmath.fsum(abs(x - y) for x, y in zip(first, second, strict=True))
