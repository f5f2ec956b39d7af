"""What can be composed: mechanisms, their repetitions and sums, and the questions all of them answer."""

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, InitVar, dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.reasons import NOT_PROVEN_HERE, OF_A_CLASS
from tightbudget.engine.refine import delta_bracket, epsilon_bracket
from tightbudget.engine.steps import Steps, engine_steps
from tightbudget.errors import Contradiction, InvalidParameter
from tightbudget.lazy import found_at
from tightbudget.mechanisms.answers import Curve, joined_curves
from tightbudget.mechanisms.arrays import ask_each, float_array
from tightbudget.mechanisms.below_zero import delta_below_zero
from tightbudget.mechanisms.checks import (
    any_epsilon_asked,
    asked_width,
    delta_asked,
    group_size,
    not_lost_to_zero,
    real,
    whole_count,
)
from tightbudget.mechanisms.exact_numbers import literal
from tightbudget.mechanisms.known_bounds import Known
from tightbudget.mechanisms.relations import (
    DEFAULT,
    RELATIONS,
    Relations,
    check_known,
    check_one_relation,
    mix_relations_asked,
    relation_label,
    relation_named,
    stated_relation,
)
from tightbudget.mechanisms.trends import HIDES, REVEALS, Trend
from tightbudget.mechanisms.whole_range import end_of_range, epsilons_between
from tightbudget.numerics.bracket import Bracket
from tightbudget.pairs.base import Direction
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst

NEGLIGIBLE_WIDTH = 1e-300
USUAL_POINTS = 101
_HELD = "a number that a float holds"


