"""Ask, look at the width, refine: brackets for delta and epsilon over both directions (M9)."""

import math
from collections.abc import Callable, Sequence

from tightbudget.bounds.direction import WIDEST, OneDirection, cap_for, quarters
from tightbudget.bounds.gaussian import gaussian_guess
from tightbudget.bounds.split import SplitDirection, ceilings, splittable
from tightbudget.errors import Contradiction
from tightbudget.numerics.bracket import Bracket
from tightbudget.numerics.search import first_at_most, last_at_least

_SPLITS = 3  # ceilings tried for large losses
_TURNS = 12  # refinements before we say that the bracket stays as it is
_USUAL = 1e-4  # whoever asks for a narrower bracket than this will wait for it
_MOST_POINTS, _MOST_POINTS_NARROW = 2.0**19, 2.0**21  # in all lists made for a question: a second, and some 300 MB
_TOO_LONG = "a narrower bracket needs longer bucket lists than the memory limit allows"
_TOO_SMALL = "delta is so near the smallest numbers of float64 that no finite upper end can be certified"
_ROUNDING = "rounding errors are as large as the bracket; a finer grid would not help"


def delta_bracket(directions: Sequence[OneDirection], epsilon: float, rtol: float, atol: float) -> Bracket:
    """Return a bracket of delta(epsilon) = the larger of the two directions' deltas."""
    return _refined([_DeltaAsker(direction, epsilon, rtol) for direction in directions], rtol, atol)


def epsilon_bracket(directions: Sequence[OneDirection], delta: float, rtol: float, atol: float) -> Bracket:
    """Return a bracket of the smallest epsilon >= 0 with delta(epsilon) <= delta."""
    return _refined([_EpsilonAsker(direction, delta, rtol) for direction in directions], rtol, atol)


class _Asker:
    """One direction's bracket of the answer, at a width in log delta that can be made narrower."""

    def __init__(self, direction: OneDirection, rtol: float) -> None:
        self.direction, self.rtol = direction, rtol
        self.most_points = self.all_points = _MOST_POINTS if rtol >= _USUAL else _MOST_POINTS_NARROW
        self.quarter = 0
        self.made = quarters(WIDEST) + 1  # the finest width there is a profile for
        self.lower, self.upper = 0.0, math.inf
        self.estimate = 0.0  # a rough value of the answer
        self.started = False
        self.final = False  # nothing left to improve
        self.disappointed = 0  # refinements that brought little
        self.reason = ""
        self.source: OneDirection | SplitDirection = direction  # of profiles
        self.others = [self.large_loss, *(_SPLITS * [self.apart])]  # other ways to try where the first does not do
        self.tilt: tuple[int, int] = (0, 0)  # cap and rung

    def settle(self, lower: float, upper: float) -> None:
        """Take the answer as final."""
        self.lower, self.upper, self.estimate, self.final, self.started = lower, upper, upper, True, True
        self.others = []

    def log_width(self, width: float) -> float:
        """Return the width in log delta that makes a bracket of the given absolute width."""
        raise NotImplementedError

    def read(self, delta_lower: Callable[[float], float], delta_upper: Callable[[float], float]) -> tuple[float, float]:
        """Return the answer's bounds from bounds on delta(epsilon)."""
        raise NotImplementedError

    def cheap_upper(self) -> float:
        """Return an upper bound on the answer that takes no composition."""
        raise NotImplementedError

    def start(self, width: float) -> None:
        self.started = True
        if not self.final:
            self.quarter = quarters(0.8 * self.log_width(width))
            self.compute()

    def leap(self, width: float) -> bool:
        """Start anew in another way; return whether there is one that was not tried yet."""
        while self.others:
            before = self.tilt, self.source
            self.upper = min(self.upper, self.cheap_upper())  # what the tilt so far is still good for
            found = self.others.pop(0)()
            if found is not None and (found, self.source) != before:
                self.tilt, self.final, self.disappointed = found, False, 0
                self.made, self.most_points = quarters(WIDEST) + 1, self.all_points
                self.start(width)
                return True
        return False

    def large_loss(self) -> tuple[int, int] | None:
        """Return cap and rung for one large loss, and take the estimate and the slope that go with it."""
        raise NotImplementedError

    def apart(self) -> tuple[int, int] | None:
        """Return cap and rung for the small losses alone, and have large ones added to what they give."""
        epsilon = self.epsilon_in_question()
        if not splittable(self.direction.steps, epsilon):
            return None
        tops = ceilings(self.direction.steps, epsilon)
        if isinstance(self.source, SplitDirection) and self.source.ceilings == tops:
            return None
        self.source = found = SplitDirection(self.direction.steps, tops)
        return self.tilt[0], found.small.saddle(self.tilt[0]).for_epsilon(epsilon).rung

    def epsilon_in_question(self) -> float:
        raise NotImplementedError

    def refine(self, wanted: float) -> None:
        before = self.upper - self.lower
        ratio = min(0.5, 0.6 * wanted / before) if 0.0 < before < math.inf else 0.1
        finer = max(-40, min(-8, math.floor(4.0 * math.log2(max(ratio, 1e-12)))))
        self.quarter += finer
        self.compute()
        after = self.upper - self.lower
        # A finer grid should narrow the bracket as planned; one that does not, twice, is held up by rounding.
        if before < math.inf and after > before * 2.0 ** (0.075 * finer):
            self.disappointed += 1
        if not self.final and (self.disappointed > 1 or after == before):
            self.final, self.reason = True, _ROUNDING

    def compute(self) -> None:
        """Bring lower and upper to the current width, or as near as the lists may be long; never widens them."""
        # nothing wider than what there is already would help
        for quarter in range(self.quarter, self.made, 4):
            profile = self.source.profile(*self.tilt, quarter, self.most_points)
            if profile is not None:
                try:
                    lower, upper = self.read(profile.delta_lower, profile.delta_upper)
                except ArithmeticError:  # an epsilon so many steps away that no float counts them
                    continue
                self.lower, self.upper = max(self.lower, lower), min(self.upper, upper)
                self.most_points -= profile.points
                self.made = quarter
                break
        if profile is None or quarter > self.quarter:
            self.final, self.reason = True, _TOO_LONG


