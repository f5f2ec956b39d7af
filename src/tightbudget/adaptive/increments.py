"""Increments: what one step may declare to a filter or odometer, besides the mechanisms of the engine."""

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from tightbudget.adaptive.amounts import exact, exact_probability, show
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import BY_NAME, Composable, Mechanism
from tightbudget.notation import parse, parse_call


class Declared:
    """A promise about moments: it is no mechanism, it has no pair, and nothing is known of it but what it declares."""

    relations: ClassVar[frozenset[str]] = frozenset()  # made for whichever is meant

    delta: Fraction

    def zcdp(self) -> Fraction | None:
        """Return rho, if the promise implies one."""
        return None

    def at(self, order: Fraction) -> Fraction | None:
        """Return a bound on the Rényi divergence at an order, if the promise implies one."""
        return None


@dataclass(frozen=True, init=False, repr=False)
class ZCDP(Declared):
    """A step that promises rho-zero-concentrated privacy, after removal of an event of probability delta.

    >>> print(ZCDP(rho=0.01), ZCDP(rho="1/3", delta=1e-9))
    zcdp(rho=0.01) zcdp(rho="1/3", delta=1e-09)
    """

    name: ClassVar[str] = "zcdp"

    rho: Fraction
    delta: Fraction

    def __init__(self, rho: Any, delta: Any = 0) -> None:
        object.__setattr__(self, "rho", exact("rho", rho))
        object.__setattr__(self, "delta", exact_probability("delta", delta))

    def zcdp(self) -> Fraction:
        return self.rho

    def at(self, order: Fraction) -> Fraction:
        return order * self.rho

    def __str__(self) -> str:
        return f"zcdp(rho={_literal(self.rho)}{_delta(self.delta)})"

    __repr__ = __str__


@dataclass(frozen=True, init=False, repr=False)
class RDP(Declared):
    """A step that promises Rényi divergence values[i] at orders[i] > 1, after removal of an event of probability delta.

    One order or several; both directions of the neighbouring relation are meant.

    >>> print(RDP(8, 0.02), RDP([2, 4], [0.01, 0.03]))
    rdp(order=8, value=0.02) rdp(order=[2, 4], value=[0.01, 0.03])
    """

    name: ClassVar[str] = "rdp"

    orders: tuple[Fraction, ...]
    values: tuple[Fraction, ...]
    delta: Fraction

    def __init__(self, orders: Any, values: Any, delta: Any = 0) -> None:
        given = [exact_order(order) for order in _several(orders)]
        bounds = [exact("value", value) for value in _several(values)]
        if not given or len(given) != len(bounds):
            raise InvalidParameter("orders", orders, f"one for each value, but there are {len(bounds)} values")
        if len(set(given)) < len(given):
            raise InvalidParameter("orders", orders, "different from each other")
        pairs = sorted(zip(given, bounds, strict=True))
        object.__setattr__(self, "orders", tuple(order for order, _ in pairs))
        object.__setattr__(self, "values", tuple(value for _, value in pairs))
        object.__setattr__(self, "delta", exact_probability("delta", delta))

    def at(self, order: Fraction) -> Fraction | None:
        """Return a bound on the divergence at an order, or None if the order is above all that were declared.

        (order - 1) times the divergence is convex in the order and 0 at order 1, so it lies below its chords.
        """
        below, curve_below = Fraction(1), Fraction(0)
        for above, value in zip(self.orders, self.values, strict=True):
            curve_above = (above - 1) * value
            if order <= above:
                share = (order - below) / (above - below)
                return (curve_below + share * (curve_above - curve_below)) / (order - 1)
            below, curve_below = above, curve_above
        return None

    def __str__(self) -> str:
        if len(self.orders) == 1:
            return f"rdp(order={_literal(self.orders[0])}, value={_literal(self.values[0])}{_delta(self.delta)})"
        orders, values = (", ".join(map(_literal, numbers)) for numbers in (self.orders, self.values))
        return f"rdp(order=[{orders}], value=[{values}]{_delta(self.delta)})"

    __repr__ = __str__


Increment = Composable | ZCDP | RDP
Step = Mechanism | Declared
"""What a composition is made of, and what stands alone."""


_PROMISES = {"zcdp": ("rho", "delta"), "rdp": ("order", "value", "delta")}
_STARTS_A_PROMISE = re.compile(rf"\s*({'|'.join(_PROMISES)})\b")


def parse_increment(text: str, mix_relations: bool = False) -> Increment:
    """Read a step: the notation of mechanisms and compositions, and besides it zcdp(rho) and rdp(order, value).

    >>> parse_increment("rdp(order=8, value=0.02)"), parse_increment("zcdp(rho=0.01, delta=1e-9)")
    (rdp(order=8, value=0.02), zcdp(rho=0.01, delta=1e-09))
    >>> parse_increment("pure_dp(epsilon=0.01) * 3")
    Composition(items=((PureDP(promised_epsilon=0.01), 3),))
    """
    if not isinstance(text, str) or not (_STARTS_A_PROMISE.match(text) or _misspells_a_promise(text)):
        return parse(text, mix_relations)
    name, arguments = parse_call(text, _PROMISES)
    for needed in _PROMISES[name][:-1]:
        if needed not in arguments:
            raise InvalidParameter("increment", text, f"given with {' and '.join(_PROMISES[name][:-1])}")
    return ZCDP(**arguments) if name == "zcdp" else RDP(arguments["order"], arguments["value"], arguments.get("delta", 0))


def _misspells_a_promise(text: str) -> bool:
    """Return whether the text begins with a name that is no mechanism's but much like a promise's."""
    name = re.match(r"\s*(\w+)", text)
    if name is None or name[1].lower() in BY_NAME:
        return False
    return bool(difflib.get_close_matches(name[1].lower(), _PROMISES, n=1, cutoff=0.75))


def exact_order(value: Any) -> Fraction:
    order = exact("order", value, "a finite number above 1")
    if order <= 1:
        raise InvalidParameter("order", value, "a finite number above 1", "For order 1 give a slightly larger one.")
    return order


def checked_increment(value: object) -> Increment:
    if isinstance(value, Composable | ZCDP | RDP):
        return value
    hint = "Text is read by tb.filters.parse_increment." if isinstance(value, str) else "For example tb.PureDP(epsilon=0.1)."
    raise InvalidParameter("increment", value, "a mechanism, a composition, or a ZCDP or RDP promise", hint)


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _literal(number: Fraction) -> str:
    text = show(number)
    return f'"{text}"' if "/" in text else text


def _delta(delta: Fraction) -> str:
    return f", delta={_literal(delta)}" if delta else ""
