"""`tb.calibrate`: the one open number of a composition, solved for."""

import math
from collections.abc import Callable
from typing import Any

from tightbudget.calibration.candidates import Number, Scale
from tightbudget.calibration.ends import NotRefuted, enclose_target
from tightbudget.calibration.narrow import narrow_real
from tightbudget.calibration.narrow_whole import largest_met, narrow_whole
from tightbudget.calibration.narrow_wide import last_number_met, narrow_each_end, stays_wide
from tightbudget.calibration.open_number import NotAllowed, OpenNumber
from tightbudget.calibration.points import Points
from tightbudget.calibration.result import Calibration
from tightbudget.calibration.which_target import target_asked
from tightbudget.errors import InvalidParameter
from tightbudget.keywords import says_its_arguments
from tightbudget.mechanisms.checks import asked_width, real, whole_count


@says_its_arguments
def calibrate(
    template: str | Callable[[Any], Any],
    *,
    epsilon: float | None = None,
    delta: float | None = None,
    advantage: float | None = None,
    tpr: float | None = None,
    fpr: float | None = None,
    posterior: float | None = None,
    prior: float | None = None,
    bayes_error: float | None = None,
    rtol: float = 1e-6,
    bounds: tuple[float, float] | None = None,
    effort: float | None = None,
    whole: bool | None = None,
    mix_relations: bool = False,
    relation: str | None = None,
) -> Calibration:
    """Return the value of the one `?` in a template that just meets a target, and one beside it that misses it.

    The template is notation with `?` in place of one number, or a function of one number that returns a mechanism or
    composition. The target is `epsilon` with `delta`; or a risk, as in `tb.risk`: the membership `advantage` of the
    best attack, its `tpr` at an `fpr`, the `posterior` it leads to from a `prior` (after a test with an `fpr`, or at
    worst), or the `bayes_error` at a `prior`, which is to be at least as large as given.

    Guarantee: the upper bound at `value` meets the target, and the lower bound at `too_little` misses it. If they are
    at most `rtol` apart (whole numbers: neighbours), `converged` is True. Where privacy is monotone in `?`, no value
    beyond `too_little` meets the target. For arguments of which no theorem says so, and for functions, that is checked
    at every number tried (M24). Where brackets stay wide, as for steps that stand for a class of cases, `value` is the
    last that is certain to meet the target and `too_little` the last that is certain to miss it, each to `rtol`. Where
    no number is proven to miss the target `too_little` is None (a count is then about the largest certain to meet it).

    `bounds` are the least and largest number to try; `effort` is that of a single bracket. `whole` says whether only
    whole numbers are meant; by default the argument says it. `relation` is the neighbouring relation, by default the
    one that the steps state.

    >>> answer = calibrate("poisson(gaussian(sigma=?), q=0.01) * 10000", epsilon=2, delta=1e-6)
    >>> print(answer)
    ? = 2.35561... keeps epsilon <= 2.0 at delta = 1e-06: epsilon in [1.999998..., 1.999999...] (add_remove)
    ? = 2.35561... does not: epsilon in [2.000000..., 2.000001...]
    """
    target = target_asked(
        epsilon=epsilon, delta=delta, advantage=advantage, tpr=tpr, fpr=fpr, posterior=posterior, prior=prior,
        bayes_error=bayes_error,
    )  # fmt: skip
    tolerance, _, effort = asked_width(rtol, 0.0, effort)
    if tolerance >= 1.0:
        raise InvalidParameter("rtol", rtol, "a number above 0 and below 1", "1e-6 is the default.")
    open_number = OpenNumber.of(template, whole, mix_relations, relation)
    limits = None if bounds is None else _calibration_bounds(bounds, open_number.whole)
    if limits is not None and not open_number.covers(*limits):
        open_number = open_number.without_trend()
    scale = Scale(open_number.whole, linear=limits is not None and not limits[0] > 0 and not open_number.whole)
    points = Points(open_number, target, effort, scale)
    try:
        reason = _narrowed(points, limits, tolerance)
    except NotAllowed as problem:  # between two numbers that have answers, as of counts inside a mechanism
        must = "one with an answer wherever the target is searched for"
        raise InvalidParameter("template", open_number.text, must, f"{problem} In Python whole=True finds counts.") from problem
    return _calibration_result(points, tolerance, reason)


def _narrowed(points: Points, limits: tuple[Number, Number] | None, tolerance: float) -> str:
    """Find the number as well as asked; return why it is not known better, nothing if it is."""
    open_number = points.open_number
    try:
        enclose_target(points, limits)
        reason = narrow_whole(points) if open_number.whole else narrow_real(points, tolerance)
        if reason and not open_number.whole and stays_wide(points):
            reason = narrow_each_end(points, tolerance)
    except NotRefuted as doubt:
        if open_number.whole:
            reason = largest_met(points, int(doubt.number), doubt.reason)
        else:
            reason = last_number_met(points, tolerance, doubt.reason)
    return reason


def _calibration_result(points: Points, rtol: float, reason: str) -> Calibration:
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


def _calibration_bounds(bounds: object, whole: bool) -> tuple[Number, Number]:
    allowed = "two finite numbers, the smaller first"
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise InvalidParameter("bounds", bounds, allowed)
    ends: list[Number] = [whole_count(end, "bounds") if whole else real("bounds", end, allowed) for end in bounds]
    if not -math.inf < ends[0] < ends[1] < math.inf:
        raise InvalidParameter("bounds", bounds, allowed)
    return ends[0], ends[1]
