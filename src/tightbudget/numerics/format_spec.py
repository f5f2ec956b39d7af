"""Two ends written as a format specification says, each rounded outward: `f"{bracket:.3f}"`."""

import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext

# The specification of a float, less zero padding and "=", which lay out one number and not two, and less "#" and "_",
# which decimal numbers do not know.
_SPEC = re.compile(
    r"(?P<layout>(?:.?[<>^])?)(?P<sign>[-+ ]?)z?(?P<width>(?:[1-9]\d*)?)(?P<grouping>,?)"
    r"(?:\.(?P<precision>\d+))?(?P<kind>[eEfFgG%]?)",
    re.ASCII | re.DOTALL,
)
_USUAL_DIGITS = 6  # of floats, where the specification says nothing
_MOST_DIGITS, _MOST_COLUMNS = 4, 6  # so many digits of these numbers: more is a mistake, and would fill the memory


def formatted_ends(lower: float, upper: float, spec: str, usual: str) -> str:
    """Return "[lower, upper]", the lower end rounded down and the upper end up to the digits that are asked for.

    `usual` is the text where a specification says nothing of numbers, only where the text is to stand.

    >>> formatted_ends(1.0 / 3.0, 2.0 / 3.0, ".2f", ""), formatted_ends(1.0, math.inf, ">14.1f", "")
    ('[0.33, 0.67]', '    [1.0, inf]')
    """
    found = _SPEC.fullmatch(spec)
    if found is None or len(found["precision"] or "") > _MOST_DIGITS or len(found["width"]) > _MOST_COLUMNS:
        raise ValueError(
            f"invalid format specifier {spec!r} for a bracket; use one for floats, such as '.3f', '.2e' or '>20.4g'"
        )
    text = usual
    if any(found[part] for part in ("sign", "grouping", "precision", "kind")):
        digits = found["precision"] or _USUAL_DIGITS
        each = f"{found['sign']}z{found['grouping']}.{digits}{found['kind'] or 'g'}"  # "z": no minus before 0
        text = f"[{_rounded_to_spec(lower, each, ROUND_FLOOR)}, {_rounded_to_spec(upper, each, ROUND_CEILING)}]"
    return format(text, f"{found['layout'] or '>'}{found['width']}")


def _rounded_to_spec(value: float, spec: str, rounding: str) -> str:
    if math.isinf(value) or value == 0.0:
        return format(value, spec)
    with localcontext(Context(rounding=rounding, traps=[])):  # formatting rounds as the context says
        return format(Decimal(value), spec)
