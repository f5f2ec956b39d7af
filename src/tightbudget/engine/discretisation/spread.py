"""The upper (pessimistic) discretisation, connect the dots: masses spread so that the spread pair dominates (M5).

One row: the masses under A of a pair whose losses are exactly the grid points; under B they are e^-x times that.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tightbudget.engine.discretisation.tilted import TiltedPMF, kept_columns, normalised_rows, sliced_columns
from tightbudget.numerics.rounding import GENEROUS, U, raised_by
from tightbudget.numerics.shares import share_up

Array = NDArray[np.float64]


def trim_spread(stack: TiltedPMF, tail: float) -> TiltedPMF:
    """Drop what little the ends hold, and add it to the certificate."""
    start, stop = kept_columns(stack, tail)
    if start == 0 and stop == stack.size:
        return stack
    dropped = stack.rows[:, :start].sum(axis=1) + stack.rows[:, stop:].sum(axis=1)
    return sliced_columns(stack, start, stop, stack.error + raised_by(dropped, GENEROUS))


def coarsen_spread(stack: TiltedPMF, step: float, theta: float, factor: int) -> TiltedPMF:
    """Return the stack on the grid of step factor * step: every point between two coarse ones is split between them."""
    if factor == 1:
        return stack
    low, lead = divmod(stack.first, factor)
    groups = -(-(lead + stack.size) // factor)
    padded = np.zeros(groups * factor)
    padded[lead : lead + stack.size] = stack.rows[0]
    fine = padded.reshape(groups, factor)
    offset = np.arange(factor, dtype=np.float64) * step
    share = share_up(offset, factor * step)
    down, up = (1.0 - share) * np.exp(-theta * offset), share * np.exp(theta * (factor * step - offset))
    coarse = np.zeros((1, groups + 1))
    coarse[0, :-1] = np.einsum("gf,f->g", fine, down)
    coarse[0, 1:] += np.einsum("gf,f->g", fine, up)
    # sums of `factor` positive products, weights good to a few roundings of their exponents and of share's quotient
    rounding = (2.0 * factor + 32.0 + 8.0 * (theta + 1.0) * factor * step) * U
    error = stack.error * float((down + up).max()) + rounding * coarse.sum()
    noise = raised_by(stack.noise * (math.sqrt(float(down @ down)) + math.sqrt(float(up @ up))), GENEROUS)  # Cauchy-Schwarz
    noise_mass = raised_by(stack.noise_mass * float((down + up).max()), GENEROUS)
    return normalised_rows(coarse, low, stack.anchor, stack.log_scale, error, noise, noise_mass)
