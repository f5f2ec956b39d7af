"""A composition as one mechanism, through bounds on its privacy profile: what is run to select from (M32, M39)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.mechanisms.composition import Composition, compose
from tightbudget.mechanisms.kept_pairs import KeptPairs
from tightbudget.mechanisms.mechanism import Mechanism
from tightbudget.mechanisms.promise import PureDP
from tightbudget.mechanisms.relations import Relations
from tightbudget.pairs.base import Array, Direction, Pair
from tightbudget.pairs.from_profile import losses_below, pair_from_profile
from tightbudget.pairs.revealing import revealing_pair

_LEAST = 1e-20  # delta, below which the profile is not followed: what is left counts as if it revealed everything
_MOST_LOSS = 640.0  # e^650 is the largest ratio of a pair from a profile
_SHORTEST = 1e-6  # range of losses
_ANCHORS, _BETWEEN = 24, 7  # losses at which delta is asked for, and dots from one to the next


@dataclass(frozen=True)
class OneRun(KeptPairs):
    """What `RepeatAndSelect` runs where it is given a composition without a pair of its own; it prints as that.

    Its profile is asked about at some 170 losses in either direction, which takes seconds.
    """

    name: ClassVar[str] = "one_run"
    attains_pair: ClassVar[bool] = False

    composition: Composition

    def __post_init__(self) -> None:
        self.composition.check_relations()
        self.composition.check_proven()
        if self.composition._only is not None:  # the best run is asked about in both directions
            object.__setattr__(self, "composition", compose([self.composition]))

    @cached_property
    def relations(self) -> Relations:
        return self.composition.relations

    def _under(self, relation: str) -> "OneRun | None":
        if relation not in self.composition.known_relations:
            return None
        return OneRun(Composition(tuple((step.under(relation), count) for step, count in self.composition.items)))

    def member(self) -> Mechanism:
        return PureDP(0.0)  # bounds on a profile say nothing of what is revealed at least

    def composed_member(self) -> Composition:
        return self.composition._member or self.composition

    def _pair_in(self, direction: Direction) -> Pair | None:
        if self._ratios is None:
            return revealing_pair()
        there, back = self._profiles if direction is Direction.REMOVE else self._profiles[::-1]
        return pair_from_profile(("one run", self.composition, direction), self._ratios, there, back)

    @cached_property
    def _profiles(self) -> tuple[Array, Array]:
        """Upper bounds on delta at 0 and at the dots, where a record is removed, and where it is added."""
        assert self._ratios is not None
        losses = np.append(0.0, np.maximum(losses_below(self._ratios), 0.0)).tolist()
        views = [self.composition.asked(direction=direction) for direction in Direction]
        if len(self.composition._directions) == 1:
            views = views[:1]
        found = [np.minimum.accumulate([view.delta(loss).upper for loss in losses]) for view in views]
        return found[0], found[-1]

    @cached_property
    def _ratios(self) -> Array | None:
        """Where the profile is bounded: close together where delta falls fast; None if all is revealed."""
        largest, always = (self.composition.delta(epsilon).upper for epsilon in (0.0, math.inf))
        least = min(1.0, max(_LEAST, 2.0 * always))
        if math.isinf(self.composition.epsilon(least).upper):
            return None
        deltas = np.geomspace(max(largest, least), least, _ANCHORS)
        anchors = np.append(0.0, [self.composition.epsilon(delta).upper for delta in deltas.tolist()])
        anchors = np.minimum(np.maximum.accumulate(anchors), _MOST_LOSS)
        dots = np.interp(np.arange(1, _ANCHORS * _BETWEEN + 1) / _BETWEEN, np.arange(anchors.size), anchors)
        ratios = np.unique(np.exp(np.append(dots, max(float(anchors[-1]), _SHORTEST))))
        return ratios[ratios > 1.0]

    def __str__(self) -> str:
        return str(self.composition)
