"""How each tool answers a question, through its own public interface. Each answer is (lower or None, upper).

Everything from the parameters to the answer is inside the call, imports apart: `prepare` does those.
"""

import importlib
import math
from collections.abc import Callable

from calibrations import BY_NAME
from cases import Question, Step

Answer = tuple[float | None, float]


def prepare(call: str) -> None:
    """Import what `call` needs, so that neither its time nor its memory counts."""
    modules = {
        "ours": ["tightbudget", "tightbudget.calibration", "tightbudget.notation"],  # its names are imported when used
        "dp_accounting": ["dp_accounting.pld.privacy_loss_distribution"],
        "prv_accountant": ["prv_accountant"],
    }
    for prefix, names in modules.items():
        if call.startswith(prefix):
            for name in names:
                importlib.import_module(name)


# --- dp-accounting: the setting is value_discretization_interval -----------------------------------------------------


def dp_accounting(question: Question, interval: float) -> Answer:
    """PLDAccountant over events; randomized response by its PLD, because the accountant ignores that event's count."""
    if all(step.kind == "randomized_response" for step in question.steps):
        return _ask_pld(_response_pld(question.steps, interval), question)
    return dp_accounting_events(question, interval)


def dp_accounting_events(question: Question, interval: float) -> Answer:
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import PLDAccountant

    swaps = any(step.kind == "randomized_response" for step in question.steps)
    relation = NeighboringRelation.REPLACE_ONE if swaps else NeighboringRelation.ADD_OR_REMOVE_ONE
    accountant = PLDAccountant(relation, interval)
    for step in question.steps:
        accountant.compose(_event(step), step.count)
    if question.wanted == "epsilon":
        return None, float(accountant.get_epsilon(question.at))
    return None, float(accountant.get_delta(question.at))


def dp_accounting_repeated(question: Question, interval: float) -> Answer:
    """The PLD of one Gaussian, composed with itself: what mixed compositions go through."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    (step,) = question.steps
    one = pld.from_gaussian_mechanism(step.sigma, value_discretization_interval=interval)
    return _ask_pld(one.self_compose(step.count), question)


def dp_accounting_calibration(question: Question, name: str, interval: float) -> Answer:
    """calibrate_dp_mechanism with PLDAccountant, to 1e-6 of the value, from an interval within four times of it."""
    import dp_accounting as dp
    from dp_accounting import mechanism_calibration
    from dp_accounting.pld import PLDAccountant

    case = BY_NAME[name]

    def event(value: float):
        return dp.ComposedDpEvent([dp.SelfComposedDpEvent(_event(step), step.count) for step in case.at(value)])

    value = mechanism_calibration.calibrate_dp_mechanism(
        lambda: PLDAccountant(dp.NeighboringRelation.ADD_OR_REMOVE_ONE, interval),
        event,
        case.epsilon,
        case.delta,
        mechanism_calibration.ExplicitBracketInterval(case.truth / 4, 4 * case.truth),
        discrete=case.whole,
        tol=None if case.whole else 1e-6 * case.truth,
    )
    return None, float(value)


def _event(step: Step):
    import dp_accounting as dp

    if step.kind == "poisson":
        return dp.PoissonSampledDpEvent(step.q, dp.GaussianDpEvent(step.sigma))
    if step.kind == "randomized_response":
        return dp.RandomizedResponseDpEvent(2 * (1 - step.p), 2)
    return dp.GaussianDpEvent(step.sigma) if step.kind == "gaussian" else dp.LaplaceDpEvent(step.scale)


def _response_pld(steps: tuple[Step, ...], interval: float):
    from dp_accounting.pld import privacy_loss_distribution as pld

    (step,) = steps
    one = pld.from_randomized_response(2 * (1 - step.p), 2, value_discretization_interval=interval)
    return one.self_compose(step.count)


def _ask_pld(pld, question: Question) -> Answer:
    ask = pld.get_epsilon_for_delta if question.wanted == "epsilon" else pld.get_delta_for_epsilon
    return None, float(ask(question.at))


# --- prv-accountant: the setting is eps_error; delta_error a thousandth of delta, as its documentation advises -----


def prv_accountant(question: Question, eps_error: float, delta_scale: float = math.nan) -> Answer:
    from prv_accountant import PRVAccountant

    delta = question.at if question.wanted == "epsilon" else delta_scale
    counts = [step.count for step in question.steps]
    accountant = PRVAccountant(
        prvs=[_prv(step) for step in question.steps],
        eps_error=eps_error,
        delta_error=delta / 1000,
        max_self_compositions=counts,
    )
    ask = accountant.compute_epsilon if question.wanted == "epsilon" else accountant.compute_delta
    lower, _, upper = ask(question.at, counts)
    return float(lower), float(upper)


def _prv(step: Step):
    import prv_accountant as prv

    if step.kind == "poisson":
        return prv.PoissonSubsampledGaussianMechanism(step.q, step.sigma)
    if step.kind == "gaussian":
        return prv.GaussianMechanism(step.sigma)
    if step.kind == "laplace":
        return prv.LaplaceMechanism(mu=1 / step.scale)
    # Binary randomized response is the pure-DP dominating pair with epsilon = log(p / (1 - p)).
    return prv.PureDPMechanism(step.epsilon if step.kind == "pure_dp" else math.log(step.p / (1 - step.p)))


# --- ours: the setting is rtol ---------------------------------------------------------------------------------------


def ours(question: Question, rtol: float) -> Answer:
    return ours_engine(question.expression, question, rtol)


def ours_engine(expression: str, question: Question, rtol: float) -> Answer:
    """From the text of `expression`, parsed anew each time, so that nothing is remembered between calls."""
    import tightbudget as tb

    composition = tb.parse(expression)
    if question.wanted == "epsilon":
        bracket = composition.epsilon(delta=question.at, rtol=rtol)
    else:
        bracket = composition.delta(epsilon=question.at, rtol=rtol)
    return float(bracket.lower), float(bracket.upper)


def ours_calibration(question: Question, name: str, rtol: float) -> Answer:
    """The value that misses the target and the one that meets it."""
    import tightbudget as tb

    case = BY_NAME[name]
    found = tb.calibrate(case.template, epsilon=case.epsilon, delta=case.delta, rtol=rtol)
    return float(found.too_little), float(found.value)


CALLS: dict[str, Callable[..., Answer]] = {
    function.__name__: function
    for function in (
        dp_accounting,
        dp_accounting_events,
        dp_accounting_repeated,
        dp_accounting_calibration,
        prv_accountant,
        ours,
        ours_engine,
        ours_calibration,
    )
}
