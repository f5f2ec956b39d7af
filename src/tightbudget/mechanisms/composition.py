"""What can be composed, and the composition: mechanisms, their repetitions and sums, and the relations they know."""

from collections.abc import Iterable
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Any

from tightbudget.cached import cached_property
from tightbudget.engine.direction import OneDirection
from tightbudget.engine.steps import Steps
from tightbudget.errors import InvalidParameter
from tightbudget.lazy import found_at
from tightbudget.mechanisms.checks import MOST_REPETITIONS, group_size, whole_count
from tightbudget.mechanisms.engine_directions import (
    attains_pair,
    directions_of,
    directions_with_promises_apart,
    steps_in_direction,
)
from tightbudget.mechanisms.questions import Questions
from tightbudget.mechanisms.relations import (
    RELATIONS,
    Relations,
    check_one_relation,
    mix_relations_asked,
    relation_label,
    relation_named,
)
from tightbudget.pairs.base import Direction
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst

if TYPE_CHECKING:
    from tightbudget.mechanisms.mechanism import Mechanism


def in_notation(value: object) -> object:
    """Return a composition as it is written, for a sentence about it; anything else as it is."""
    return str(value) if isinstance(value, Composable) else value


class Composable(Questions):
    """Anything whose privacy cost can be asked for."""

    @property
    def _items(self) -> "tuple[tuple[Mechanism, int], ...]":
        """The steps with their counts, whatever relations they are stated for."""
        raise NotImplementedError

    @cached_property
    def _parts(self) -> "tuple[tuple[Mechanism, int], ...]":
        """The same, for whoever adds them up: refused if they are stated for several relations and nobody said so."""
        self.check_relations()
        return self._items

    def check_relations(self) -> None:
        """Raise MixedRelations if the steps are stated for several relations, and nobody said that this is meant."""
        if len(self.relations) > 1 and not self._mixes:
            check_one_relation(((step, step.relations) for step, _ in self._items), _ordered_relations(self.known_relations))

    @property
    def _larger_alone(self) -> "Composable":
        """The composition in the direction that is known to be the larger one in every step; in both if none is."""
        larger = {step.larger for step, _ in self._items}
        only = larger.pop() if len(larger) == 1 and self._only is None else None
        return self if only is None else self.asked(direction=only)

    @property
    def _mixes(self) -> bool:
        """Whether steps for different relations were composed on purpose."""
        return len(self.relations) > 1

    @cached_property
    def _directions(self) -> tuple[OneDirection, ...]:
        return directions_of(self._parts, self._only)

    @cached_property
    def _directions_apart(self) -> tuple[OneDirection, ...] | None:
        return directions_with_promises_apart(self._parts, self._only)

    @cached_property
    def _orders_exchanged(self) -> bool:
        """Whether both directions have the same pair of laws, in either order: so if every step has (M23)."""
        return all(mechanism.orders_exchanged for mechanism, _ in self._parts)

    def _steps(self, direction: Direction) -> Steps:
        return steps_in_direction(self._parts, direction)

    @property
    def answers_for(self) -> str:
        """The neighbouring relation the answers are for: several joined by + where steps were mixed on purpose."""
        return relation_label(self.relations)

    @property
    def relation(self) -> str:
        """The same; of a mechanism that can be stated for several relations, the one stated."""
        return self.answers_for

    @cached_property
    def relations(self) -> Relations:
        """The relations that the steps state; promises state none, they are made for any."""
        return frozenset[str]().union(*(mechanism.relations for mechanism, _ in self._items))

    @property
    def known_relations(self) -> Relations:
        """The relations that can be asked about: those that every step knows.

        >>> from tightbudget import Gaussian, RandomizedResponse
        >>> (Gaussian(sigma=2.0) + RandomizedResponse(p=0.6)).known_relations
        frozenset({'replace_one'})
        """
        return frozenset(RELATIONS).intersection(*(mechanism.known_relations for mechanism, _ in self._items))

    def group(self, k: int) -> "Composable":
        """Return the composition as k records see it that come and go, or are replaced, together.

        Sensitivities and promises are multiplied and rounded up, so that an upper end holds for the group; on Poisson
        samples of Gaussian noise as many records count as are drawn (M27). What is not known is refused.

        >>> from tightbudget import Gaussian
        >>> print((Gaussian(sigma=20.0) * 512).group(3))
        gaussian(sigma=20.0, sensitivity=3.0) * 512
        """
        size = group_size(k)
        return self if size == 1 else compose([step.group(size) * n for step, n in self._items], self._mixes)

    def under(self, relation: str) -> "Composable":
        """Return the composition under one of the neighbouring relations that its steps know.

        >>> from tightbudget import Gaussian
        >>> print((Gaussian(sigma=2.0) * 10).under("replace_one"))
        gaussian(sigma=2.0, sensitivity=2.0, relation='replace_one') * 10
        """
        asked = relation_named(relation)
        return Composition(tuple((step.under(asked), count) for step, count in self._items))._seen(asked, self._only)

    def _seen(self, relation: str | None, only: Direction | None) -> "Composition":
        """Return the same steps with a relation to name in answers, or for one direction."""
        view = Composition(self._items, mix_relations=self._mixes)
        vars(view).update(_relation=relation, _only=only, _text=str(self))
        return view

    def asked(self, relation: str | None = None, direction: str | Direction | None = None) -> "Composable":
        """Return what a question under a relation, or about one direction, is about.

        It is kept, so that the next such question finds what was computed.
        """
        if relation is None and direction is None:
            return self
        key = (None if relation is None else relation_named(relation), _direction_named(direction))
        kept: dict[object, Composable] = vars(self).setdefault("_views", {})
        if key not in kept:
            found = self if key[0] is None else self.under(key[0])
            label = key[0] or found.answers_for
            kept[key] = found if (label, key[1]) == (found.answers_for, found._only) else found._seen(label, key[1])
        return kept[key]

    @property
    def rests_on(self) -> str:
        """Theorems that upper ends rest on and whose proofs have not been checked here; nothing of almost all steps."""
        return " and ".join(dict.fromkeys(mechanism.rests_on for mechanism, _ in self._items if mechanism.rests_on))

    @property
    def _member(self) -> "Composition | None":
        """The first of the compositions that can occur, where the pairs here dominate a class."""
        return self._members[0] if self._members else None

    @cached_property
    def _members(self) -> "tuple[Composition, ...]":
        """Compositions that can occur, where the pairs here dominate a class and no member attains them all."""
        found = [mechanism.members() for mechanism, _ in self._parts]
        # most single steps attain their pair; steps that reveal nothing are none
        single = max(direction.steps.total for direction in self._directions) <= 1
        if all(members == (step,) for members, (step, _) in zip(found, self._parts, strict=True)):
            return ()
        if single and all(attains_pair(mechanism) for mechanism, _ in self._parts):
            return ()
        occurring = [
            tuple((members[min(i, len(members) - 1)], n) for members, (_, n) in zip(found, self._parts, strict=True))
            for i in range(max(map(len, found)))
        ]
        composed = [mechanism.composed_member() for mechanism, _ in self._parts]
        if any(composed):
            steps = (one._items if one else ((members[0], 1),) for one, members in zip(composed, found, strict=True))
            repeated = ((items, n) for items, (_, n) in zip(steps, self._parts, strict=True))
            occurring.insert(0, tuple((step, count * n) for items, n in repeated for step, count in items))
        countable = map(_as_many_as_count, occurring)
        return tuple(Composition(items, mix_relations=True)._seen(None, self._only) for items in countable)

    @cached_property
    def _analyst(self) -> ChoosingAnalyst | None:
        """Who chooses, after each answer, which of several members the next step is; None if we know of nobody."""
        if len(self._parts) != 1:
            return None
        (step, count) = self._parts[0]
        return step.choosing_analyst(count)

    def __add__(self, other: object) -> "Composition":
        if not isinstance(other, Composable):
            return NotImplemented
        return compose([self, other])

    def __radd__(self, other: object) -> "Composition":
        if isinstance(other, int) and other == 0:  # so that sum([...]) works
            return compose([self])
        return NotImplemented

    def __mul__(self, count: object) -> "Composition":
        if isinstance(count, Composable):
            return NotImplemented
        times = whole_count(count)
        return Composition(tuple((mechanism, n * times) for mechanism, n in self._items), mix_relations=self._mixes)

    __rmul__ = __mul__

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_table

        heading = ("mechanism", "times") if self._items else ("nothing",)
        return html_table(heading, self._items, caption=f"neighbouring relation: {self.answers_for}")

    def __getstate__(self) -> dict[str, Any]:
        # results already computed stay behind when an object is copied or sent elsewhere
        cached = {
            "_parts",
            "_directions",
            "_directions_apart",
            "_orders_exchanged",
            "_members",
            "_analyst",
            "_pair",
            "_pairs",
            "_views",
            "_under_relations",
            "relations",
        }
        return {name: value for name, value in self.__dict__.items() if name not in cached}


