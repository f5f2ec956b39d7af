"""Numbers and what is computed with them, within the limits of a float."""

import ast
import math
from collections.abc import Iterable

from tightbudget.notation.terms import MAX_INTEGER_BITS, TOO_LARGE, Term
from tightbudget.numerics.typed import NoFloat, typed_number

Number = int | float


def as_written(term: Term, node: ast.Constant) -> float:
    """Return a number as it was written, unless no float is near: 1e-400 is not 0, and 1e400 is not infinite."""
    try:
        return typed_number(term.written(node))
    except NoFloat as problem:
        term.fail(node, f"This number is {problem}")


def checked_number(term: Term, node: ast.expr, number: Number) -> Number:
    if isinstance(number, int) and number.bit_length() > MAX_INTEGER_BITS:
        term.fail(node, TOO_LARGE)
    return number


def arithmetic(term: Term, node: ast.BinOp, left: Number, right: Number) -> Number:
    """Subtract, multiply, divide or raise to a power; sums are added up by `sum_of_numbers`."""
    try:
        return _in_range(term, node, left, right, _computed_number(term, node, left, right))
    except (OverflowError, ZeroDivisionError):
        term.fail(node, "This number cannot be computed: it divides by zero or is too large")


def _computed_number(term: Term, node: ast.BinOp, left: Number, right: Number) -> Number:
    match node.op:
        case ast.Sub():
            return checked_number(term, node, left - right)
        case ast.Mult():
            return checked_number(term, node, left * right)
        case ast.Div():
            return left / right
        case ast.Pow():
            return _computed_power(term, node, left, right)
    term.fail(node, "This operation is not part of the notation; numbers know + - * / **")


def _in_range(term: Term, node: ast.BinOp, left: Number, right: Number, result: Number) -> Number:
    """Refuse a result that only rounding made 0 or infinite: finite numbers, none of them 0, give neither."""
    if 0 in (left, right) or not (math.isfinite(left) and math.isfinite(right)):
        return result
    if math.isinf(result):
        raise OverflowError
    if result == 0 and not isinstance(node.op, ast.Sub):
        term.fail(node, "This number is too small for a float; the smallest above 0 is 5e-324")
    return result


def sum_of_numbers(term: Term, nodes: Iterable[ast.expr], numbers: Iterable[Number]) -> Number:
    # One by one, as Python adds; its own sum() adds floats differently from version 3.12 on.
    added: Number = 0
    for node, number in zip(nodes, numbers, strict=True):
        before, added = added, checked_number(term, node, added + number)
        if math.isinf(added) and math.isfinite(before) and math.isfinite(number):
            term.fail(node, "This sum is too large for a float")
    return added


def square_root(term: Term, node: ast.Call, number: Number) -> float:
    if number < 0:
        term.fail(node, "A root of a negative number is not a number")
    return math.sqrt(number)


def _computed_power(term: Term, node: ast.expr, base: Number, exponent: Number) -> Number:
    # Known before it is computed: 9**9**9 has 370 million digits. A power below 1 is a float and has no such trouble.
    whole = isinstance(base, int) and isinstance(exponent, int) and exponent > 0
    if whole and int(base).bit_length() * exponent > MAX_INTEGER_BITS:
        raise OverflowError
    power = base**exponent
    if isinstance(power, complex):
        term.fail(node, "A root of a negative number is not a number")
    return float(power) if isinstance(power, float) else int(power)
