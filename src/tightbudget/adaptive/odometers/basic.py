"""Basic composition as an odometer (Theorem 3.3 of Rogers, Roth, Ullman and Vadhan 2016): the parameters add up."""

from typing import Any, ClassVar

from tightbudget.adaptive import prices
from tightbudget.adaptive.amounts import float_up, show
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.odometers.base import Odometer, Sums
from tightbudget.adaptive.states import State


class BasicOdometer(Odometer):
    """The sum of the epsilons; infinite once the deltas add up to more than delta.

    >>> from tightbudget import PureDP
    >>> odometer = BasicOdometer()
    >>> odometer.spend(PureDP(epsilon=0.1)), odometer.spend(PureDP(epsilon=0.2))
    (0.1, 0.3)
    >>> odometer.remaining(PureDP(epsilon=0.1), epsilon=1)
    7
    """

    kind: ClassVar[str] = "basic"
    sums: ClassVar[tuple[str, ...]] = ("delta", "epsilon")
    two_sided: ClassVar[bool] = True

    def __init__(self, delta: Any = 0, *, mix_relations: bool = False) -> None:
        super().__init__(delta, delta_for_steps=delta, mix_relations=mix_relations)

    def _price(self, increment: Increment) -> Sums:
        epsilon, delta = prices.basic_price(increment)
        return {"delta": delta, "epsilon": epsilon}

    def _bound(self, sums: Sums) -> float:
        return float_up(sums["epsilon"])

    def _settings(self) -> State:
        return {"delta": show(self._delta)}