@dataclass(frozen=True, eq=True)
class Composition(Composable):
    """Mechanisms run one after another, with their counts, in the order they were given.

    Equal neighbours are counted together and those with count 0 dropped, so that equal compositions print alike. Steps
    stated for different neighbouring relations are answered for under a relation that all of them know, if that is
    asked for; else they are refused, unless `mix_relations` says that this is meant (decisions 0009 and 0027).

    >>> from tightbudget import Gaussian, Laplace
    >>> week = Gaussian(sigma=80) * 512 + Laplace(scale=200) * 100  # made by * and +, seldom by hand
    >>> print(week.epsilon(delta=1e-6))
    [1.232..., 1.232...]
    """

    items: "tuple[tuple[Mechanism, int], ...]" = ()
    mix_relations: InitVar[bool] = False

    def __post_init__(self, mix_relations: bool) -> None:
        merged: list[tuple[Mechanism, int]] = []
        for mechanism, count in _mechanism_count_pairs(self.items):
            times = whole_count(count)
            if merged and merged[-1][0] == mechanism:
                merged[-1] = (mechanism, whole_count(merged[-1][1] + times))
            elif times:
                merged.append((mechanism, times))
        object.__setattr__(self, "items", tuple(merged))
        vars(self)["_mixed"] = mix_relations_asked(mix_relations)
        if not mix_relations and len(self.relations) > 1 and not self.known_relations:
            check_one_relation((mechanism, mechanism.relations) for mechanism, _ in merged)

    @property
    def _items(self) -> "tuple[tuple[Mechanism, int], ...]":
        return self.items

    @property
    def _mixes(self) -> bool:
        return bool(vars(self)["_mixed"])

    @property
    def answers_for(self) -> str:
        return vars(self).get("_relation") or relation_label(self.relations)

    def __str__(self) -> str:
        if "_text" in vars(self):
            return str(vars(self)["_text"])
        if not self.items:
            return "nothing"
        if len(self.items) == 1 and self.items[0][1] == 1:
            return f"{self.items[0][0]} * 1"  # a composition of one, not the mechanism itself
        return " + ".join(str(mechanism) if count == 1 else f"{mechanism} * {count}" for mechanism, count in self.items)


