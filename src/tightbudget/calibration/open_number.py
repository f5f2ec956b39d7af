"""The open number of a template or the argument of a function: what it may be, and which way it reveals."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tightbudget.cached import cached_property
from tightbudget.calibration.candidates import Number
from tightbudget.errors import InvalidParameter, NotationError
from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.trends import REVEALS, Trend
from tightbudget.notation import Template

STARTS = (1, 2, 10, 100, 1000, 10**6)
_FEW = (*STARTS, *(1.0 / start for start in STARTS[1:]))


class NotAllowed(Exception):
    """The template has no composition at this number; the cause says why."""


@dataclass(frozen=True, eq=False)
class OpenNumber:
    """A composition as a function of one number, with what is known of that before anything is asked."""

    text: str
    argument: str
    fill: Callable[[Any], Any]
    whole: bool
    template: Template | None = None
    relation: str | None = None  # under which it is asked about

    @classmethod
    def of(cls, template: object, whole: bool | None, mix_relations: bool, relation: str | None = None) -> "OpenNumber":
        if isinstance(template, str):
            read = Template.of(template, mix_relations)
            return cls(template, read.argument, read.filled, read.whole if whole is None else whole, read, relation)
        if not callable(template) or isinstance(template, Composable):
            allowed = "a string with one ?, as in 'gaussian(sigma=?) * 10', or a function of one number"
            raise InvalidParameter("template", template, allowed)
        name = getattr(template, "__name__", "function")
        function = cls(f"{name}(?)", "?", template, False, relation=relation)
        return replace(function, whole=function._only_whole() if whole is None else whole)

    def at(self, number: Number) -> Composable:
        """Return the composition at a number; `NotAllowed` where there is none."""
        try:
            self._check_trend(number)
            found = self.fill(number)
        except (InvalidParameter, NotationError) as problem:
            raise NotAllowed(str(problem)) from problem
        if not isinstance(found, Composable):
            allowed = "a function that returns a mechanism or composition"
            raise InvalidParameter("template", self.text, allowed, f"At {number!r} it returned {found!r}.")
        asked = found.asked(self.relation)
        asked.check_relations()
        asked.check_proven()
        return asked

    def allows(self, number: Number) -> bool:
        try:
            self.at(number)
        except NotAllowed:
            return False
        return True

    def start(self) -> Number:
        """Return some number that is allowed; if none of a few is, raise what is wrong with the first."""
        for number in _FEW:
            if (not self.whole or isinstance(number, int)) and self.allows(self._plain(number)):
                return self._plain(number)
        try:
            self.at(self._plain(1))
        except NotAllowed as problem:
            raise problem.__cause__ from None  # type: ignore[misc]
        raise AssertionError("allowed now and not before")

    def reveals(self, number: Number) -> bool | None:
        """Return whether more of it reveals more; None where no theorem says so."""
        trend = self._trend
        if trend is None or self.template is None:
            return None
        more = number + 1 if self.whole else number * 1.5
        try:
            here, there = (self.template.argument_at(x) for x in (number, more))
        except NotationError:
            return None
        return None if here == there else trend.reveals == (there > here)

    @cached_property
    def _trend(self) -> Trend | None:
        if self.template is None:
            return None
        for number in _FEW:
            try:
                mechanism = self.template.mechanism(self._plain(number))
            except (InvalidParameter, NotationError):
                continue
            return REVEALS if mechanism is None else mechanism.trend(self.argument)
        return None

    def without_trend(self) -> "OpenNumber":
        """Return the same number with nothing known of it, for ranges in which no theorem holds."""
        return replace(self, template=None)

    def covers(self, low: Number, high: Number) -> bool:
        """Whether what is known of the argument holds from one number to another."""
        return self._trend is None or (self._within(low) and self._within(high))

    def _within(self, number: Number) -> bool:
        trend = self._trend
        if trend is None or self.template is None:
            return True
        return trend.low <= self.template.argument_at(number) <= trend.high

    def _check_trend(self, number: Number) -> None:
        trend = self._trend
        if trend is not None and (trend.low > 0.0 or trend.high < math.inf) and not self._within(number):
            allowed = f"from {trend.low!r} to {trend.high!r}"
            raise InvalidParameter(
                self.argument, number, allowed, "Beyond, more of it does the opposite; give bounds for that."
            )

    def _only_whole(self) -> bool:
        """Whether a function takes whole numbers and none between."""
        between = (number + 0.5 for number in (0, *STARTS))
        return not any(map(self.allows, between)) and any(map(self.allows, STARTS))

    def _plain(self, number: Number) -> Number:
        return number if self.whole else float(number)
