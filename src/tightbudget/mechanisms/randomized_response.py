"""Randomised response over k values."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.base import Mechanism, probability
from tightbudget.mechanisms.nothing import revealing
from tightbudget.numerics.rounding import U
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.points import point_pair


@dataclass(frozen=True)
class RandomizedResponse(Mechanism):
    """Tell the true one of k values with probability p, else one of the other k - 1, each as likely."""

    name: ClassVar[str] = "randomized_response"
    neighbours: ClassVar[str] = "replace_one"

    p: float
    k: int = 2

    def __post_init__(self) -> None:
        probability("p", self.p)
        if isinstance(self.k, bool) or int(self.k) != self.k or self.k < 2:
            raise InvalidParameter("k", self.k, "a whole number from 2")

    def pair(self, direction: Direction) -> Pair | None:
        truth, lie = float(self.p), (1.0 - self.p) / (self.k - 1)
        if truth == lie:
            return None
        both = (self.k - 2) * lie  # outputs as likely under either input
        if truth == 0.0 or lie == 0.0:
            return revealing(1.0 if lie == 0.0 else lie)
        # log1p keeps the loss relatively accurate when p is close to 1/k
        loss = math.log1p((truth - lie) / lie) if truth > lie else -math.log1p((lie - truth) / truth)
        losses = np.array([-loss, loss] + [0.0] * (both > 0))
        log_a = np.log([lie, truth] + [both] * (both > 0))
        log_b = np.log([truth, lie] + [both] * (both > 0))
        doubt = 4.0 * U * (truth + lie) / abs(truth - lie) * abs(loss)  # 1 - p and the division were rounded
        return point_pair(
            ("randomized_response", truth, self.k),
            losses,
            log_a,
            log_b,
            error=8.0 * U * (1.0 + float(np.abs(log_a).max())),
            period=2.0 * abs(loss) if both == 0 else abs(loss),
            loss_error=doubt,
        )
