"""Several releases made from one sample of the records: composed before they are sampled (M3)."""

from dataclasses import dataclass
from typing import ClassVar

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.composition import Composition
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import Relations
from tightbudget.pairs.base import Direction, Pair
from tightbudget.pairs.points import PointPair
from tightbudget.pairs.product import MOST_EVENTS, product_pair
from tightbudget.pairs.revealing import revealing_pair

_SEVERAL = f"normal noise, or mechanisms that together have at most {MOST_EVENTS} outcomes"


@dataclass(frozen=True)
class OneSample(Mechanism):
    """What `Poisson` runs where it is given a composition; it prints as that composition."""

    name: ClassVar[str] = "one_sample"

    composition: Composition

    def __post_init__(self) -> None:
        for direction in Direction:
            if self._made(direction) is None:
                hint = "If each release has a sample of its own, repeat outside the brackets: poisson(...) * n."
                raise InvalidParameter("mechanism", str(self), _SEVERAL, hint)

    @cached_property
    def relations(self) -> Relations:
        return self.composition.relations

    def _under(self, relation: str) -> "OneSample | None":
        if relation not in self.composition.known_relations:
            return None
        return OneSample(Composition(tuple((step.under(relation), count) for step, count in self.composition.items)))

    @property
    def rests_on(self) -> str:
        return self.composition.rests_on

    @property
    def attains_pair(self) -> bool:  # type: ignore[override]
        return self.member() == self

    def member(self) -> Mechanism:
        members = tuple((step.member(), count) for step, count in self.composition.items)
        if members == self.composition.items:
            return self
        try:
            return OneSample(Composition(members, mix_relations=True))
        except InvalidParameter:  # of several such members we have no pair
            return PureDP(0.0)

    @property
    def absent_if_zeroed(self) -> bool:
        return all(step.absent_if_zeroed for step, _ in self.composition.items)

    @property
    def orders_exchanged(self) -> bool:
        return self.composition._orders_exchanged

    def pair(self, direction: Direction) -> Pair | None:
        (found,) = self._made(direction) or (None,)
        return found

    def _made(self, direction: Direction) -> tuple[Pair | None] | None:
        """Return the pair of all of them, which is None if they reveal nothing; None if we have no such pair."""
        steps = self.composition._steps(direction)
        if steps.total <= 1:
            return (steps.items[0][0] if steps.items else None,)
        if any(step.reveals_everything for step, _ in self.composition.items):
            return (revealing_pair(),)
        pairs = [pair for pair, count in steps.items for _ in range(min(count, MOST_EVENTS))]
        finite = [pair for pair in pairs if isinstance(pair, PointPair)]
        product = product_pair(finite) if len(finite) == steps.total else None
        return None if product is None else (product,)

    def __str__(self) -> str:
        return str(self.composition)
