"""Whether a composition keeps a budget: proven, refuted, or more than brackets can tell."""

from dataclasses import dataclass

from tightbudget.calibration.targets import Target
from tightbudget.calibration.which_target import target_asked
from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.checks import delta_asked, epsilon_asked, limit_above
from tightbudget.numerics.bracket import Bracket

PROVEN, REFUTED, UNDECIDED = "proven", "refuted", "undecided"

_FIRST = 1e-3  # the width asked for at first
_NARROWER = 0.01  # times the width before
_FINEST = 1e-13  # no bracket is asked for more narrowly


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was asked, and the bracket that decides it, or is as narrow as can be had.

    A limit that is not a float is rounded down for the proof that it is kept, and up, as `laxer`, for the proof that it
    is missed.
    """

    target: Target
    answer: Bracket
    laxer: Target
    missing: Bracket

    @property
    def word(self) -> str:
        """The upper end of the bracket proves that the budget is kept, its lower end that it is not."""
        if self.target.met(self.answer):
            return PROVEN
        return REFUTED if self.laxer.missed(self.missing) else UNDECIDED


def verdict_on(composition: Composable, epsilon: float, delta: float, effort: float | None = None) -> Verdict:
    """Return whether a composition is (epsilon, delta)-differentially private, by a bracket as narrow as that takes.

    >>> from tightbudget import Gaussian
    >>> verdict_on(Gaussian(20) * 10, epsilon=1, delta=1e-6).word
    'proven'
    """
    composition.check_proven()
    target = target_asked(epsilon=epsilon, delta=delta)
    above = limit_above(epsilon, epsilon_asked(epsilon)), min(1.0, limit_above(delta, delta_asked(delta)))
    laxer = target_asked(epsilon=above[0], delta=above[1])
    width = _FIRST
    found = _verdict_at(composition, target, laxer, width, effort)
    while found.word == UNDECIDED and found.answer.converged and width > _FINEST:
        width *= _NARROWER
        before, found = found.answer, _verdict_at(composition, target, laxer, width, effort)
        if (found.answer.lower, found.answer.upper) == (before.lower, before.upper):
            break
    return found


def _verdict_at(composition: Composable, target: Target, laxer: Target, width: float, effort: float | None) -> Verdict:
    answer = target.ask(composition, width, effort)
    return Verdict(target, answer, laxer, answer if laxer == target else laxer.ask(composition, width, effort))
