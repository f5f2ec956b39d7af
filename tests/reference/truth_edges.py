r"""Truth for one step and for compositions at the edges of float64, in ball arithmetic.

A `Side` is one direction of one step: its delta(epsilon), the mass of its infinite losses and the supremum of the
finite ones, each straight from a definition (theory D) and with no grid. Parameters are the exact numbers that the
floats are. Every function returns a ball that contains the truth at the working precision, however crude; who asks
raises the precision until the ball tells. Poisson subsampling needs nothing but algebra (theory D.4): the best set S
gives

    REMOVE   q P(S) + (1-q) Q(S) - e^x Q(S)     = q delta(y),   e^y = 1 + (e^x - 1)/q
    ADD      P(S) - e^x ((1-q) P(S) + q Q(S))   = c delta(y),   c = 1 - (1-q) e^x,  e^y = q e^x / c
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, fmpq
from tests.reference.truth_numbers import rational

import tightbudget as tb
from tightbudget.pairs.base import Direction

INF = arb("inf")
FAR = 1 << 50  # the exponential of a larger number is out of any question's reach
NORMAL_FAR = 1 << 26  # beyond, a normal tail is below e^-FAR


@dataclass(frozen=True)
class Event:
    """An event with probabilities a and b, and its loss ln a/b; infinite where one of them is 0."""

    a: arb
    b: arb
    loss: arb


@dataclass(frozen=True)
class Side:
    """One direction of one step. `events` if these are all there are."""

    delta: Callable[[arb], arb]
    infinity: Callable[[], arb] = lambda: arb(0)
    reveals: bool = False  # whether `infinity` is positive
    top: Callable[[], arb] | None = None  # supremum of the finite losses; None if there is none
    events: Callable[[], list[Event]] | None = None
    sharp: bool = True  # whether more precision gives more digits; not where a far tail is left open


def side(mechanism: tb.Mechanism, direction: Direction) -> Side | None:
    """Return the truth about a mechanism, or None if it reveals nothing."""
    match mechanism:
        case tb.Poisson(mechanism=inner, q=q):
            base = side(inner, direction)
            if base is None or q == 0:
                return None
            return base if q == 1 else subsampled(base, q, remove=direction is Direction.REMOVE)
        case tb.Gaussian(sigma=sigma, sensitivity=shift):
            return gaussian(rational(shift) / rational(sigma)) if shift else None
        case tb.GaussianDP(mu=mu):
            return gaussian(rational(mu)) if mu else None
        case tb.TruncatedGaussian(sigma=sigma, bound=bound, sensitivity=shift):
            return truncated_gaussian(rational(shift) / rational(sigma), rational(bound) / rational(sigma)) if shift else None
        case tb.Laplace(scale=scale, sensitivity=shift):
            return laplace(rational(shift) / rational(scale)) if shift else None
        case tb.TruncatedLaplace(scale=scale, bound=bound, sensitivity=shift):
            return truncated_laplace(rational(shift) / rational(scale), rational(bound) / rational(scale)) if shift else None
        case tb.BoundedRange(eta=eta):
            return bounded_range(rational(eta)) if eta else None
        case tb.DiscreteGaussian(sigma=sigma, sensitivity=shift):
            return discrete_gaussian(rational(sigma), int(shift)) if shift else None
        case tb.ClampedGaussian(mean=mean, sigma=sigma, sensitivity=shift):
            return clamped_gaussian(rational(mean), rational(sigma), rational(shift), direction) if shift else None
        case tb.ClampedLaplace(mean=mean, scale=scale, sensitivity=shift):
            return clamped_laplace(rational(mean), rational(scale), rational(shift), direction) if shift else None
    return of_events(mechanism, direction)


def of_events(mechanism: tb.Mechanism, direction: Direction) -> Side | None:
    match mechanism:
        case tb.RandomizedResponse(p=p, k=k):
            truth, lie = Fraction(p), (1 - Fraction(p)) / (int(k) - 1)
            return listed([(truth, lie), (lie, truth), *([(lie * (k - 2),) * 2] if k > 2 else [])])
        case tb.Histograms(a=a, b=b):
            first, second = ([Fraction(x) / sum(map(Fraction, values)) for x in values] for values in (a, b))
            return listed(
                list(zip(first, second, strict=True) if direction is Direction.REMOVE else zip(second, first, strict=True))
            )
        case tb.PureDP(promised_epsilon=epsilon):
            return promise(rational(epsilon), rational(0))
        case tb.ApproximateDP(promised_epsilon=epsilon, promised_delta=delta):
            return promise(rational(epsilon), rational(delta))
        case tb.DiscreteLaplace(scale=scale, sensitivity=shift):
            return discrete_laplace(1 / rational(scale), int(shift)) if shift else None
    raise NotImplementedError(mechanism)


# ---- balls ----


def exp(x: arb) -> arb:
    """e^x, also where the exponent is too large for a ball of its own."""
    if x < -FAR:
        return arb(0).union(arb(-FAR).exp())
    return INF if x > FAR else x.exp()


def one_less(x: arb) -> arb:
    """1 - e^x, clipped to [0, 1]; x may be far below 0."""
    return arb(1) - arb(0).union(arb(-FAR).exp()) if x < -FAR else (-x.min(arb(0)).expm1()).nonnegative_part()


def _above(x: arb) -> arb:
    """P(Z > x)."""
    if x > NORMAL_FAR:
        return arb(0).union(arb(-FAR).exp())
    if x < -NORMAL_FAR:
        return arb(1) - _above(-x)
    y = x / arb(2).sqrt()
    # far out a ball of arguments would lose all digits, though its two ends do not
    return (y.lower().erfc().union(y.upper().erfc()) if y > 30 else y.erfc()) / 2


# ---- one step ----


def gaussian(m: fmpq) -> Side:
    return gaussian_ball(lambda: arb(m))


def gaussian_ball(size: Callable[[], arb]) -> Side:
    def delta(x: arb) -> arb:
        m = size()
        far, near = x / m + m / 2, x / m - m / 2
        if near > NORMAL_FAR:
            return arb(0).union(arb(-FAR).exp())
        return _above(near) - (x.exp() * _above(far) if x < FAR else arb(0).union(_above(near)))

    return Side(delta)


def truncated_gaussian(m: fmpq, cut: fmpq) -> Side:
    """Noise u within the cut; A = u, B = u + m, whose loss falls in u. Outputs below m - cut only A can produce."""
    if m >= 2 * cut:
        return revealing()

    def whole() -> arb:
        return 1 - 2 * _above(arb(cut))

    def infinity() -> arb:
        return (_above(arb(cut - m)) - _above(arb(cut))) / whole()

    def top() -> arb:
        return arb(m * (cut - m / 2))

    def delta(x: arb) -> arb:
        if x >= top():
            return infinity()
        u = (arb(m) / 2 - x / arb(m)).min(arb(cut)).max(arb(m - cut))
        a, b = _above(-u) - _above(arb(cut)), _above(arb(m) - u) - _above(arb(cut))
        return ((a - exp(x) * b) / whole()).max(infinity())

    return Side(delta, infinity, reveals=True, top=top)


def laplace(e: fmpq) -> Side:
    return Side(lambda x: one_less((x - arb(e)) / 2), top=lambda: arb(e))


def bounded_range(eta: fmpq) -> Side:
    return Side(lambda x: one_less((x - arb(eta)) / 2) ** 2 / one_less(-arb(eta)), top=lambda: arb(eta))


def truncated_laplace(shift: fmpq, cut: fmpq) -> Side:
    """As above; the loss is `shift` at all outputs below 0 that both can produce."""
    if shift >= 2 * cut:
        return revealing()

    def between(low: arb, high: arb) -> arb:
        """Mass of (low, high) under Laplace(1) conditioned on the cut."""
        negative = exp(high.min(arb(0))) * one_less(low.min(arb(0)) - high.min(arb(0)))
        positive = exp(-low.max(arb(0))) * one_less(low.max(arb(0)) - high.max(arb(0)))
        return (negative + positive) / (2 * one_less(-arb(cut)))

    def infinity() -> arb:
        return between(arb(-cut), arb(shift - cut))

    def top() -> arb:
        return arb(min(shift, 2 * cut - shift))

    def delta(x: arb) -> arb:
        if x >= top():
            return infinity()
        u = ((arb(shift) - x) / 2).max(arb(shift - cut))
        a, b = between(arb(shift - cut), u), between(arb(-cut), u - arb(shift))
        return infinity() + (a - exp(x) * b).nonnegative_part()

    return Side(delta, infinity, reveals=True, top=top)


def revealing() -> Side:
    return Side(lambda x: arb(1), lambda: arb(1), reveals=True, top=lambda: arb(0), events=lambda: [Event(arb(1), arb(0), INF)])


def discrete_gaussian(sigma: fmpq, shift: int) -> Side:
    """All outputs within 60 sigma, and a bound on the rest."""
    reach = int(60 * float(sigma)) + 2 + shift

    def delta(x: arb) -> arb:
        weights = [exp(arb(-fmpq(n * n) / (2 * sigma * sigma))) for n in range(-reach, reach + 1)]
        rest = 2 * weights[0] / one_less(arb(-fmpq(reach) / (sigma * sigma)))
        losses = [fmpq(shift * (shift - 2 * n)) / (2 * sigma * sigma) for n in range(-reach, reach + 1)]
        total = sum(weights, arb(0)) + arb(0).union(rest)
        found = sum(
            (w * one_less(x - arb(loss)) for w, loss in zip(weights, losses, strict=True) if not x >= arb(loss)), arb(0)
        )
        return found / total + arb(0).union(rest / weights[reach])

    return Side(delta, sharp=False)


def events_side(events: Callable[[], list[Event]], *, reveals: bool) -> Side:
    """A step of nothing but these events."""

    def infinity() -> arb:
        return sum((event.a for event in events() if event.loss == INF), arb(0))

    def top() -> arb:
        return max_ball([event.loss for event in events() if not infinite(event.loss)])

    return Side(lambda x: sum((excess(event, x) for event in events()), arb(0)), infinity, reveals, top, events)


def infinite(loss: arb) -> bool:
    """Whether a loss is infinite for certain; a ball that knows nothing is not."""
    return loss in (INF, -INF)


def max_ball(values: Sequence[arb]) -> arb:
    """The largest of the values, and at least 0."""
    largest = arb(0)
    for value in values:
        largest = largest.max(value)
    return largest


def excess(event: Event, x: arb) -> arb:
    """(a - e^x b)_+"""
    if event.loss == INF:
        return event.a
    return arb(0) if x >= event.loss else event.a * one_less(x - event.loss)


def listed(masses: Sequence[tuple[Fraction, Fraction]]) -> Side | None:
    """Events with exact probabilities."""
    kept = [(rational(a), rational(b)) for a, b in masses if a or b]
    if all(a == b for a, b in kept):
        return None

    def events() -> list[Event]:
        return [Event(arb(a), arb(b), INF if b == 0 else -INF if a == 0 else log_ratio(a, b)) for a, b in kept]

    return events_side(events, reveals=any(b == 0 for _, b in kept))


def log_ratio(a: fmpq, b: fmpq) -> arb:
    """ln a/b, relatively accurate also where a is next to b."""
    return arb((a - b) / b).log1p() if 2 * abs(a - b) < b else arb(a / b).log()


def promise(epsilon: fmpq, delta: fmpq) -> Side | None:
    if epsilon == 0 and delta == 0:
        return None

    def events() -> list[Event]:
        small = exp(arb(-epsilon))
        likely, rare = arb(1 - delta) / (1 + small), arb(1 - delta) * small / (1 + small)
        lost = [Event(arb(delta), arb(0), INF), Event(arb(0), arb(delta), -INF)] if delta > 0 else []
        kept = [Event(likely, rare, arb(epsilon)), Event(rare, likely, arb(-epsilon))] if delta < 1 else []
        return [*kept, *lost]

    return events_side(events, reveals=delta > 0)


def discrete_laplace(rate: fmpq, shift: int) -> Side:
    def events() -> list[Event]:
        norm = 1 + exp(arb(-rate))
        inner = [exp(arb(-n * rate)) * one_less(arb(-rate)) / norm for n in range(1, shift)]
        masses = [1 / norm, *inner, exp(arb(-shift * rate)) / norm]
        return [Event(a, b, arb((shift - 2 * n) * rate)) for n, (a, b) in enumerate(zip(masses, masses[::-1], strict=True))]

    return events_side(events, reveals=False)


def _normal_between(low: arb, high: arb) -> arb:
    return _above(low) - _above(high) if not low < 0 else _above(-high) - _above(-low)


def _laplace_between(low: arb, high: arb) -> arb:
    """Mass of Laplace(1) between two points; exact differences on either side of 0."""
    negative = exp(high.min(arb(0))) * one_less(low.min(arb(0)) - high.min(arb(0)))
    positive = exp(-low.max(arb(0))) * one_less(low.max(arb(0)) - high.max(arb(0)))
    return (negative + positive) / 2


def _laplace_above(x: arb) -> arb:
    return exp(-x.max(arb(0))) / 2 + _laplace_between(x.min(arb(0)), arb(0))


def clamped_laplace(mean: fmpq, scale: fmpq, shift: fmpq, direction: Direction) -> Side:
    """The losses outside both centres are +-shift/scale, so that all outcomes there are one event."""
    first, last = max(0, int(mean.floor()) - 1), max(1, int((mean + shift).ceil()) + 1)
    pair = [_counts(_laplace_between, _laplace_above, first, last, mean + moved, scale) for moved in (0, shift)]
    if mean >= 0 or direction is Direction.REMOVE:
        return _clamped(pair, direction, lambda masses: arb(0), lambda: arb(shift / scale))
    return _clamped(pair, direction, lambda masses: arb(0), lambda: arb(0).union(arb(shift / scale)))


def clamped_gaussian(mean: fmpq, sigma: fmpq, shift: fmpq, direction: Direction) -> Side:
    """All outcomes within 60 sigma; the losses of what lies beyond are left open."""
    first = max(0, int((mean - 60 * sigma).floor()) - 1)
    last = max(1, int((mean + shift + 60 * sigma).ceil()) + 1)
    pair = [_counts(_normal_between, _above, first, last, mean + moved, sigma) for moved in (0, shift)]
    return _clamped(pair, direction, lambda masses: masses[-1] + (masses[0] if first else 0), None)


def _counts(between, above, first: int, last: int, centre: fmpq, scale: fmpq) -> Callable[[], list[arb]]:
    """Masses of ceil(max(0, noise)) at most `first`, then of each count, then of those above `last`."""

    def masses() -> list[arb]:
        z = [arb((fmpq(n) - centre) / scale) for n in range(first, last + 1)]
        return [above(-z[0]), *(between(x, y) for x, y in pairwise(z)), above(z[-1])]

    return masses


def _clamped(pair, direction: Direction, open_mass: Callable[[list[arb]], arb], top: Callable[[], arb] | None) -> Side:
    without, record = pair
    first, second = (record, without) if direction is Direction.REMOVE else (without, record)

    def delta(x: arb) -> arb:
        a = first()
        found = open_mass(a)
        total = arb(0).union(found) if found != 0 else arb(0)
        for p, r in zip(a, second(), strict=True):
            loss = (p / r).log()
            if not loss.is_finite():  # one of them is below all exponents
                total += arb(0).union(p)
            elif not x >= loss:
                total += p * one_less(x - loss)
        return total

    return Side(delta, top=top, sharp=False)


def subsampled(base: Side, q: float, *, remove: bool) -> Side:
    rate, stay = rational(q), 1 - rational(q)

    def removed(x: arb) -> arb:
        y = x - arb(rate).log() + (1 - arb(stay) * exp(-x)).log() if x > 1 else (x.expm1() / arb(rate)).log1p()
        return arb(rate) * base.delta(y)

    def added(x: arb) -> arb:
        if x > NORMAL_FAR:
            return arb(0)
        chance = arb(rate) - arb(stay) * x.expm1()
        if chance <= 0:
            return arb(0)
        if not chance > 0:
            return chance.nonnegative_part() * arb(0).union(arb(1))
        return chance * base.delta((arb(rate) / chance).log() + x)

    def reached() -> arb:
        # an event that B could not produce has got (1-q) of it from A, and unbounded losses come as close to that as
        # they like
        return -arb(stay).log() if base.reveals or base.top is None else -_forward(-base.top(), rate)

    def mixed() -> list[Event]:
        assert base.events is not None
        return [_mixed(event, rate, remove=remove) for event in base.events()]

    events = mixed if base.events is not None else None
    if remove:
        top = None if base.top is None else lambda: _forward(base.top(), rate)
        return Side(removed, lambda: arb(rate) * base.infinity(), base.reveals, top, events, base.sharp)
    return Side(added, top=reached, events=events, sharp=base.sharp)


def _forward(x: arb, rate: fmpq) -> arb:
    """ln(1 - q + q e^x), the way round in which nothing overflows."""
    return x + (arb(rate) + arb(1 - rate) * exp(-x)).log() if x > 1 else (arb(rate) * x.expm1()).log1p()


def _mixed(event: Event, rate: fmpq, *, remove: bool) -> Event:
    stay = 1 - rate
    if remove:
        if event.loss == INF:
            return Event(arb(rate) * event.a, arb(0), INF)
        if event.loss == -INF:
            return Event(arb(stay) * event.b, event.b, arb(stay).log())
    else:
        if event.loss == -INF:
            return Event(arb(0), arb(rate) * event.b, -INF)
        if event.loss == INF:
            return Event(event.a, arb(stay) * event.a, -arb(stay).log())
    x = event.loss if remove else -event.loss
    loss = _forward(x, rate)
    if remove:
        return Event(arb(rate) * event.a + arb(stay) * event.b, event.b, loss)
    return Event(event.a, arb(stay) * event.a + arb(rate) * event.b, -loss)
