"""Numbers and what is computed with them, within the limits of a float."""

import ast
import math
from collections.abc import Iterable

from tightbudget.notation.terms import MAX_INTEGER_BITS, TOO_LARGE, Term

Number = int | float


def as_written(term: Term, node: ast.Constant, value: float) -> float:
    """Return a number as it was written, unless no float is near: 1e-400 is not 0, and 1e400 is not infinite."""
    if value == 0.0 or math.isinf(value):
        digits = (ast.get_source_segment(term.source, node) or "").lower().partition("e")[0]
        if math.isinf(value) or digits.strip("0._"):
            term.fail(node, f"This number is too {'large' if value else 'small'} for a float")
    return value


def checked(term: Term, node: ast.expr, number: Number) -> Number:
    if isinstance(number, int) and number.bit_length() > MAX_INTEGER_BITS:
        term.fail(node, TOO_LARGE)
    return number


def arithmetic(term: Term, node: ast.BinOp, left: Number, right: Number) -> Number:
    """Subtract, multiply, divide or raise to a power; sums are added up by `total`."""
    try:
        match node.op:
            case ast.Sub():
                return checked(term, node, left - right)
            case ast.Mult():
                return checked(term, node, left * right)
            case ast.Div():
                return left / right
            case ast.Pow():
                return _power(term, node, left, right)
    except (OverflowError, ZeroDivisionError):
        term.fail(node, "This number cannot be computed: it divides by zero or is too large")
    term.fail(node, "This operation is not part of the notation; numbers know + - * / **")


def total(term: Term, nodes: Iterable[ast.expr], numbers: Iterable[Number]) -> Number:
    # One by one, as Python adds; its own sum() adds floats differently from version 3.12 on.
    added: Number = 0
    for node, number in zip(nodes, numbers, strict=True):
        added = checked(term, node, added + number)
    return added


def square_root(term: Term, node: ast.Call, number: Number) -> float:
    if number < 0:
        term.fail(node, "A root of a negative number is not a number")
    return math.sqrt(number)


def _power(term: Term, node: ast.expr, base: Number, exponent: Number) -> Number:
    # Known before it is computed: 9**9**9 has 370 million digits.
    if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > MAX_INTEGER_BITS:
        raise OverflowError
    power = base**exponent
    if isinstance(power, complex):
        term.fail(node, "A root of a negative number is not a number")
    return float(power) if isinstance(power, float) else int(power)