def _mechanism_count_pairs(items: Any) -> "list[tuple[Mechanism, int]]":
    try:
        pairs = [(mechanism, count) for mechanism, count in items]
    except (TypeError, ValueError):
        raise InvalidParameter("items", items, "pairs (mechanism, count)") from None
    for mechanism, _ in pairs:
        if not isinstance(mechanism, Composable) or isinstance(mechanism, Composition):
            raise InvalidParameter("items", mechanism, "pairs (mechanism, count)")
    return pairs


def compose(parts: "Iterable[Composable | str]", mix_relations: bool = False) -> Composition:
    """Return the composition of mechanisms or compositions, or of their notation.

    Steps stated for different neighbouring relations are answered for under a relation that all know, if that is asked
    for; else they are refused, unless `mix_relations` says that this is meant. A part that was mixed before may be
    joined by more steps for its relations.

    >>> from tightbudget import Gaussian, Laplace
    >>> print(compose([Gaussian(sigma=80) * 512, Laplace(scale=200)]))
    gaussian(sigma=80) * 512 + laplace(scale=200)
    """
    items: list[tuple[Mechanism, int]] = []
    given: list[Relations] = []
    if not isinstance(parts, Iterable) or isinstance(parts, str):
        raise InvalidParameter("compose", parts, "a list of mechanisms or compositions")
    for given_part in parts:
        part = found_at("tightbudget.notation:parse")(given_part, mix_relations) if isinstance(given_part, str) else given_part
        if not isinstance(part, Composable):
            raise InvalidParameter("compose", part, "a list of mechanisms or compositions")
        items.extend(part._items)
        if part._mixes or len(part.relations) == 1:
            given.append(part.relations)
    everything = frozenset[str]().union(*(mechanism.relations for mechanism, _ in items))
    return Composition(tuple(items), mix_relations_asked(mix_relations) or everything in given)


def _ordered_relations(relations: Relations) -> list[str]:
    return [relation for relation in RELATIONS if relation in relations]


def _direction_named(direction: object) -> Direction | None:
    if direction is None or isinstance(direction, Direction):
        return direction
    try:
        return Direction(direction)
    except ValueError:
        raise InvalidParameter("direction", direction, "remove or add", "Leave it out for the larger of both.") from None


def _as_many_as_count(items: "Iterable[tuple[Mechanism, int]]") -> "tuple[tuple[Mechanism, int], ...]":
    """Return steps for a lower end, which holds of fewer repetitions too, where they are more than can be counted."""
    merged: list[tuple[Mechanism, int]] = []
    for step, count in items:
        if merged and merged[-1][0] == step:
            merged[-1] = step, min(merged[-1][1] + count, MOST_REPETITIONS)
        else:
            merged.append((step, min(count, MOST_REPETITIONS)))
    return tuple(merged)
