"""The limits of a filter of sums, in ticks: what weighs a step, some hundred thousand times a second."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, overload

from tightbudget.adaptive.amounts import Amount, sums_after
from tightbudget.adaptive.filters.limits import Cap, Limit, Limits
from tightbudget.adaptive.increments import Increment
from tightbudget.adaptive.states import TOLERANCE, State, check_state_keys
from tightbudget.adaptive.ticks import BEYOND, Tick, read_ticks, short_ticks
from tightbudget.errors import InvalidParameter

Sums = tuple[Amount, ...]
"""Numbers of ticks, whole or with a short part of one; the only float is inf, for what no budget can pay."""


class Scales:
    """The limits of a filter, and the tick each of its sums is counted in. They never change: copies share them."""

    def __init__(self, limits: Limits, ticks: tuple[Tick, ...], caps: tuple[Amount, ...]) -> None:
        self.limits = limits
        self.ticks = ticks
        self._caps = caps  # in ticks, those of measures as they are
        self._sums = tuple(limits.sums)
        self._all: tuple[Cap, ...] = (*limits.needed, *limits.enough)
        self._needed = self._limits_to_check(range(len(limits.needed)))
        self._enough = self._limits_to_check(range(len(limits.needed), len(self._all)))
        self._measuring = next((cap for cap in self._all if cap.measure), None)
        self._measured_sums = [self._sums.index(name) for name in self._measuring.of] if self._measuring else []
        self._per_unit = [ticks[index].per_unit for index in self._measured_sums]
        self.known: dict[Increment, Sums] = {}
        """Prices in ticks: a service sees the same few kinds of step over and over."""

    @classmethod
    def of(cls, limits: Limits) -> "Scales":
        ticks = tuple(Tick.beside(size) for size in limits.sums.values())
        beside = dict(zip(limits.sums, ticks, strict=True))
        caps = (*limits.needed, *limits.enough)
        return cls(limits, ticks, tuple(each.cap if each.measure else beside[each.sum].down(each.cap) for each in caps))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Scales":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Scales, (self.limits, self.ticks, self._caps)

    def _limits_to_check(self, places: range) -> list[tuple[int, int, Amount]]:
        """Return which of the figures must be within which cap; a measure comes after the sums."""
        return [(place, self._index(self._all[place]), self._caps[place]) for place in places]

    def _index(self, cap: Cap) -> int:
        return len(self._sums) if cap.measure else self._sums.index(cap.sum)

    def verdict(self, before: Sums, after: Sums) -> tuple[bool, int]:
        """Return whether the sums after a step are within the limits, and at which place the limit is that decides."""
        figures = self._figures(after)
        for place, index, cap in self._needed:
            if figures[index] > cap:
                return False, place
        for place, index, cap in self._enough:
            if figures[index] <= cap:
                return True, place
        return False, self._most_left(before)

    def _most_left(self, sums: Sums) -> int:
        """Return the place of the limit that a refusal is about: of several that might admit it, one with most left."""
        places = [check[0] for check in self._enough if self._all[check[0]].refuses]
        return max(places, key=lambda place: self._left(place, sums)) if len(places) > 1 else places[0]

    def _left(self, place: int, sums: Sums) -> Amount:
        limit = self.at(sums)[place]
        return limit.cap - limit.used if limit.used < math.inf else -math.inf

    def _figures(self, sums: Sums) -> Sums:
        """Return the sums, and the measure of them if there is one."""
        return (*sums, self._measured(sums)) if self._measured_sums else sums

    def _measured(self, sums: Sums) -> float:
        assert self._measuring is not None
        assert self._measuring.measure is not None
        try:
            # whole numbers divide with one rounding, however long they are
            floats = [float(sums[index] / ticks) for index, ticks in zip(self._measured_sums, self._per_unit, strict=True)]
        except (OverflowError, TypeError):  # beyond the largest float, or a tick above 1
            floats = [self.ticks[index].in_float(sums[index]) for index in self._measured_sums]
        return self._measuring.measure(*floats)

    def at(self, sums: Sums) -> "LimitsAt":
        return LimitsAt(self, sums)

    def limit(self, place: int, sums: Sums) -> Limit:
        cap = self._all[place]
        if cap.measure is not None:
            return Limit(cap.name, self._measured(sums), self._caps[place])
        tick, index = self.ticks[self._index(cap)], self._index(cap)
        return Limit(cap.name, tick.amount(sums[index]), tick.amount(self._caps[place]))

    def __len__(self) -> int:
        return len(self._all)

    def in_ticks(self, price: Mapping[str, Amount]) -> Sums:
        """Return amounts in ticks, in the order of the sums: exactly where that is short, else rounded up."""
        return tuple(tick.shortly(price[name]) for name, tick in zip(self._sums, self.ticks, strict=True))

    def amounts(self, sums: Sums) -> dict[str, Amount]:
        """Return how much the sums are, exactly."""
        return {name: tick.amount(count) for name, tick, count in zip(self._sums, self.ticks, sums, strict=True)}

    def written(self, sums: Sums) -> State:
        return {name: tick.written(count) for name, tick, count in zip(self._sums, self.ticks, sums, strict=True)}

    def read(self, spent: object) -> Sums:
        """Return the sums that were written, rounded up where they were counted in other parts."""
        if not isinstance(spent, dict) or set(spent) != set(self._sums):
            raise InvalidParameter("spent", spent, f"a dictionary of {', '.join(self._sums)}")
        amounts = {name: tick.read("spent", spent[name]) for name, tick in zip(self._sums, self.ticks, strict=True)}
        if any(amount < 0 for amount in amounts.values()):
            raise InvalidParameter("spent", spent, "amounts from 0")
        return self.in_ticks(amounts)

    def constants(self) -> State:
        """Return the ticks, and what was computed when the filter was made: caps, and what measures keep."""
        found: State = {"ticks": {name: str(tick) for name, tick in zip(self._sums, self.ticks, strict=True)}}
        if caps := self._constant_caps():
            found["caps"] = {cap.name: self.ticks[self._index(cap)].written(self._caps[place]) for place, cap in caps}
        for cap in self._all:
            found.update(cap.measure.constants() if cap.measure else {})
        return found

    def _constant_caps(self) -> list[tuple[int, Cap]]:
        return [(place, cap) for place, cap in enumerate(self._all) if cap.constant]

    def with_constants(self, constants: State, wrote: str) -> "Scales":
        """Return the scales with constants as they were written, after a check against what was computed here."""
        ticks, caps = constants["ticks"], constants.get("caps", {})
        check_state_keys("caps", caps, [cap.name for _, cap in self._constant_caps()], wrote)
        read = read_ticks(ticks, dict(zip(self._sums, self.ticks, strict=True)))
        every = tuple(self._cap_with_constants(cap, constants) for cap in self._all)
        limits = Limits(self.limits.sums, every[: len(self.limits.needed)], every[len(self.limits.needed) :])
        found = [self._constant_cap(place, cap, read, caps) for place, cap in enumerate(every)]
        return Scales(limits, read, tuple(found))

    def lowered_from(self, old: "Scales") -> "Scales":
        """Return scales that count in the ticks of `old` and whose caps and measure admit nothing that those refuse."""
        pairs = list(zip(self._all, old._all, strict=True))
        if any((cap.name, cap.of) != (before.name, before.of) for cap, before in pairs):
            raise ValueError("only a filter of the same kind and settings can be lowered")
        every = tuple(_cap_lowered_from(cap, before) for cap, before in pairs)
        first = len(self.limits.needed)
        caps = [self._cap_in_ticks_of(old, place) for place in range(len(every))]
        return Scales(Limits(old.limits.sums, every[:first], every[first:]), old.ticks, tuple(caps))

    def _cap_in_ticks_of(self, old: "Scales", place: int) -> Amount:
        """Return a cap in the ticks of `old`, no higher than it was there."""
        cap = self._all[place]
        if cap.measure is not None:
            return min(self._caps[place], old._caps[place])
        here, there = self.ticks[self._index(cap)], old.ticks[old._index(cap)]
        own = there.down(here.amount(self._caps[place]) if cap.constant else cap.cap)
        return min(own, old._caps[place])

    def _cap_with_constants(self, cap: Cap, constants: State) -> Cap:
        return cap if cap.measure is None else Cap(cap.name, cap.cap, cap.of, cap.measure.with_constants(constants))

    def _constant_cap(self, place: int, cap: Cap, ticks: tuple[Tick, ...], caps: Mapping[str, Any]) -> Amount:
        if cap.measure is not None:
            return self._caps[place]
        tick = ticks[self._index(cap)]
        if not cap.constant:
            return tick.down(cap.cap)
        value = tick.read("caps", caps[cap.name])
        if value - cap.cap > TOLERANCE * abs(Fraction(cap.cap)):
            raise InvalidParameter(
                "caps", caps[cap.name], f"at most {tick.in_float(tick.down(cap.cap)):.17g}, as these settings allow"
            )
        return tick.down(value)


class LimitsAt(Sequence[Limit]):
    """The limits of a filter at some sums, worked out when they are looked at."""

    __slots__ = ("_scales", "_sums")

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self))},)"

    def __init__(self, scales: Scales, sums: Sums) -> None:
        self._scales = scales
        self._sums = sums

    @overload
    def __getitem__(self, index: int) -> Limit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Limit, ...]: ...
    def __getitem__(self, index: int | slice) -> Limit | tuple[Limit, ...]:
        if isinstance(index, slice):
            return tuple(self._scales.limit(place, self._sums) for place in range(len(self))[index])
        return self._scales.limit(range(len(self))[index], self._sums)

    def __len__(self) -> int:
        return len(self._scales)

    def __iter__(self) -> Iterator[Limit]:
        return (self._scales.limit(place, self._sums) for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))


def _cap_lowered_from(cap: Cap, old: Cap) -> Cap:
    measure = None if cap.measure is None or old.measure is None else cap.measure.lowered_from(old.measure)
    return replace(cap, measure=measure)


def sums_in_ticks_after(sums: Sums, price: Sums) -> Sums:
    """Return the sums after a step, rounded up where their exact form would be long."""
    after = sums_after(sums, price)
    return tuple(map(short_ticks, after)) if Fraction in map(type, after) else after


def saturated_sums(sums: Sums) -> Sums:
    """Return the sums as they are kept: inf for what is of no use to any limit."""
    return tuple(math.inf if count > BEYOND else count for count in sums)
