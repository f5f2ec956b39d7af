"""What may be run on a sample or a batch: a step for single records, with noise of its own."""

from collections.abc import Iterator

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.composition import Composable, in_notation
from tightbudget.mechanisms.mechanism import Mechanism

_WHOLE_RUN = (
    "It releases all steps of a run together, but each step draws a batch of its own. Leave out the sampling, and set "
    "participations and separation to values that hold for every record: if each record stays in its batch from pass to "
    "pass, participations is the number of passes and separation the number of batches in a pass. If the noise is fresh in "
    "each step, sample the step: poisson(gaussian(sigma=4), q=0.01) * 1000."
)


def check_sampled(mechanism: object, hint_for_group: str = "Sample a mechanism that is not a group.") -> None:
    """Refuse what is for several records, or correlates the noise of many steps, wherever in the mechanism it is run.

    One sample of a matrix mechanism would be drawn before the first step and kept to the last: nobody's loader does
    that, and the cost of batches that are drawn step by step is larger.
    """
    for step in steps_run_by(mechanism):
        if step.of_many_steps:
            raise InvalidParameter(
                "mechanism", in_notation(step), "a mechanism whose steps have noise of their own", _WHOLE_RUN
            )
    if run_for_several(mechanism):
        raise InvalidParameter("mechanism", in_notation(mechanism), "a mechanism for single records", hint_for_group)


def run_for_several(mechanism: object) -> bool:
    """Whether a mechanism or composition, or anything that it runs, is for a group of records."""
    return any(step.of_several for step in steps_run_by(mechanism))


def counting_records(mechanism: object) -> Iterator[Mechanism]:
    """Yield what is promised a number of the records that a mechanism is given: itself, or what it runs on all of them.

    What draws batches of its own has checked what it runs on these.
    """
    if not isinstance(mechanism, Composable):
        return
    for step, _ in mechanism._items:
        if step.counts_examples:
            yield step
            continue
        for inner in (vars(step).get("mechanism"), vars(step).get("composition")):
            yield from counting_records(inner)


def counts_examples(mechanism: object) -> bool:
    """Whether a mechanism, or what it runs, is promised a number of records."""
    return any(step.counts_examples for step in steps_run_by(mechanism))


def steps_run_by(mechanism: object) -> Iterator[Mechanism]:
    """Yield the mechanism, or the steps of a composition, and all that these run."""
    if not isinstance(mechanism, Composable):
        return
    for step, _ in mechanism._items:
        yield step
        for inner in (vars(step).get("mechanism"), vars(step).get("composition")):
            yield from steps_run_by(inner)
