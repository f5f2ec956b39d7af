"""Reasons that tell a reader what to make of a wide bracket."""

import tightbudget as tb
from tightbudget.engine.reasons import of_a_class


def test_a_class_of_cases_is_told_by_what_it_means() -> None:
    answer = (tb.BoundedRange(0.5) * 10).epsilon(1e-6)
    assert of_a_class(answer.reason)
    assert answer.reason.startswith("a step stands for a class of cases whose exact cost is not known")
    assert answer.reason.endswith("no effort narrows that")
