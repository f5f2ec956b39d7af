"""The lower (optimistic) discretisation: events merged into one event a bucket, which is post-processing (M6).

Two rows: the masses under A (tilted by theta) and under B (tilted by theta + 1) of the same events. Which events share
a bucket never matters for soundness, and events may be dropped from both rows alike.
"""

import numpy as np

from tightbudget.engine.discretisation.tilted import TiltedPMF, kept_columns, normalised_rows, sliced_columns
from tightbudget.numerics.rounding import GENEROUS, U, raised_by


def trim_merged(stack: TiltedPMF, tail: float) -> TiltedPMF:
    """Drop the events at the ends; from both rows alike they need no correction."""
    start, stop = kept_columns(stack, tail)
    return sliced_columns(stack, start, stop, stack.error)


def coarsen_merged(stack: TiltedPMF, step: float, theta: float, factor: int) -> TiltedPMF:
    """Return the stack with `factor` neighbouring buckets merged into one, which stands for their middle."""
    if factor == 1:
        return stack
    low, lead = divmod(stack.first, factor)
    groups = -(-(lead + stack.size) // factor)
    fine = np.zeros((2, groups * factor))
    fine[:, lead : lead + stack.size] = stack.rows
    weight = np.exp(np.array([[-theta], [-theta - 1.0]]) * (np.arange(factor) * step))
    coarse = np.einsum("rgf,rf->rg", fine.reshape(2, groups, factor), weight)
    rounding = (2.0 * factor + 32.0 + 8.0 * (theta + 1.0) * factor * step) * U
    error = stack.error * weight.max(axis=1) + rounding * coarse.sum(axis=1)
    anchor = stack.anchor + 0.5 * (factor - 1) * step  # the middle of group 0
    noise = raised_by(stack.noise * np.sqrt((weight * weight).sum(axis=1)), GENEROUS)  # Cauchy-Schwarz
    noise_mass = raised_by(stack.noise_mass * weight.max(axis=1), GENEROUS)
    return normalised_rows(coarse, low, anchor, stack.log_scale, error, noise, noise_mass)