class _DeltaAsker(_Asker):
    def __init__(self, direction: OneDirection, epsilon: float, rtol: float) -> None:
        super().__init__(direction, rtol)
        self.epsilon, self.upper = epsilon, 1.0
        exact = direction.exact(epsilon)
        if exact is not None:
            self.settle(*exact)
            return
        cap = cap_for(1.0, rtol)
        while True:  # the deeper the answer, the rarer the losses that matter
            point = direction.saddle(cap).for_epsilon(epsilon)
            self.finite = math.exp(min(0.0, point.log_delta))
            needed = cap_for(self.finite + direction.infinity[0], rtol)
            if needed <= cap:
                break
            cap = min(needed, 3 * cap)  # an estimate far beyond the cap is too low
        self.tilt = (cap, point.rung)
        self.estimate = min(1.0, self.finite + direction.infinity[1])

    def log_width(self, width: float) -> float:
        return width / max(self.finite, 1e-300)

    def epsilon_in_question(self) -> float:
        return self.epsilon

    def large_loss(self) -> tuple[int, int] | None:
        rough = self.direction.saddle(self.tilt[0]).leap_for_epsilon(self.epsilon)
        if rough is None:
            return None
        cap = cap_for(math.exp(min(0.0, rough.log_delta)) + self.direction.infinity[0], self.rtol)
        point = self.direction.saddle(cap).leap_for_epsilon(self.epsilon)
        if point is None:
            return None
        self.finite = math.exp(min(0.0, point.log_delta))
        self.estimate = min(1.0, self.finite + self.direction.infinity[1])
        return cap, point.rung

    def cheap_upper(self) -> float:
        log_delta, left_out = self.direction.chernoff_delta(*self.tilt, self.epsilon)
        return math.exp(min(0.0, log_delta)) * (1.0 + 1e-9) + left_out

    def read(self, delta_lower: Callable[[float], float], delta_upper: Callable[[float], float]) -> tuple[float, float]:
        return delta_lower(self.epsilon), delta_upper(self.epsilon)


