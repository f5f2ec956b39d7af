"""Ask the engine and every classic bound the same question."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tightbudget.classic import ALL, Bound, murtagh_vadhan
from tightbudget.classic.promises import Promises
from tightbudget.comparison.table import OURS, Comparison, Row, in_order
from tightbudget.errors import DoesNotApply, InvalidParameter
from tightbudget.mechanisms.answers import Curve
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked
from tightbudget.mechanisms.class_note import class_note
from tightbudget.mechanisms.composition import Composable
from tightbudget.notation import composition_given
from tightbudget.numerics.bracket import Bracket

_NOTHING = "it gives no finite ε at this δ"


def compare(
    composition: Composable | str,
    delta: float | None = None,
    epsilon: float | None = None,
    rtol: float = 1e-3,
    *,
    relation: str | None = None,
) -> Comparison:
    """Return our bracket and every classic bound, for the epsilon at a delta or the delta at an epsilon.

    The composition may be given by its notation. Exactly one of `delta` and `epsilon` must be given. `rtol` is
    the width asked for of our own bracket. `relation` is the neighbouring relation, by default the one that the steps
    state.

    >>> import tightbudget as tb
    >>> table = compare(tb.RandomizedResponse(p=0.75) * 100, delta=1e-6)
    >>> table["KOV, optimal"].value < table["naive"].value
    True
    """
    composition = composition_given("composition", composition).asked(relation)
    composition.check_proven()
    if (delta is None) == (epsilon is None):
        both = delta is not None
        allowed = "left out where delta is given" if both else "given, or epsilon in its place"
        raise InvalidParameter("epsilon" if both else "delta", epsilon, allowed, "Give exactly one of delta and epsilon.")
    promises = Promises(composition)
    if delta is not None:
        delta = delta_asked(delta)
        bracket = composition.epsilon(delta, rtol)
    else:
        epsilon = epsilon_asked(epsilon)
        bracket = composition.delta(epsilon, rtol)
    ours = Row(OURS, bracket.upper, "bracket", "certified, both ends", lower=bracket.lower)
    rows = (ours, *in_order([_row_of_bound(bound, promises, delta, epsilon) for bound in ALL]))
    return Comparison(
        str(composition),
        bracket.relation,
        rows,
        delta,
        epsilon,
        bracket.converged,
        bracket.reason,
        class_note(composition, compared=True),
        composition,
    )


def _row_of_bound(bound: Bound, promises: Promises, delta: float | None, epsilon: float | None) -> Row:
    lower = None
    try:
        if bound is murtagh_vadhan:
            bracket = _compared_optimum(promises, delta, epsilon)
            lower, value = bracket.lower, bracket.upper
        elif delta is not None:
            value = bound.epsilon(promises, delta)
        else:
            assert epsilon is not None
            value = bound.delta(promises, epsilon)
    except DoesNotApply as problem:
        return Row(bound.name, None, bound.kind, bound.reference, problem.reason)
    return Row(bound.name, value, bound.kind, bound.reference, _NOTHING if math.isinf(value) else "", lower)


def _compared_optimum(promises: Promises, delta: float | None, epsilon: float | None) -> Bracket:
    if delta is not None:
        return murtagh_vadhan.epsilon_bracket(promises, delta)
    assert epsilon is not None
    return murtagh_vadhan.delta_bracket(promises, epsilon)


@dataclass(frozen=True, slots=True)
class Line:
    """delta by one bound at many epsilons."""

    name: str
    kind: str
    deltas: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """Our band and the lines of all bounds that apply, over the same epsilons."""

    expression: str
    band: Curve
    lines: tuple[Line, ...]


def compare_curves(
    composition: Composable | str, epsilons: "ArrayLike", rtol: float = 1e-3, names: Collection[str] | None = None
) -> Curves:
    """Return delta over a range of epsilons, by us and by every classic bound that applies, or by those named.

    >>> import tightbudget as tb
    >>> curves = compare_curves(tb.Laplace(scale=20) * 100, [0.0, 0.5, 1.0], names=["naive", "zCDP"])
    >>> [line.name for line in curves.lines]
    ['naive', 'zCDP']
    """
    composition = composition_given("composition", composition)
    band = composition.curve(epsilons, rtol)
    promises, asked = Promises(composition), np.asarray(band.epsilons).ravel().tolist()
    lines = (_line_of_bound(bound, promises, asked) for bound in ALL if names is None or bound.name in names)
    return Curves(str(composition), band, tuple(line for line in lines if line is not None))


def _line_of_bound(bound: Bound, promises: Promises, epsilons: Sequence[float]) -> Line | None:
    try:
        return Line(bound.name, bound.kind, tuple(bound.curve(promises, epsilons)))
    except DoesNotApply:
        return None
