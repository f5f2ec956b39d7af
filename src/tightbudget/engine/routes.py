"""The routes to a bracket that take a composition: each names a source of profiles and the tilt to make them for (M9).

What has a closed form was answered before (`OneDirection.exact`); Chernoff bounds take no profile
(`Question.chernoff`).
"""

from typing import Protocol

from tightbudget.engine.direction import AimedDirection
from tightbudget.engine.large_losses.apart import SplitDirection, has_large_losses, loss_ceilings
from tightbudget.engine.large_losses.layers import NEGLIGIBLE, layered_direction
from tightbudget.engine.pursuit import Source
from tightbudget.engine.question import DirectionQuestion, Tilt

Found = tuple[Source, Tilt] | None
"""None if the route does not lead anywhere for this question."""


class Route(Protocol):
    """A way to profiles that are sharp where the question is; takes the estimate that goes with it."""

    retakes: bool
    """Whether it is worth another try once the answer is known better: it depends on the epsilon in question."""

    def __call__(self, question: DirectionQuestion, rtol: float) -> Found: ...


class SaddlePointRoute:
    """The whole composition, tilted to its saddle point: few frequencies where that is short, else levels."""

    retakes = False

    def __call__(self, question: DirectionQuestion, rtol: float) -> Found:
        tilt = question.tilt(rtol)
        aim = question.aim(tilt)
        return (question.direction if aim is None else AimedDirection(question.direction, aim)), tilt


class OneLargeLoss:
    """The whole composition, tilted for answers that come from one large loss in one step."""

    retakes = False

    def __call__(self, question: DirectionQuestion, rtol: float) -> Found:
        tilt = question.large_loss_tilt(rtol)
        return None if tilt is None else (question.direction, tilt)


class LargeLossesApart:
    """The small losses alone, with what the large ones give added in closed form (M20)."""

    retakes = True

    def __call__(self, question: DirectionQuestion, rtol: float) -> Found:
        direction, epsilon = question.direction, question.epsilon_in_question()
        steps = direction.steps
        if not has_large_losses(steps, epsilon):
            return None
        ceilings, decades = loss_ceilings(steps, epsilon, direction.ceiling), question.decades(rtol)
        found = SplitDirection(steps, ceilings, direction.of_small_losses)
        return found, (decades, found.small.saddle(decades).for_epsilon(epsilon).tilt_index)


class CountedLargeLosses:
    """Compositions told apart by the number of their large losses (M20)."""

    retakes = True

    def __call__(self, question: DirectionQuestion, rtol: float) -> Found:
        epsilon, decades = question.epsilon_in_question(), question.decades(rtol)
        found = layered_direction(question.direction.steps, epsilon, decades, NEGLIGIBLE * rtol * question.estimate.finite)
        return None if found is None else (found, (decades, 0))


_APART, _COUNTED = LargeLossesApart(), CountedLargeLosses()

ROUTES: tuple[Route, ...] = (SaddlePointRoute(), OneLargeLoss(), _APART, _COUNTED, _APART, _COUNTED, _APART)
"""In the order in which a stage tries them. The last ones again: by then the answer is known better than at first."""