class Composable:
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
            check_one_relation(((step, step.relations) for step, _ in self._items), _ordered(self.known_relations))

    @property
    def _mixes(self) -> bool:
        """Whether steps for different relations were composed on purpose."""
        return len(self.relations) > 1

    _only: Direction | None = None  # the one direction that is asked about; None for both

    @cached_property
    def _directions(self) -> tuple[OneDirection, ...]:
        return self._seen_both_ways(_in_blocks(self._parts))

    @cached_property
    def _directions_apart(self) -> tuple[OneDirection, ...] | None:
        """The same with a pair for each promise on a sample, if there are any: either way is sound (M34)."""
        if not any(_is_sampled_promise(step) for step, _ in self._parts):
            return None
        apart = [part for part in self._parts if _is_sampled_promise(part[0])]
        return self._seen_both_ways([*apart, *_in_blocks(tuple(part for part in self._parts if part not in apart))])

    def _seen_both_ways(self, parts: "Iterable[tuple[Mechanism, int]]") -> tuple[OneDirection, ...]:
        if self._only is not None:
            return (OneDirection(_engine_steps(parts, self._only), self._only.value),)
        remove, add = (_engine_steps(parts, direction) for direction in Direction)
        if remove == add:
            return (OneDirection(remove, "both"),)
        return OneDirection(remove, Direction.REMOVE.value), OneDirection(add, Direction.ADD.value)

    def _steps(self, direction: Direction) -> Steps:
        return _engine_steps(_in_blocks(self._parts), direction)

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

    @overload
    def delta(
        self, epsilon: float, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Bracket: ...  # fmt: skip
    @overload
    def delta(
        self, epsilon: ArrayLike, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Any: ...  # fmt: skip
    def delta(
        self, epsilon: Any, rtol: float = 1e-3, atol: float = NEGLIGIBLE_WIDTH, effort: float | None = None, *,
        relation: str | None = None, direction: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a bracket of delta(epsilon), for arrays an array of brackets.

        Guarantee: lower <= sup_S A(S) - e^epsilon B(S) <= upper for the larger of both directions, rounding included;
        epsilon may be negative. `rtol` (relative to the upper end) and `atol` say how narrow the bracket should be;
        `converged` whether it is, and `trace` how it was made. `effort` limits the lists that are made: one unit is
        half a million points for each route, which take a second or so. By default it is 1, and 4 where `rtol` is below
        1e-4.

        `relation` is the neighbouring relation to ask about, by default the one that the steps state. With `direction`
        "remove" or "add" only that direction counts: A is the output with the record, or without it.
        """
        width = asked_width(rtol, atol, effort)
        asked = self.asked(relation, direction)
        return ask_each(epsilon, lambda value: asked._delta(any_epsilon_asked(value), *width))

    @overload
    def epsilon(
        self, delta: float, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Bracket: ...  # fmt: skip
    @overload
    def epsilon(
        self, delta: ArrayLike, rtol: float = ..., atol: float = ..., effort: float | None = ..., *,
        relation: str | None = ..., direction: str | None = ...,
    ) -> Any: ...  # fmt: skip
    def epsilon(
        self, delta: Any, rtol: float = 1e-3, atol: float = NEGLIGIBLE_WIDTH, effort: float | None = None, *,
        relation: str | None = None, direction: str | None = None,
    ) -> Any:  # fmt: skip
        """Return a bracket of the smallest epsilon >= 0 with at most the delta given; the rest as in `delta`."""
        width = asked_width(rtol, atol, effort)
        asked = self.asked(relation, direction)
        return ask_each(delta, lambda value: asked._epsilon(delta_asked(value), *width))

    def curve(
        self,
        epsilons: "ArrayLike | None" = None,
        rtol: float = 1e-3,
        atol: float = NEGLIGIBLE_WIDTH,
        effort: float | None = None,
        *,
        relation: str | None = None,
        direction: str | None = None,
    ) -> Curve:
        """Return lower and upper bounds of delta at each of the epsilons; `relation` and `direction` as in `delta`.

        Without epsilons, 101 of them from 0 to where delta is negligible, 1e-10 of what it is at 0, or no longer falls,
        and more where it falls steeply. delta falls as epsilon rises, so each bound also holds for the epsilons on one
        side of its own.
        """
        if relation is not None or direction is not None:
            return self.asked(relation, direction).curve(epsilons, rtol, atol, effort)
        self.check_proven()
        if epsilons is None:
            even = self.curve(np.linspace(0.0, end_of_range(self), USUAL_POINTS), rtol, atol, effort)
            return joined_curves(even, self.curve(epsilons_between(even), rtol, atol, effort))
        values = np.atleast_1d(float_array(epsilons))
        brackets = [self.delta(value, rtol, atol, effort) for value in values.ravel().tolist()]
        order = np.argsort(values, axis=None, kind="stable")
        lower, upper = np.empty(values.size), np.empty(values.size)
        upper[order] = np.minimum.accumulate(np.array([brackets[i].upper for i in order]))
        lower[order] = np.maximum.accumulate(np.array([brackets[i].lower for i in order])[::-1])[::-1]
        converged = all(bracket.converged for bracket in brackets)
        ends = lower.reshape(values.shape), upper.reshape(values.shape)
        return Curve(values, *ends, converged, self.answers_for, str(self), self)

    def _delta(self, epsilon: float, rtol: float, atol: float, effort: float | None) -> Bracket:
        if epsilon < 0.0:
            other = self if self._only is None else self.asked(None, _OTHER[self._only])
            return delta_below_zero(epsilon, other._delta(-epsilon, rtol, atol, effort))
        answer = delta_bracket(self._directions, epsilon, rtol, atol, effort)
        if self._directions_apart is not None:
            answer = min(answer, delta_bracket(self._directions_apart, epsilon, rtol, atol, effort), key=_upper_end)
        members = [member._delta(epsilon, rtol, atol, effort) for member in self._members]
        if members and self._analyst:
            members.append(Bracket(self._analyst.delta(epsilon), 1.0))
        return self._labelled(self._of_a_class(answer, members, rtol, atol) if members else answer)

    def _epsilon(self, delta: float, rtol: float, atol: float, effort: float | None) -> Bracket:
        answer = epsilon_bracket(self._directions, delta, rtol, atol, effort)
        if self._directions_apart is not None:
            answer = min(answer, epsilon_bracket(self._directions_apart, delta, rtol, atol, effort), key=_upper_end)
        members = [member._epsilon(delta, rtol, atol, effort) for member in self._members]
        if members and self._analyst:
            members.append(Bracket(self._analyst.epsilon(delta), math.inf))
        return self._labelled(self._of_a_class(answer, members, rtol, atol) if members else answer)

    def _labelled(self, answer: Bracket) -> Bracket:
        if self.rests_on and answer.upper > answer.lower:
            reason = NOT_PROVEN_HERE.format(self.rests_on)
            return Bracket(answer.lower, answer.upper, False, reason, self.answers_for, answer.trace)
        return Bracket(answer.lower, answer.upper, answer.converged, answer.reason, self.answers_for, answer.trace)

    @property
    def rests_on(self) -> str:
        """Theorems that upper ends rest on and whose proofs have not been checked here; nothing of almost all steps."""
        return " and ".join(dict.fromkeys(mechanism.rests_on for mechanism, _ in self._items if mechanism.rests_on))

    def check_proven(self) -> None:
        """Raise InvalidParameter if upper ends rest on what is not proven here: only single brackets say so."""
        if self.rests_on:
            hint = (
                f"{self.rests_on[0].upper()}{self.rests_on[1:]} has not been checked: ask for epsilon or delta, which say so."
            )
            raise InvalidParameter("composition", str(self), "one whose bounds are proven here", hint)

    def _of_a_class(self, answer: Bracket, members: list[Bracket], rtol: float, atol: float) -> Bracket:
        """Return the upper end of the pairs that dominate a class with the largest lower end of its members."""
        reason = next((step.class_reason for step, _ in self._parts if step.class_reason != OF_A_CLASS), OF_A_CLASS)
        return _joined(answer, max(members, key=lambda member: member.lower), rtol, atol, reason)

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
        if single and all(_attains_pair(mechanism) for mechanism, _ in self._parts):
            return ()
        return tuple(
            Composition(
                tuple((members[min(i, len(members) - 1)], n) for members, (_, n) in zip(found, self._parts, strict=True)),
                mix_relations=True,
            )._seen(None, self._only)
            for i in range(max(map(len, found)))
        )

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
        from tightbudget.markup import table

        heading = ("mechanism", "times") if self._items else ("nothing",)
        return table(heading, self._items, caption=f"neighbouring relation: {self.answers_for}")

    def __getstate__(self) -> dict[str, Any]:
        # results already computed stay behind when an object is copied or sent elsewhere
        cached = {
            "_parts",
            "_directions",
            "_directions_apart",
            "_members",
            "_analyst",
            "_pair",
            "_pairs",
            "_views",
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
        for mechanism, count in _pairs(self.items):
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


class Mechanism(Composable, Known):
    """One release. Subclasses are frozen dataclasses whose fields are the arguments of the notation.

    A field whose argument has another name says so in its metadata, under "argument".
    """

    name: ClassVar[str]
    neighbours: ClassVar[str] = DEFAULT  # unless there is a field `relation`
    attains_pair: ClassVar[bool] = True  # a single step, at every epsilon; else the lower end is that of `member`
    takes_text: ClassVar[bool] = False  # whether numbers may be given as text, such as "1/3", and are kept exactly
    formerly: ClassVar[Mapping[str, str]] = {}  # former names of arguments, and what they are called today
    promises: ClassVar[tuple[str, ...]] = ()  # fields that may be rounded up but not down
    reveal_more: ClassVar[tuple[str, ...]] = ()  # arguments of which more never hides more (M24)
    hide_more: ClassVar[tuple[str, ...]] = ()  # arguments of which more never reveals more

    @cached_property
    def relations(self) -> Relations:
        return stated_relation(vars(self).get("relation", self.neighbours))

    @property
    def known_relations(self) -> Relations:
        """The relations that can be asked about."""
        if not self.relations:
            return frozenset(RELATIONS)
        return frozenset(relation for relation in RELATIONS if self._under(relation) is not None)

    @property
    def rests_on(self) -> str:
        inner = vars(self).get("mechanism")
        return inner.rests_on if isinstance(inner, Composable) else ""

    of_several: ClassVar[bool] = False  # whether it is for a group of records: those are not sampled as one

    def group(self, k: int) -> Composable:
        size = group_size(k)
        found = self if size == 1 else self._group(size)
        if found is None:
            raise InvalidParameter("group", str(self), "of a mechanism whose groups are known", "Noise on a query is.")
        return found

    def _group(self, k: int) -> Composable | None:
        """Return the mechanism for k > 1 records at once; None if that is not known."""
        return None

    def under(self, relation: str) -> "Mechanism":
        """Return the mechanism as it is under a neighbouring relation that it knows.

        >>> from tightbudget import Gaussian
        >>> print(Gaussian(sigma=2.0).under("replace_one"))
        gaussian(sigma=2.0, sensitivity=2.0, relation='replace_one')
        """
        found = self if not self.relations else self._under(relation_named(relation))
        if found is None:
            check_known(self, self.known_relations, relation, self._relation_hint(relation))
            raise AssertionError(f"{self} knows {relation} and does not")
        return found

    def _under(self, relation: str) -> "Mechanism | None":
        """Return the mechanism under a relation that may be another than the one stated; None if that is not known."""
        return self if self.relations == {relation} else None

    def _relation_hint(self, relation: str) -> str:
        """Return what to do where a relation is not known, as a sentence."""
        return "Ask about a relation that all steps know."

    def member(self) -> "Mechanism":
        """Return a mechanism that can occur where this one stands; another if it stands for a class (decision 0008)."""
        return self

    def members(self) -> "tuple[Mechanism, ...]":
        """Return such mechanisms, that of `member` first: the lower end is the largest of theirs."""
        return (self.member(),)

    def choosing_analyst(self, count: int) -> ChoosingAnalyst | None:
        """Return who chooses in each of some steps which member it is, by the answers so far (M31); None of most."""
        return None

    @property
    def class_reason(self) -> str:
        """Why a bracket is as wide as it is where this one stands for a class."""
        return OF_A_CLASS

    def trend(self, argument: str) -> Trend | None:
        """Return which way privacy moves with an argument; None where no theorem says so.

        >>> from tightbudget import Gaussian
        >>> Gaussian(sigma=2.0).trend("sigma")
        Trend(reveals=False, low=0.0, high=inf)
        """
        return REVEALS if argument in self.reveal_more else HIDES if argument in self.hide_more else None

    @property
    def _items(self) -> "tuple[tuple[Mechanism, int], ...]":
        return ((self, 1),)

    def _check_parameters(self) -> None:
        """Turn numbers of other kinds (NumPy's, fractions) into plain ones, so that arithmetic is that of float64.

        A promise is rounded up: both the float and the decimal number it prints as keep it.
        """
        if "relation" in vars(self) and relation_named(vars(self)["relation"]) == DEFAULT:
            object.__setattr__(self, "relation", self.neighbours)  # a subclass may state another
        for spec in fields(self):  # type: ignore[arg-type]
            value = getattr(self, spec.name)
            if isinstance(value, np.ndarray) and value.ndim == 0:
                value = value[()]  # an array of one number can be changed behind our back
                object.__setattr__(self, spec.name, value)
            if type(value) not in (int, float, bool) and isinstance(value, numbers.Real):
                plain = int(value) if isinstance(value, numbers.Integral) else real(spec.name, value, _HELD)
                if spec.name not in self.promises:
                    not_lost_to_zero(spec.name, value, plain, _HELD)  # a rate of 0, say, would reveal nothing at all
                elif isinstance(plain, float) and math.isfinite(plain):
                    exact = Fraction(*value.as_integer_ratio())  # type: ignore[attr-defined]
                    while min(Fraction(plain), Fraction(repr(plain))) < exact:
                        plain = math.nextafter(plain, math.inf)
                object.__setattr__(self, spec.name, plain)

    def __str__(self) -> str:
        arguments = []
        for spec in fields(self):  # type: ignore[arg-type]
            value = getattr(self, spec.name)
            if spec.repr and (spec.default is MISSING or value != spec.default):
                arguments.append(_argument(spec.metadata.get("argument", spec.name), value))
        return f"{self.name}({', '.join(arguments)})"


def _engine_steps(parts: "Iterable[tuple[Mechanism, int]]", direction: Direction) -> Steps:
    # a mechanism without a pair in a direction reveals nothing
    pairs = ((mechanism.pair(direction), count) for mechanism, count in parts)
    return engine_steps((pair, count) for pair, count in pairs if pair is not None)


def _is_sampled_promise(step: "Mechanism") -> bool:
    return step.subsamples and step.moment_promise is not None


def _upper_end(bracket: Bracket) -> float:
    return bracket.upper


def _in_blocks(parts: "tuple[tuple[Mechanism, int], ...]") -> "Iterable[tuple[Mechanism, int]]":
    """Return the steps with all promises on moments as one (M34)."""
    block = [(step.moment_promise, count) for step, count in parts if step.moment_promise is not None]
    if not block:
        return parts
    return [*(part for part in parts if part[0].moment_promise is None), (block[0][0].summed(block), 1)]


def _attains_pair(step: "Mechanism") -> bool:
    """Whether a single step attains its pair, and what it runs on a sample does too."""
    return step.attains_pair and (step.whole == step or _attains_pair(step.whole))


def _joined(answer: Bracket, member: Bracket, rtol: float, atol: float, reason: str) -> Bracket:
    """Return the upper end of an answer with the lower end of a member."""
    if member.lower > answer.upper:
        raise Contradiction(member.lower, answer.upper)
    trace = (*answer.trace, *(replace(one, direction=f"{one.direction}, one member") for one in member.trace))
    if answer.upper - member.lower <= max(rtol * answer.upper, atol) or answer.upper == member.lower:
        return Bracket(member.lower, answer.upper, trace=trace)
    return Bracket(member.lower, answer.upper, converged=False, reason=reason, trace=trace)


def _pairs(items: Any) -> "list[tuple[Mechanism, int]]":
    try:
        pairs = [(mechanism, count) for mechanism, count in items]
    except (TypeError, ValueError):
        raise InvalidParameter("items", items, "pairs (mechanism, count)") from None
    for mechanism, _ in pairs:
        if not isinstance(mechanism, Mechanism):
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


def _ordered(relations: Relations) -> list[str]:
    return [relation for relation in RELATIONS if relation in relations]


_OTHER = {Direction.REMOVE: Direction.ADD.value, Direction.ADD: Direction.REMOVE.value}


def _direction_named(direction: object) -> Direction | None:
    if direction is None or isinstance(direction, Direction):
        return direction
    try:
        return Direction(direction)
    except ValueError:
        raise InvalidParameter("direction", direction, "remove or add", "Leave it out for the larger of both.") from None


def _argument(name: str, value: object) -> str:
    if isinstance(value, Fraction):
        return f"{name}={literal(value)}"
    if isinstance(value, tuple) and value and isinstance(value[0], Fraction):
        return f"{name}={literal(value[0])}" if len(value) == 1 else f"{name}=[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"{name}={list(value)!r}"
    return str(value) if isinstance(value, Mechanism) else f"{name}={value!r}"
