"""One mechanism by the engine, published buckets and classic bounds: δ over e^ε, and e^ε over the number of rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tightbudget.classic import Bound
from tightbudget.mechanisms.composition import Composition
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.research.reproduce.model import Panel
from tightbudget.research.reproduce.sources import (
    bucket_curve,
    bucket_growth,
    bucket_number,
    classic_curve,
    classic_growth,
    engine_curve,
    engine_growth,
)


@dataclass(frozen=True)
class TwoViews:
    """`rounds` of a mechanism on the left, its ε at `delta` on the right; each bound comes with its colour."""

    mechanism: Mechanism
    rounds: int
    delta: float
    bounds: Sequence[tuple[Bound, int]]

    def figure_settings(self, quick: bool) -> dict[str, Any]:
        delta = {"delta of the right panel": self.delta}
        return {"mechanism": str(self.mechanism), "r": self.rounds, **delta, "n": bucket_number(quick)}

    def left(
        self,
        composition: Composition,
        epsilons: Sequence[float],
        few: Sequence[float],
        n: int,
        floor: float,
        ceiling: float = 0.0,
    ) -> Panel:
        """Return δ of all rounds at the epsilons, by buckets at few; the composition is kept for more questions."""
        series = [engine_curve(composition, epsilons), bucket_curve(composition, few, n, colour=6)]
        series += [classic_curve(bound, composition, epsilons, colour) for bound, colour in self.bounds]
        return Panel(f"r = {self.rounds}", "e^ε", "δ", series, floor=floor, ceiling=ceiling)

    def right(self, quick: bool, n: int, ceiling: float, y_log: bool = True) -> Panel:
        """Return e^ε as the rounds grow from 1 to 512, by buckets at powers of 2."""
        powers = [2**k for k in range(10)]
        rounds = powers if quick else sorted({round(2 ** (k / 3)) for k in range(28)})
        series = [
            engine_growth(self.mechanism, rounds, self.delta),
            bucket_growth(self.mechanism, powers, self.delta, n, colour=6),
            *(classic_growth(bound, self.mechanism, rounds, self.delta, colour) for bound, colour in self.bounds),
        ]
        title = f"δ = {self.delta:g}"
        return Panel(title, "number of compositions r", "e^ε", series, x_log=True, y_log=y_log, ceiling=ceiling)
