"""The places that losses of randomised response can take: whole multiples of a unit that a menu's epsilons share."""

import math
from collections.abc import Sequence
from fractions import Fraction

from tightbudget.errors import InvalidParameter
from tightbudget.research.games.steps import Response, Step

LARGEST = 2**53  # places are exact as floats up to here


class Lattice:
    """The epsilons of a menu, read as the decimals they print as, in whole units.

    A typed 0.1 is 1/10 here and the float nearest to it in the law of the step: they differ by less than an ulp, which
    the error of an exact game allows for.

    >>> lattice = Lattice([Step(None, Response(0.1)), Step(None, Response(0.45))], rounds=10)
    >>> lattice.unit, lattice.sizes
    (Fraction(1, 20), (2, 9))
    """

    def __init__(self, menu: Sequence[Step], rounds: int) -> None:
        self.laws = tuple(item.law for item in menu if isinstance(item.law, Response))
        if len(self.laws) != len(menu):
            raise InvalidParameter("menu", menu, "steps of randomised response only", "Simulate the others.")
        typed = [Fraction(repr(law.epsilon)) for law in self.laws]
        whole = math.lcm(*(value.denominator for value in typed))
        self.unit = Fraction(math.gcd(*(int(value * whole) for value in typed)), whole)
        self.sizes = tuple(int(value / self.unit) if self.unit else 0 for value in typed)
        self.reach = rounds * max(law.epsilon for law in self.laws)  # no finite loss is larger
        if rounds * max(self.sizes) > LARGEST:
            raise InvalidParameter(
                "menu", [law.epsilon for law in self.laws], "short decimals", "An exact game needs epsilons with a common unit."
            )
