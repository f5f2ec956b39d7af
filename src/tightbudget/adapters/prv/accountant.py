"""`PRVAccountant` as `prv_accountant` has it: the same arguments and answers, certified."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tightbudget.adapters.prv.privacy_random_variables import (
    PoissonSubsampledGaussianMechanism,
    PrivacyRandomVariable,
    mechanism_of,
)
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable, Composition
from tightbudget.mechanisms.checks import positive, whole_count
from tightbudget.mechanisms.composition import compose
from tightbudget.numerics.bracket import Bracket
from tightbudget.training.safe_numbers import delta_below

Triple = tuple[float, float, float]
"""Lower end, estimate and upper end."""

USUAL_RTOL = 1e-3
NARROWEST_EPSILON, NARROWEST_DELTA = 1e-12, 1e-6
"""Relative widths below which an error asked for is not followed: beyond what floats can certify, or too slow."""


class PRVAccountant:
    """The cost of random variables composed with themselves, as (lower end, estimate, upper end).

    prvs                   random variables of this package, or mechanisms of tightbudget: one, or a list
    eps_error              the largest width of a bracket of epsilon; it is narrower where that costs little
    delta_error            not needed for epsilon; brackets of delta follow it down to 1e-6 of delta
    max_self_compositions  the largest counts that will be asked about; none are needed, but those given are kept to
    eps_max                not needed: every epsilon is within reach

    Both ends are proven, rounding included, for adding and for removing a record. `bracket_epsilon` and `bracket_delta`
    return the same as brackets, which say whether they are as narrow as asked and for which neighbouring relation.

    >>> from tightbudget.adapters.prv import GaussianMechanism
    >>> accountant = PRVAccountant(GaussianMechanism(noise_multiplier=8.0), eps_error=0.1, delta_error=1e-10)
    >>> low, estimate, up = accountant.compute_epsilon(delta=1e-6, num_self_compositions=200)
    >>> low <= estimate <= up <= low + 0.1
    True
    """

    def __init__(
        self,
        prvs: PrivacyRandomVariable | Composable | Sequence[PrivacyRandomVariable | Composable],
        eps_error: float,
        delta_error: float,
        max_self_compositions: int | Sequence[int] | None = None,
        eps_max: float | None = None,
    ) -> None:
        self.eps_error = positive("eps_error", eps_error, "0.1 is a usual choice.")
        self.delta_error = positive("delta_error", delta_error, "A thousandth of delta is a usual choice.")
        self.prvs = [prvs] if isinstance(prvs, PrivacyRandomVariable | Composable) else _listed_prvs(prvs)
        self._mechanisms = [_mechanism_of_known_prv(prv) for prv in self.prvs]
        if eps_max is not None:
            positive("eps_max", eps_max, infinite=True)
        self.max_self_compositions = (
            None if max_self_compositions is None else self._counts("max_self_compositions", max_self_compositions)
        )
        self._latest: tuple[list[int], Composition] | None = None

    def compute_epsilon(self, delta: float, num_self_compositions: int | Sequence[int] | None) -> Triple:
        """Return (lower end, estimate, upper end) of epsilon at a delta."""
        return _prv_triple(self.bracket_epsilon(delta, num_self_compositions))

    def compute_delta(self, epsilon: float, num_self_compositions: int | Sequence[int] | None) -> Triple:
        """Return (lower end, estimate, upper end) of delta at an epsilon."""
        return _prv_triple(self.bracket_delta(epsilon, num_self_compositions))

    def bracket_epsilon(self, delta: float, num_self_compositions: int | Sequence[int] | None = None) -> Bracket:
        """Return the bracket of epsilon at a delta."""
        asked, composition = delta_below(delta), self.compute_composition(num_self_compositions)
        return _prv_bracket_within(self.eps_error, NARROWEST_EPSILON, lambda rtol: composition.epsilon(asked, rtol))

    def bracket_delta(self, epsilon: float, num_self_compositions: int | Sequence[int] | None = None) -> Bracket:
        """Return the bracket of delta at an epsilon."""
        composition = self.compute_composition(num_self_compositions)
        return _prv_bracket_within(self.delta_error, NARROWEST_DELTA, lambda rtol: composition.delta(epsilon, rtol))

    def compute_composition(self, num_self_compositions: int | Sequence[int] | None = None) -> Composition:
        """Return the variables with these counts, one each if none are given, as a composition of tightbudget."""
        given = [1] * len(self.prvs) if num_self_compositions is None else num_self_compositions
        counts = self._counts("num_self_compositions", given)
        for count, most in zip(counts, self.max_self_compositions or counts, strict=True):
            if count > most:
                hint = "Give PRVAccountant larger ones, or none."
                raise InvalidParameter("num_self_compositions", count, f"at most max_self_compositions, which is {most}", hint)
        latest = self._latest
        if latest is None or latest[0] != counts:
            parts = [mechanism * count for mechanism, count in zip(self._mechanisms, counts, strict=True)]
            self._latest = latest = (counts, compose(parts))
        return latest[1]

    def _counts(self, name: str, given: Any) -> list[int]:
        counts = [whole_count(each, name) for each in ([given] if np.ndim(given) == 0 else given)]
        if len(counts) != len(self.prvs):
            raise InvalidParameter(name, counts, f"one count for each of the {len(self.prvs)} prvs")
        return counts


class Accountant:
    """DP-SGD with all numbers but the count fixed, as there once; `DPSGDAccountant` took its place."""

    def __init__(
        self,
        noise_multiplier: float,
        sampling_probability: float,
        delta: float,
        max_compositions: int,
        eps_error: float = 0.1,
        mesh_size: None = None,
        verbose: bool = False,
    ) -> None:
        warnings.warn("Use DPSGDAccountant in place of Accountant.", DeprecationWarning, stacklevel=2)
        self.delta = delta_below(delta)
        prv = PoissonSubsampledGaussianMechanism(sampling_probability, noise_multiplier)
        # only epsilon is asked for, which needs no error of delta
        self.accountant = PRVAccountant(prv, eps_error, delta_error=1.0, max_self_compositions=max_compositions)

    def compute_epsilon(self, num_compositions: int) -> Triple:
        """Return (lower end, estimate, upper end) of epsilon after so many steps."""
        return self.accountant.compute_epsilon(self.delta, num_compositions)


def _listed_prvs(prvs: Any) -> list[Any]:
    if isinstance(prvs, Iterable) and not isinstance(prvs, str | bytes | dict) and getattr(prvs, "ndim", 1) != 0:
        return list(prvs)
    return [prvs]  # whatever it is, it will be refused by name


def _mechanism_of_known_prv(prv: object) -> Composable:
    mechanism = mechanism_of(prv)
    if mechanism is None:
        raise InvalidParameter(
            "prvs",
            prv if isinstance(prv, str | int | float) else type(prv).__name__,
            "random variables imported from tightbudget.adapters.prv, or mechanisms of tightbudget",
            "From a cdf nothing can be certified; tb.Histograms and tb.from_loss_distribution take distributions.",
        )
    return mechanism


def _prv_bracket_within(width: float, narrowest: float, ask: Callable[[float], Bracket]) -> Bracket:
    """Return a bracket of the usual relative width, or of the absolute one if that is less."""
    usual = ask(USUAL_RTOL)
    if usual.width <= width or usual.upper == np.inf:
        return usual
    return ask(max(width / usual.upper, narrowest))


def _prv_triple(answer: Bracket) -> Triple:
    return answer.lower, answer.estimate, answer.upper
