"""Limits on what an attacker can do: true positives, beliefs, and how often the best guess is wrong (M23)."""

from dataclasses import dataclass
from typing import ClassVar

from tightbudget.calibration.targets import Target
from tightbudget.mechanisms import Composable
from tightbudget.numerics.bracket import Bracket
from tightbudget.tradeoff import risk

ANYWHERE = 2.0
"""The truth may lie anywhere in these brackets, which are made of many."""


@dataclass(frozen=True)
class TruePositiveRateTarget(Target):
    """The power of the best test with a given false positive rate."""

    name: ClassVar[str] = "tpr"
    sharpness: ClassVar[float] = ANYWHERE

    tpr: float
    fpr: float

    @property
    def limit(self) -> float:
        return self.tpr

    @property
    def given(self) -> str:
        return f" at fpr = {self.fpr!r}"

    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        return risk(composition, rtol=rtol, effort=effort).tpr(self.fpr)


@dataclass(frozen=True)
class PosteriorTarget(Target):
    """What an attacker comes to believe, from a prior: after a test with a false positive rate, or at worst."""

    name: ClassVar[str] = "posterior"
    sharpness: ClassVar[float] = ANYWHERE

    posterior: float
    prior: float
    fpr: float | None = None

    @property
    def limit(self) -> float:
        return self.posterior

    @property
    def given(self) -> str:
        return f" at prior = {self.prior!r}" + (f", fpr = {self.fpr!r}" if self.fpr is not None else "")

    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        return risk(composition, rtol=rtol, effort=effort).posterior(self.prior, self.fpr)


@dataclass(frozen=True)
class BayesErrorTarget(Target):
    """How often the best guess must be wrong, at least: here more is more private."""

    name: ClassVar[str] = "bayes_error"
    sign: ClassVar[str] = ">="
    sharpness: ClassVar[float] = ANYWHERE

    bayes_error: float
    prior: float

    @property
    def limit(self) -> float:
        return self.bayes_error

    @property
    def given(self) -> str:
        return f" at prior = {self.prior!r}"

    def ask(self, composition: Composable, rtol: float, effort: float | None) -> Bracket:
        return risk(composition, rtol=rtol, effort=effort).bayes_error(self.prior)

    def met(self, answer: Bracket) -> bool:
        return answer.lower >= self.limit

    def missed(self, answer: Bracket) -> bool:
        return answer.upper < self.limit

    def excess(self, value: float) -> float:
        return -super().excess(value)

    def worse(self, answer: Bracket, than: Bracket) -> bool:
        return answer.upper < than.lower
