"""`tb.calibrate`: the one open number of a composition, solved for."""

import math
from collections.abc import Callable
from typing import Any

from tightbudget.calibration.candidates import Number, Scale
from tightbudget.calibration.ends import enclose
from tightbudget.calibration.narrow import narrow_real
from tightbudget.calibration.narrow_whole import narrow_whole
from tightbudget.calibration.open_number import OpenNumber
from tightbudget.calibration.points import Points
from tightbudget.calibration.result import Calibration
from tightbudget.calibration.targets import Advantage, Budget, Delta, Target
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import asked_width, delta_asked, epsilon_asked, real, whole_count

_WAYS = "epsilon and delta, or advantage"


def calibrate(
    template: str | Callable[[Any], Any],
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    rtol: float = 1e-6,
    bounds: tuple[float, float] | None = None,
    effort: float | None = None,
    whole: bool | None = None,
    mix_relations: bool = False,
) -> Calibration:
    """Return the value of the one `?` in a template that just meets a target, and one beside it that misses it.

    The template is notation with `?` in place of one number, or a function of one number that returns a mechanism or
    composition. The target is `epsilon` with `delta`, or the membership `advantage` of the best attack.

    Guarantee: the upper bound at `value` meets the target, and the lower bound at `too_little` misses it. If they are
    at most `rtol` apart (whole numbers: neighbours), `converged` is True. Where privacy is monotone in `?`, no value
    beyond `too_little` meets the target. For arguments of which no theorem says so, and for functions, that is checked
    at every number tried (M24).

    `bounds` are the least and largest number to try; `effort` is that of a single bracket. `whole` says whether only
    whole numbers are meant; by default the argument says it.

    >>> answer = calibrate("poisson(gaussian(sigma=?), q=0.01) * 10000", epsilon=2, delta=1e-6)
    >>> print(answer)
    ? = 2.3556184 keeps epsilon <= 2.0 at delta = 1e-06: epsilon in [1.999998..., 1.999999...] (add_remove)
    ? = 2.3556167 does not: epsilon in [2.000000..., 2.000001...]
    """
    target = _target(epsilon, delta, advantage)
    tolerance, _, effort = asked_width(rtol, 0.0, effort)
    if tolerance >= 1.0:
        raise InvalidParameter("rtol", rtol, "a number above 0 and below 1", "1e-6 is the default.")
    open_number = OpenNumber.of(template, whole, mix_relations)
    limits = None if bounds is None else _bounds(bounds, open_number.whole)
    if limits is not None and not open_number.covers(*limits):
        open_number = open_number.without_trend()
    scale = Scale(open_number.whole, linear=limits is not None and not limits[0] > 0 and not open_number.whole)
    points = Points(open_number, target, effort, scale)
    enclose(points, limits)
    reason = narrow_whole(points) if open_number.whole else narrow_real(points, tolerance)
    return _result(points, tolerance, reason)


def _result(points: Points, rtol: float, reason: str) -> Calibration:
    best, miss = points.best, points.nearest_miss
    assert best is not None
    return Calibration(
        value=best.number,
        achieved=best.answer,
        too_little=None if miss is None else miss.number,
        missed=None if miss is None else miss.answer,
        target=points.target,
        composition=best.composition,
        template=points.open_number.text,
        rtol=rtol,
        evaluations=points.evaluations,
        converged=not reason,
        reason=reason,
        argument=points.open_number.argument,
    )


def _target(epsilon: object, delta: object, advantage: object) -> Target:
    given = [name for name, value in (("epsilon", epsilon), ("advantage", advantage)) if value is not None]
    if len(given) != 1:
        raise InvalidParameter("target", given or None, f"one of {_WAYS}")
    if epsilon is None:
        if delta is not None:
            raise InvalidParameter("delta", delta, "left out where the target is not an epsilon")
        return Advantage(_share("advantage", advantage))
    most = epsilon_asked(epsilon)
    if math.isinf(most):
        raise InvalidParameter("epsilon", epsilon, "a finite number from 0", "Every composition has an infinite epsilon.")
    if delta is None:
        raise InvalidParameter("delta", None, "given with epsilon", "1e-6 is a usual choice; 0 is pure privacy.")
    rare = delta_asked(delta)
    return Budget(most, rare) if most > 0.0 else Delta(most, rare)


def _share(name: str, value: object) -> float:
    share = real(name, value, "a number from 0 to 1")
    if not 0.0 <= share <= 1.0:
        raise InvalidParameter(name, value, "a number from 0 to 1")
    return share


def _bounds(bounds: object, whole: bool) -> tuple[Number, Number]:
    allowed = "two finite numbers, the smaller first"
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise InvalidParameter("bounds", bounds, allowed)
    ends: list[Number] = [whole_count(end, "bounds") if whole else real("bounds", end, allowed) for end in bounds]
    if not -math.inf < ends[0] < ends[1] < math.inf:
        raise InvalidParameter("bounds", bounds, allowed)
    return ends[0], ends[1]