class _EpsilonAsker(_Asker):
    def __init__(self, direction: OneDirection, delta: float, rtol: float) -> None:
        super().__init__(direction, rtol)
        self.delta = delta
        low, high = direction.infinity
        top = max(0.0, direction.max_loss) if direction.steps.items else 0.0
        if not direction.steps.items or delta >= 1.0:
            self.settle(0.0, 0.0)
        elif delta < low or (delta == 0.0 and high > 0.0):
            self.settle(math.inf, math.inf)
        elif delta == 0.0:
            self.settle(direction.steps.max_loss_lower, top)
        elif delta >= high and top == 0.0:
            self.settle(0.0, 0.0)
        elif low == high == delta > 0.0:  # nothing left for finite losses
            self.settle(direction.steps.max_loss_lower, top)
        elif high > 0.0 and delta <= high:  # the infinite mass is known only up to rounding
            self.settle(0.0, math.inf)
        else:
            self._prepare(delta - high, top)

    def _prepare(self, finite: float, top: float) -> None:
        """Choose the tilt for the part of delta that finite losses may use; or answer in closed form."""
        self.finite, self.upper = finite, top
        gaussian = self.direction.steps.only_gaussian
        if gaussian is not None:
            self.estimate, self.theta = gaussian_guess(gaussian.m, finite)
        else:
            cap = cap_for(finite, self.rtol)
            point = self.direction.saddle(cap).for_delta(math.log(finite))
            self.tilt = (cap, point.rung)
            self.theta = point.theta
            self.estimate = min(max(0.0, point.epsilon), top)
        if self.direction.closed_form:
            lower, upper = self.read(lambda x: self._exact(x)[0], lambda x: self._exact(x)[1])
            self.settle(lower, min(upper, top))

    def _exact(self, epsilon: float) -> tuple[float, float]:
        exact = self.direction.exact(epsilon)
        assert exact is not None
        return exact

    def epsilon_in_question(self) -> float:
        if isinstance(self.source, SplitDirection):  # what one large loss would give is not it
            self.estimate = 0.5 * (self.lower + self.upper)
        return self.estimate

    def large_loss(self) -> tuple[int, int] | None:
        cap = self.tilt[0]
        point = self.direction.saddle(cap).leap_for_delta(math.log(self.finite))
        if point is None:
            return None
        self.estimate, self.theta = min(max(self.lower, point.epsilon), self.upper), point.theta
        return cap, point.rung

    def log_width(self, width: float) -> float:
        if self.estimate == 0.0:
            return WIDEST
        return width * self.theta * self.delta / self.finite

    def cheap_upper(self) -> float:
        return self.direction.chernoff_epsilon(*self.tilt, self.delta)

    def read(self, delta_lower: Callable[[float], float], delta_upper: Callable[[float], float]) -> tuple[float, float]:
        guess, slope = self.estimate, self.theta * self.finite / self.delta
        tolerance = max((1e-10 if self.direction.closed_form else 0.05 * self.rtol) * guess, 1e-15 * guess, 1e-300)
        upper = first_at_most(delta_upper, self.delta, guess, slope, tolerance)
        near = upper if math.isfinite(upper) and not self.direction.closed_form else min(guess, upper)
        lower = last_at_least(delta_lower, self.delta, near, slope, tolerance)
        return lower, upper


def _refined(askers: Sequence[_Asker], rtol: float, atol: float) -> Bracket:
    """Bring the larger of the askers' answers into a bracket as narrow as asked."""
    ordered = sorted(askers, key=lambda asker: -asker.estimate)
    rough = max((asker.estimate for asker in askers), default=0.0)
    certain = 0.0
    for asker in ordered:
        if not asker.started:
            if certain:
                asker.upper = min(asker.upper, asker.cheap_upper())
            # A direction that is clearly the smaller one need only be known well enough to see that it is.
            if asker.upper > certain:
                asker.start(max(rtol * rough, atol, 0.3 * (rough - asker.estimate)))
        certain = max(certain, asker.lower)
    for turn in range(_TURNS + 1):
        lower = max((asker.lower for asker in askers), default=0.0)
        upper = max((asker.upper for asker in askers), default=0.0)
        if lower > upper:
            raise Contradiction(lower, upper)
        wanted = max(rtol * upper, atol) if math.isfinite(upper) else 0.0
        if lower == upper or upper - lower <= wanted:
            return Bracket(lower, upper)
        # those that keep the bracket wide: their upper end is too far above what is certain
        wide = [asker for asker in askers if asker.upper > lower + wanted]
        open_ones = [asker for asker in wide if not asker.final]
        if not open_ones and any([asker.leap(wanted) for asker in wide]):
            continue
        if not open_ones or turn == _TURNS:
            upper = max(min(asker.upper, asker.cheap_upper()) if asker in wide else asker.upper for asker in askers)
            if lower > upper:
                raise Contradiction(lower, upper)
            if math.isinf(upper):  # and lower is not: no multiple of it is a width
                return Bracket(lower, upper, converged=False, reason=_TOO_SMALL)
            if upper - lower <= max(rtol * upper, atol):
                return Bracket(lower, upper)
            reason = next((asker.reason for asker in wide if asker.reason), _ROUNDING)
            return Bracket(lower, upper, converged=False, reason=reason)
        for asker in open_ones:
            asker.refine(wanted)
    raise AssertionError("unreachable")
