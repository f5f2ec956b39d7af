"""Whether a composition keeps a budget: proven, refuted, or more than brackets can tell."""

from dataclasses import dataclass

from tightbudget.calibration.targets import Target
from tightbudget.calibration.which_target import target_asked
from tightbudget.mechanisms import Composable
from tightbudget.numerics.bracket import Bracket

PROVEN, REFUTED, UNDECIDED = "proven", "refuted", "undecided"

_FIRST = 1e-3  # the width asked for at first
_NARROWER = 0.01  # times the width before
_FINEST = 1e-13  # no bracket is asked for more narrowly


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was asked, and the bracket that decides it, or is as narrow as can be had."""

    target: Target
    answer: Bracket

    @property
    def word(self) -> str:
        """The upper end of the bracket proves that the budget is kept, its lower end that it is not."""
        if self.target.met(self.answer):
            return PROVEN
        return REFUTED if self.target.missed(self.answer) else UNDECIDED


def verdict_on(composition: Composable, epsilon: float, delta: float, effort: float | None = None) -> Verdict:
    """Return whether a composition is (epsilon, delta)-differentially private, by a bracket as narrow as that takes.

    >>> from tightbudget import Gaussian
    >>> verdict_on(Gaussian(20) * 10, epsilon=1, delta=1e-6).word
    'proven'
    """
    composition.check_proven()
    target = target_asked(epsilon=epsilon, delta=delta)
    width = _FIRST
    found = Verdict(target, target.ask(composition, width, effort))
    while found.word == UNDECIDED and found.answer.converged and width > _FINEST:
        width *= _NARROWER
        before, found = found.answer, Verdict(target, target.ask(composition, width, effort))
        if (found.answer.lower, found.answer.upper) == (before.lower, before.upper):
            break
    return found
