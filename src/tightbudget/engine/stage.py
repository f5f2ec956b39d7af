"""One stage of refinement: one tolerance, for which every route is open once more (M9)."""

import time
from collections.abc import Callable
from functools import partial

from tightbudget.engine.direction import APART
from tightbudget.engine.pursuit import OF_PLAN, Pursuit
from tightbudget.engine.question import DirectionQuestion
from tightbudget.engine.routes import ROUTES, Route

_ALIKE = 0.01  # epsilons, relatively
_WITHIN = 0.8  # of the width wanted: what is planned where the law of the width is known to promise too much
_NARROWEST = 0.5  # of the usual plan: where it promises more than twice as much, it does not hold at all
_AS_PLANNED = 0.5  # of the width planned: whoever needs a narrower plan than that has been planned poorly


class Stage:
    """One direction's routes at one tolerance: those tried, and those left."""

    def __init__(self, question: DirectionQuestion, rtol: float, most_points: float, before: "Stage | None") -> None:
        self.question, self.rtol = question, rtol
        # the route that did best, here or for a neighbour
        self.best: Route = before.best if before else ROUTES[question.first_route]
        if before and self.best is ROUTES[0] and (question.way.finer < _AS_PLANNED or question.large_losses_grow):
            self.best = ROUTES[APART]  # the law of the width failed, or is about to: a few large losses may be why
        self._most_points = most_points
        self._first = before is None
        # for the first plan: as somebody else found it, or as the stage before did by the same route
        self._finer = question.direction.way().finer if before is None else before.finer_for(self.best)
        self._pursuits: list[Pursuit] = []
        self._law = 0.0  # of the route that did best
        self._asked: dict[Route, list[float]] = {}  # the epsilons for which a route was tried
        routes = list(ROUTES)
        routes.remove(self.best)
        routes.insert(0, self.best)
        self._untried = [] if question.settled else routes

    @property
    def reason(self) -> str:
        """What held the narrowest pursuit back, if that is known."""
        held = [pursuit for pursuit in self._pursuits if pursuit.reason]
        return min(held, key=lambda pursuit: pursuit.width).reason if held else ""

    def finer_for(self, route: Route) -> float:
        """Return by how much a plan of this route should be narrower than usual, as far as is known here."""
        if route is not self.best or self._law == 0.0:
            return 1.0
        return min(1.0, max(_NARROWEST, _WITHIN / (OF_PLAN * self._law)))

    def advance(self, width: float, wanted: float) -> bool:
        """Compute once more; return whether there was anything left to try.

        The first plan is for a bracket of the given width, all others for the wanted one. Every route is tried before
        one is pursued that did much worse than planned: where the law of the width fails, a finer grid is no help, or a
        dear one.
        """
        if self._pursuits and self._pursuits[-1].hopeful(wanted):
            last = self._pursuits[-1]
            # later stages begin with the route that did best: there is no need to look around before it is pursued
            look_around = self._untried and (self._first or len(self._pursuits) > 1)
            self._take(last.try_refining if look_around else last.refine, wanted)
            return True
        while self._untried:
            route = self._untried.pop(0)
            pursuit = self._open(route)
            if pursuit is not None:
                self._begin(route, pursuit, width, wanted)
                return True
        left = [pursuit for pursuit in self._pursuits if not pursuit.final]
        if left:
            self._take(min(left, key=lambda pursuit: pursuit.width).refine, wanted)
        return bool(left)

    def bound_cheaply(self, limit: float = 0.0) -> None:
        """Lower the upper end to a Chernoff bound, which takes no composition, if that is better.

        It need be no better than the limit.
        """
        question = self.question
        if not question.settled:
            begun = time.perf_counter()
            whole = {pursuit.tilt for pursuit in self._pursuits if pursuit.source is question.direction}
            upper = min(question.chernoff(tilt, limit) for tilt in whole or {question.tilt(self.rtol)})
            question.upper = min(question.upper, upper)
            question.record("Chernoff", 0.0, upper, time.perf_counter() - begun)

    def _open(self, route: Route) -> Pursuit | None:
        """Return a pursuit of the route; None if it leads nowhere or was taken before."""
        question = self.question
        if route.retakes and not self._new(route, question.epsilon_in_question()):
            return None
        found = route(question, self.rtol)
        if found is None or any(pursuit.source is found[0] and pursuit.tilt == found[1] for pursuit in self._pursuits):
            return None
        return Pursuit(*found, self._most_points, question.direction.name, question.trace.append)

    def _new(self, route: Route, epsilon: float) -> bool:
        """Whether the route was not tried in this stage for about this epsilon."""
        asked = self._asked.setdefault(route, [])
        new = all(abs(epsilon - other) > _ALIKE * epsilon for other in asked)
        asked.append(epsilon)
        return new

    def _begin(self, route: Route, pursuit: Pursuit, width: float, wanted: float) -> None:
        first, question = not self._pursuits, self.question
        self._pursuits.append(pursuit)
        asked = width if first else wanted
        planned = width / max(question.estimate.answer, 1e-300) if first else 0.0
        self._take(pursuit.start, planned, (self._finer if first else 1.0) * question.log_width(asked))
        if first or pursuit.width < min(one.width for one in self._pursuits[:-1]):
            self.best, self._law = route, pursuit.law / (self._finer if first else 1.0)
            question.way = question.way._replace(route=ROUTES.index(route))

    def _take(self, compute: Callable[..., None], *arguments: float) -> None:
        compute(partial(self.question.read, rtol=self.rtol), *arguments)
        for pursuit in self._pursuits:
            self.question.narrow(pursuit.lower, pursuit.upper)
        if self._first:
            best = min(self._pursuits, key=lambda pursuit: pursuit.width)
            begun = self._finer if best is self._pursuits[0] else 1.0
            self.question.way = self.question.way._replace(finer=begun * best.finer)
