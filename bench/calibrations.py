"""What is calibrated: steps with one number open, a target, and the best value there is. Data only."""

from dataclasses import dataclass, replace
from typing import Any

from cases import Question, Step, dp_sgd


class Open:
    """Stands for the open number in the notation."""

    def __repr__(self) -> str:
        return "?"


@dataclass(frozen=True)
class Calibration:
    """A row of the table. `truth` is the least noise, largest rate or largest count, from truth.py.

    `parameter` of the first step is open; `intervals` are dp-accounting's value_discretization_interval.
    """

    name: str
    steps: tuple[Step, ...]
    parameter: str
    epsilon: float
    delta: float
    truth: float
    intervals: tuple[float, ...] = (1e-4,)

    @property
    def noise(self) -> bool:
        """Whether less is better; of rates and counts more is."""
        return self.parameter in ("sigma", "scale")

    @property
    def whole(self) -> bool:
        return self.parameter == "count"

    def at(self, value: Any) -> tuple[Step, ...]:
        first, *others = self.steps
        return (replace(first, **{self.parameter: value}), *others)

    def question(self, value: float) -> Question:
        """Return what truth.py is asked: delta at the epsilon of the target."""
        return Question(self.at(value), "delta", self.epsilon)

    @property
    def template(self) -> str:
        return Question(self.at(Open()), "epsilon", self.delta).expression

    def __str__(self) -> str:
        shown = self.template if len(self.steps) < 3 else f"{self.template.split(' + ')[0]} + ... ({len(self.steps)} terms)"
        return f"{shown} to epsilon={self.epsilon:g} at delta={self.delta:g}"

    def waste(self, value: float) -> float:
        """Return how much worse a value is than the best, relatively; below 0 it misses the target."""
        if self.whole:
            return (self.truth - value) / self.truth
        return value / self.truth - 1 if self.noise else self.truth / value - 1


CALIBRATIONS = (
    Calibration("dpsgd-noise", dp_sgd(1.0, 0.01, 10_000), "sigma", 2.0, 1e-6, 2.3556174829232126, (1e-4, 5e-5)),
    Calibration("laplace-scale", (Step("laplace", 100, scale=1.0),), "scale", 1.0, 1e-6, 41.48748282860855, (1e-4, 1e-5)),
    Calibration("dpsgd-rate", dp_sgd(1.0, 0.01, 1000), "q", 1.0, 1e-6, 0.004870991484272689),
    Calibration("dpsgd-count", dp_sgd(1.0, 0.01, 1), "count", 2.0, 1e-6, 874),
    Calibration(
        "one-of-hundred",
        tuple(Step("poisson", 100, sigma=1 + i / 100, q=0.01) for i in range(100)),
        "sigma",
        4.09,
        1e-6,
        0.9838953144399238,
        (1e-3,),
    ),
    Calibration("small-epsilon", dp_sgd(1.0, 0.01, 10_000), "sigma", 0.01, 1e-6, 306.3663318988249),
    Calibration("small-delta", dp_sgd(1.0, 0.01, 10_000), "sigma", 2.0, 1e-20, 4.581199662527595),
)
BY_NAME = {case.name: case for case in CALIBRATIONS}
