"""Answers of the engine about pairs that no mechanism need have."""

from tightbudget.engine.direction import OneDirection
from tightbudget.engine.refine import delta_bracket
from tightbudget.engine.steps import engine_steps
from tightbudget.numerics.bracket import Bracket
from tightbudget.pairs.base import Pair


def delta_of(pair: Pair, count: int, epsilon: float, rtol: float = 1e-9) -> Bracket:
    """Return a bracket of delta of a pair, repeated."""
    return delta_bracket((OneDirection(engine_steps([(pair, count)]), "both"),), epsilon, rtol, 1e-300, None)
