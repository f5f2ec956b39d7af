"""Where to look next: a scale on which the search takes its steps, and numbers that are short to write."""

import math
from dataclasses import dataclass

Number = int | float

_DIGITS = 17  # enough for any float
_SEVERAL = 2.0  # times: numbers that are farther apart are told by their quotient


@dataclass(frozen=True, slots=True)
class Scale:
    """Places of numbers: their logarithms, or themselves where some may be negative; `whole` ones from 0 on."""

    whole: bool = False
    linear: bool = False

    def place(self, number: Number) -> float:
        if self.linear:
            return float(number)
        return math.log(number + 0.5) if self.whole else math.log(number)

    def number(self, place: float) -> Number:
        if self.linear:
            return round(place) if self.whole else place
        grown = math.exp(min(place, 709.0))
        return max(0, round(grown - 0.5)) if self.whole else grown

    def gap(self, one: Number, other: Number) -> float:
        """Return the distance of two numbers, relative to the larger."""
        size = max(abs(one), abs(other))
        return abs(one - other) / size if size else 0.0

    def apart(self, one: Number, other: Number) -> str:
        """Return how far two numbers are apart, as the rest of a sentence that ends in a noun for them.

        >>> Scale().apart(0.12, 0.15), Scale().apart(2e8, 2), Scale(linear=True).apart(-1.0, 3.0)
        ('which are 0.2 of the larger apart', 'of which one is 1e+08 times the other', 'which are -1.0 and 3.0')
        """
        small, large = sorted((abs(one), abs(other)))
        if one < 0 < other or other < 0 < one or small == 0:
            return f"which are {one!r} and {other!r}"
        if large >= _SEVERAL * small:
            return f"of which one is {large / small:.3g} times the other"
        return f"which are {self.gap(one, other):.2g} of the larger apart"


def shortest_number(low: float, high: float) -> float:
    """Return the number between two others that has the fewest digits.

    >>> shortest_number(2.35561752, 2.35561839)
    2.355618
    >>> shortest_number(-0.31, -0.29)
    -0.3
    """
    middle = low + 0.5 * (high - low)
    for digits in range(1, _DIGITS):
        for near in (middle, low, high):
            short = float(f"{near:.{digits - 1}e}")
            if low <= short <= high:
                return short
    return middle
