"""Which way the privacy of a mechanism moves with one of its parameters; what calibration goes by (M24)."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trend:
    """More of a parameter never hides more (`reveals`), or never reveals more, while it is from `low` to `high`.

    "Reveals" means that the pair dominates: delta rises at every epsilon, alone and in any composition.
    """

    reveals: bool
    low: float = 0.0
    high: float = math.inf


REVEALS, HIDES = Trend(True), Trend(False)
