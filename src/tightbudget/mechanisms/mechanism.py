"""What a mechanism is: one release, frozen data with a name, checked parameters and the relations it knows."""

import math
import numbers
from collections.abc import Mapping
from dataclasses import MISSING, fields
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tightbudget.cached import cached_property
from tightbudget.engine.reasons import OF_A_CLASS
from tightbudget.errors import InvalidParameter
from tightbudget.keywords import known_keywords, unknown_keyword
from tightbudget.mechanisms.checks import group_size, limit_above, not_lost_to_zero, real
from tightbudget.mechanisms.composition import Composable, Composition
from tightbudget.mechanisms.exact_numbers import literal
from tightbudget.mechanisms.known_bounds import Known
from tightbudget.mechanisms.relations import DEFAULT, RELATIONS, Relations, check_known, relation_named, stated_relation
from tightbudget.mechanisms.trends import HIDES, REVEALS, Trend
from tightbudget.pairs.base import Direction
from tightbudget.pairs.choosing_analyst import ChoosingAnalyst

_HELD = "a number that a float holds"
_PLAIN = (int, float, bool)


class Mechanism(Composable, Known):
    """One release. Subclasses are frozen dataclasses whose fields are the arguments of the notation.

    A field whose argument has another name says so in its metadata, under "argument".
    """

    name: ClassVar[str]
    neighbours: ClassVar[str] = DEFAULT  # unless there is a field `relation`
    attains_pair: ClassVar[bool] = True  # a single step, at every epsilon; else the lower end is that of `member`
    takes_text: ClassVar[bool] = False  # whether numbers may be given as text, such as "1/3", and are kept exactly
    formerly: ClassVar[Mapping[str, str]] = {}  # former names of arguments, and what they are called today
    often_called: ClassVar[Mapping[str, str]] = {}  # other names that arguments of this class alone are given
    promises: ClassVar[tuple[str, ...]] = ()  # fields that may be rounded up but not down
    reveal_more: ClassVar[tuple[str, ...]] = ()  # arguments of which more never hides more (M24)
    hide_more: ClassVar[tuple[str, ...]] = ()  # arguments of which more never reveals more

    if not TYPE_CHECKING:  # type checkers know the arguments of each class

        def __new__(cls, *arguments: Any, **named: Any) -> Self:
            known = known_keywords(cls.__init__)
            if known is not None and not named.keys() <= known:
                raise unknown_keyword(cls.__name__, cls.__init__, named, known, {**cls.often_called, **cls.formerly})
            return super().__new__(cls)

    @cached_property
    def relations(self) -> Relations:
        return stated_relation(vars(self).get("relation", self.neighbours))

    @property
    def known_relations(self) -> Relations:
        """The relations that can be asked about."""
        if not self.relations:
            return frozenset(RELATIONS)
        return frozenset(relation for relation in RELATIONS if self._kept_under(relation) is not None)

    @property
    def rests_on(self) -> str:
        inner = vars(self).get("mechanism")
        return inner.rests_on if isinstance(inner, Composable) else ""

    of_many_steps: ClassVar[bool] = False  # whether it is one release of a whole run, with noise shared by its steps
    of_several: ClassVar[bool] = False  # whether it is for a group of records: those are not sampled as one

    @property
    def promised_records(self) -> int | None:
        """The number of records that it is promised to be given; None if it takes any number, as most mechanisms do."""
        return None

    @property
    def counts_examples(self) -> bool:
        """Whether it is promised a number of records."""
        return self.promised_records is not None

    def group(self, k: int) -> Composable:
        size = group_size(k)
        found = self if size == 1 else self._group(size)
        if found is None:
            raise unknown_group(self)
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
        found = self if not self.relations else self._kept_under(relation_named(relation))
        if found is None:
            check_known(self, self.known_relations, relation, self._relation_hint(relation))
            raise AssertionError(f"{self} knows {relation} and does not")
        return found

    def _kept_under(self, relation: str) -> "Mechanism | None":
        """Return what `_under` does, made once: a question asks for it again and again."""
        kept = self._under_relations
        if relation not in kept:
            kept[relation] = self._under(relation)
        return kept[relation]

    @cached_property
    def _under_relations(self) -> "dict[str, Mechanism | None]":
        return {}

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

    def member_among_alike(self, relation: str) -> "Mechanism | None":
        """Return a member whose other records are all equal to the second one of the two; None if none is known.

        Under zero_out all other records then contribute nothing. Batches of a fixed size need such a member, because a
        drawn record replaces another (M31). The plain `member` of a mechanism that samples its records may need other
        neighbours, and no pair contains the noise that drawing the other records adds.
        """
        if relation not in self.known_relations:
            return None
        stated = self.under(relation)
        inner, composed = vars(stated).get("mechanism"), vars(stated).get("composition")
        parts = [step for run in (inner, composed) if isinstance(run, Composable) for step, _ in run._items]
        alike = all(part.member_among_alike(relation) == part.under(relation).member() for part in parts)
        return stated.member() if alike else None

    def composed_member(self) -> "Composition | None":
        """Return a composition that can occur where this one stands; None of almost all, which have `members`."""
        return None

    @property
    def orders_exchanged(self) -> bool:
        """Whether the pairs of both directions are (P, Q) and (Q, P), of the same two laws with nothing left out.

        For a class: whether they are the worst of all its members in either order. Trade-off curves join both profiles
        into one only if this is true (M23); mechanisms that do not know it return False.
        """
        return False

    @property
    def larger(self) -> Direction | None:
        """The direction that has been the larger one wherever anybody has looked; None if nobody has.

        A lower end that is asked of it alone is sound, as that of any direction, and seldom less.
        """
        return None

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
            value, promised = getattr(self, spec.name), spec.name in self.promises
            if type(value) in _PLAIN and not (promised and type(value) is int):
                continue
            if isinstance(value, np.ndarray) and value.ndim == 0:
                value = value[()]  # an array of one number can be changed behind our back
                object.__setattr__(self, spec.name, value)
            if (type(value) not in _PLAIN or type(value) is int) and isinstance(value, numbers.Real | Decimal):
                plain = int(value) if isinstance(value, numbers.Integral) else real(spec.name, value, _HELD)
                if not promised:
                    not_lost_to_zero(spec.name, value, plain, _HELD)  # a rate of 0, say, would reveal nothing at all
                elif isinstance(plain, int):  # above 2^53 not every whole number is a float
                    nearest = real(spec.name, plain, _HELD)
                    plain = plain if nearest == plain else limit_above(plain, nearest)
                elif math.isfinite(plain):
                    plain = limit_above(value, plain)
                object.__setattr__(self, spec.name, plain)

    def __str__(self) -> str:
        arguments = []
        for spec in fields(self):  # type: ignore[arg-type]
            value = getattr(self, spec.name)
            if spec.repr and (spec.default is MISSING or value != spec.default):
                arguments.append(_mechanism_argument(spec.metadata.get("argument", spec.name), value))
        return f"{self.name}({', '.join(arguments)})"


def unknown_group(mechanism: Mechanism) -> InvalidParameter:
    """Return the error of a group of records whose cost is not known."""
    allowed = "a step for which group privacy is known: noise or a promise that is not sampled, randomised response, or a"
    return InvalidParameter("mechanism", str(mechanism), f"{allowed} Poisson sample of Gaussian noise")


def _mechanism_argument(name: str, value: object) -> str:
    if isinstance(value, Fraction):
        return f"{name}={literal(value)}"
    if isinstance(value, tuple) and value and isinstance(value[0], Fraction):
        return f"{name}={literal(value[0])}" if len(value) == 1 else f"{name}=[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"{name}={list(value)!r}"
    return str(value) if isinstance(value, Mechanism) else f"{name}={value!r}"
