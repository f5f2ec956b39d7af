"""Slots: a plan fixed in advance, priced by the engine; a step takes the place of one that reveals as much."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar, Self

from tightbudget.adaptive.amounts import Amount, amount_to_float, exact, exact_probability, show
from tightbudget.adaptive.filters.base import MOST, Candidate, Filter, Sums
from tightbudget.adaptive.filters.domination import dominates
from tightbudget.adaptive.filters.expected import Expected
from tightbudget.adaptive.filters.limits import Limit
from tightbudget.adaptive.filters.longest_plan import MOST_SLOTS, longest_plan
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.adaptive.filters.slot_matching import Shortage, assigned_slots
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import State, check_spent
from tightbudget.adaptive.ticks import Tick, read_ticks
from tightbudget.cached import cached_property
from tightbudget.deprecated import formerly_positional
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import Composable, Composition, Mechanism, PureDP, compose
from tightbudget.mechanisms.histograms import accepted_before
from tightbudget.mechanisms.relations import Relations
from tightbudget.notation import MAX_CHARACTERS, parse
from tightbudget.numerics.rounding import float_below

PRICED = 1e-6  # how narrow the bracket is that prices the plan
ROUGH = 0.9  # and the one that checks a price that was written


@dataclass(frozen=True)
class _WantedSlots:
    """What one step needs: so many slots for each of its parts, of these kinds, and a share of delta besides."""

    steps: list[Mechanism]
    needs: list[int]
    choices: list[list[int]]
    delta: Amount


class SlotFilter(Filter):
    """Admit steps while each can take a free slot of the plan that dominates it, in any order; the tightest is taken.

    The plan, a composition or its notation, must itself be (epsilon, delta')-private by the engine's upper bound. This
    is the tightest filter for an analyst who knows beforehand about what will be asked.
    """

    kind: ClassVar[str] = "slots"

    @formerly_positional("plan", "delta_for_steps")
    def __init__(self, epsilon: Any, delta: Any, *, plan: Any, delta_for_steps: Any = 0, mix_relations: bool = False) -> None:
        self._lay_out(epsilon, delta, plan, delta_for_steps, mix_relations)
        self._price = self._certified()

    def _lay_out(self, epsilon: Any, delta: Any, plan: Any, delta_for_steps: Any, mix_relations: bool) -> None:
        """Make the filter, but for the price of its plan."""
        self._plan = _checked_plan(plan, mix_relations)
        self._slots = list(dict.fromkeys(mechanism for mechanism, _ in self._plan.items))
        self._counts = [sum(n for mechanism, n in self._plan.items if mechanism == slot) for slot in self._slots]
        self._names = _numbered_names([str(slot.in_numbers()) for slot in self._slots])
        Filter.__init__(self, epsilon, delta, mix_relations=mix_relations)
        self._sums = (0,) * len(self.sums)
        self._tick = Tick.beside(self._delta)
        self._for_steps = exact_probability("delta_for_steps", delta_for_steps)
        if self._for_steps > self._delta:
            raise InvalidParameter("delta_for_steps", delta_for_steps, f"at most delta, which is {show(self._delta)}")

    @property
    def _affordable(self) -> tuple[float, float]:
        """Epsilon, and the delta that a plan may have there."""
        return float_below(self._epsilon), float_below(self._delta - self._for_steps)

    def _certified(self) -> float:
        """Return the price of the plan: an upper bound on its delta, which fits."""
        epsilon, delta = self._affordable
        priced = self._plan.delta(epsilon, rtol=PRICED)
        if priced.upper > delta:
            allowed = f"private with delta at most {delta:.4g} at epsilon {epsilon!r}"
            certified = f"could only be certified to delta {priced.upper:.4g}"
            found = f"Its delta is {priced.upper:.4g}" if priced.lower > delta else f"It {certified}"
            raise InvalidParameter("plan", str(self._plan), allowed, f"{found}: take fewer slots or more noise.")
        return priced.upper

    @property
    def _spent_for(self) -> Relations:
        """Steps are to be for the relation of the plan."""
        return super()._spent_for | self._plan.relations

    @property
    def sums(self) -> tuple[str, ...]:
        return (*self._names, "delta")

    @property
    def spent(self) -> dict[str, Amount]:
        """How many slots of each kind are taken, and the deltas of steps that no slot covers."""
        return dict(zip(self.sums, self._sums, strict=True))

    def _weigh(self, increment: Increment) -> tuple[Quote, Sums]:
        wanted = self._wanted(increment)
        free = [count - int(taken) for count, taken in zip(self._counts, self._sums[:-1], strict=True)]
        found = assigned_slots(wanted.needs, wanted.choices, free)
        if isinstance(found, Shortage):
            return self._short(increment, wanted, found), self._sums
        taken = [before + more for before, more in zip(self._sums[:-1], found, strict=True)]
        after = (*taken, self._sums[-1] + wanted.delta)
        before, limits = self._limits(self._sums), self._limits(after)
        if limits[1].exceeded:
            return Quote(False, increment, self.kind, before, limits, place=1), self._sums
        return Quote(True, increment, self.kind, before, limits), after

    def _limits(self, sums: Sums) -> tuple[Limit, Limit]:
        slots = Limit("the slots", sum(sums[:-1]), sum(self._counts))
        return slots, Limit("the delta of steps", sums[-1], self._for_steps)

    def _short(self, increment: Increment, wanted: "_WantedSlots", shortage: Shortage) -> Quote:
        """Return the refusal, with what the parts that are short ask of the slots that would do for them."""
        name = f"the slots that dominate {' or '.join(dict.fromkeys(str(wanted.steps[part]) for part in shortage.parts))}"
        taken, cap = (sum(each[kind] for kind in shortage.kinds) for each in (self._sums, self._counts))
        used = taken + sum(wanted.needs[part] for part in shortage.parts)
        return Quote(False, increment, self.kind, (Limit(name, taken, cap),), (Limit(name, used, cap),))

    def _wanted(self, increment: Increment) -> "_WantedSlots":
        """Return what a step needs; a part that reveals nothing needs no slot."""
        parts = [(step, count) for step, count in increment._parts if not step.reveals_nothing]
        fitting = [self._fitting(step) for step, _ in parts]
        needs = [count for _, count in parts]
        delta = sum((need * charged for need, (_, charged) in zip(needs, fitting, strict=True)), start=Fraction(0))
        return _WantedSlots([step for step, _ in parts], needs, [choice for choice, _ in fitting], self._tick.raised(delta))

    def _fitting(self, step: Mechanism) -> tuple[list[int], Fraction]:
        """Return the slots that dominate the step, the tightest first, and the delta to be charged besides.

        A step with a delta that no slot covers counts as an epsilon-private one after removal of an event (M14).
        """
        fitting = [index for index in self._tightest_first if dominates(self._slots[index], step)]
        if not fitting and step.promise is not None and step.promise.delta:
            return self._fitting(PureDP(step.promise.epsilon))[0], exact("delta", step.promise.delta)
        return sorted(fitting, key=lambda index: self._slots[index] != step), Fraction(0)

    @cached_property
    def _tightest_first(self) -> list[int]:
        """The slots in an order in which none comes after another that dominates it, unless they are much alike."""
        return sorted(range(len(self._slots)), key=lambda index: self._revealed(self._slots[index]))

    def _revealed(self, slot: Mechanism) -> tuple[float, ...]:
        """Return how much a slot reveals, to few digits: whoever dominates it has no less of either."""
        return tuple(
            float(f"{slot.delta(epsilon, rtol=PRICED).upper:.6e}") for epsilon in (0.0, amount_to_float(self._epsilon))
        )

    @classmethod
    def candidates(cls, expected: Expected) -> Iterator[Candidate]:
        """Yield the filter of about the longest plan of such steps."""
        make = partial(cls, expected.epsilon, expected.delta, mix_relations=expected.mixes)
        yield cls.kind, lambda: longest_plan(expected, lambda plan: make(plan=plan))

    def counted(self, increment: Increment) -> tuple[int, bool]:
        count = self.remaining(increment)
        return count, count >= MOST_SLOTS

    def note(self, increment: Increment, count: int, or_more: bool) -> str:
        this = "this very plan, fixed in advance" if count else ""
        return ", ".join(filter(None, [super().note(increment, count, or_more), this]))

    def remaining(self, increment: Increment | str) -> int:
        """Return how many more such steps would be admitted one after the other, if nothing else is asked.

        As long as no kind of slot runs out, each step takes what the one before it took, so those are counted together.
        """
        with self._reading():
            wanted = self._wanted(self._checked(increment))
            free = [count - int(taken) for count, taken in zip(self._counts, self._sums[:-1], strict=True)]
            most = min(MOST, int((self._for_steps - self._sums[-1]) // wanted.delta)) if wanted.delta else MOST
            count = 0
            while count < most:
                taken = assigned_slots(wanted.needs, wanted.choices, free)
                if isinstance(taken, Shortage):
                    break
                alike = min((have // take for have, take in zip(free, taken, strict=True) if take), default=most)
                alike = min(alike, most - count)
                free = [have - alike * take for have, take in zip(free, taken, strict=True)]
                count += alike
            return count

    def _restore(self, spent: object) -> None:
        if not isinstance(spent, dict) or set(spent) != set(self.sums):
            raise InvalidParameter("spent", spent, f"a dictionary of {', '.join(self.sums)}")
        slots = [exact("spent", spent[name]) for name in self._names]
        delta = self._tick.read_sum("spent", spent["delta"])
        taken = [int(amount) if amount == amount // 1 else -1 for amount in slots]
        if any(not 0 <= count <= most for count, most in zip(taken, self._counts, strict=True)):
            raise InvalidParameter("spent", spent, "as the slots filter wrote it")
        self._sums = (*taken, delta)
        check_spent(self._limits(self._sums)[1])

    def _written(self) -> State:
        slots = {name: show(taken) for name, taken in zip(self._names, self._sums, strict=False)}
        return {**slots, "delta": self._tick.written(self._tick.up(self._sums[-1]))}

    @classmethod
    def _remade(cls, settings: State, constants: State) -> Self:
        """Lay out the plan without pricing it, which may take seconds: the price has been written."""
        made = cls.__new__(cls)
        with accepted_before():
            made._lay_out(**settings)
        made._price = math.nan
        return made

    def _constants(self) -> State:
        return {"price": repr(self._price), "ticks": {"delta": str(self._tick)}}

    def _upgraded(self, constants: State) -> State:
        return {**constants, "ticks": {"delta": str(self._tick)}}

    def _use_constants(self, constants: State) -> None:
        """Take over a price that fits and that a rough bracket, a matter of milliseconds, does not contradict."""
        price, (epsilon, delta) = amount_to_float(exact("price", constants["price"])), self._affordable
        lower = self._plan.delta(epsilon, rtol=ROUGH).lower
        if not lower <= price <= delta:
            allowed = f"from {lower:.4g}, below which the plan cannot be, to {delta:.4g}, which the budget allows"
            raise InvalidParameter("price", constants["price"], allowed)
        self._price = price
        (self._tick,) = read_ticks(constants["ticks"], {"delta": self._tick})

    def _settings(self) -> State:
        settings = {"epsilon": self._epsilon, "delta": self._delta, "delta_for_steps": self._for_steps}
        # the names of files may change, what was priced may not
        numbers = [mechanism.in_numbers() * count for mechanism, count in self._plan.items]
        plan = str(compose(numbers, mix_relations=True))
        if len(plan) > MAX_CHARACTERS:
            raise InvalidParameter("plan", f"of {len(plan)} characters", f"at most {MAX_CHARACTERS} long to be written down")
        return {**{name: show(value) for name, value in settings.items()}, "plan": plan}


def _checked_plan(plan: Any, mix_relations: bool) -> Composition:
    read = parse(plan, mix_relations) if isinstance(plan, str) else plan
    if not isinstance(read, Composable):
        raise InvalidParameter("plan", plan, "a composition or its notation", "For example 'gaussian(sigma=20) * 100'.")
    read.check_proven()  # the filter promises what the plan's price says
    return Composition(read._parts, mix_relations)


def _numbered_names(names: list[str]) -> tuple[str, ...]:
    """Return the names with a number behind those that are not the only one; in the notation no two are the same."""
    return tuple(name if names.count(name) == 1 else f"{name} #{place}" for place, name in enumerate(names))
