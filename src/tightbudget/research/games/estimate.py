"""A failure probability estimated from independent runs, with exact (Clopper and Pearson) limits."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from tightbudget.errors import InvalidParameter
from tightbudget.numerics.clopper_pearson import INVERTED, clopper_pearson

CERTAIN = 1.0 - 1e-9  # the confidence of a claim that something fails: false once in 10^9 tries


@dataclass(frozen=True)
class Estimate:
    """`failures` of `runs` independent runs failed."""

    failures: int
    runs: int

    def __post_init__(self) -> None:
        if not 0 <= self.failures <= self.runs or self.runs < 1:
            raise InvalidParameter("failures", self.failures, f"from 0 to runs = {self.runs}, with at least one run")

    @property
    def _counts(self) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
        return np.array([self.failures, self.runs - self.failures])

    @property
    def rate(self) -> float:
        return self.failures / self.runs

    def lower(self, confidence: float = CERTAIN) -> float:
        """Return a number that exceeds the true probability with probability at most 1 - confidence.

        >>> print(f"{Estimate(153, 1000).lower(0.975):.4f}")
        0.1312
        """
        if self.runs > INVERTED:
            return float(clopper_pearson(self._counts, 1.0 - confidence)[0][0])
        return 0.0 if self.failures == 0 else float(betaincinv(self.failures, self.runs - self.failures + 1, 1.0 - confidence))

    def upper(self, confidence: float = CERTAIN) -> float:
        """Return a number that the true probability exceeds with probability at most 1 - confidence.

        >>> print(f"{Estimate(0, 1000).upper(0.95):.6f}")  # about 3 / runs
        0.002991
        """
        if self.runs > INVERTED:
            return float(clopper_pearson(self._counts, 1.0 - confidence)[1][0])
        return (
            1.0 if self.failures == self.runs else float(betaincinv(self.failures + 1, self.runs - self.failures, confidence))
        )

    def refutes(self, level: float) -> bool:
        """Tell whether the true probability is above the level, at a false-alarm rate of 1e-9."""
        return self.lower() > level
