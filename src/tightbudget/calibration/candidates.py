"""Where to look next: a scale on which the search takes its steps, and numbers that are short to write."""

import math
from dataclasses import dataclass

Number = int | float

_DIGITS = 17  # enough for any float


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
