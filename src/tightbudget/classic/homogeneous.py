"""Refusing different steps, for theorems about k times the same promise."""

from tightbudget.classic.promises import Promises
from tightbudget.errors import DoesNotApply


def only_equal_steps(promises: Promises) -> None:
    if len(promises.steps) > 1:
        raise DoesNotApply(f"it is for one mechanism repeated, and {len(promises.steps)} different ones are composed")
