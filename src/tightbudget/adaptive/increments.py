"""Increments: what one step may declare to a filter or odometer."""

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import RDP as RDP
from tightbudget.mechanisms import ZCDP as ZCDP
from tightbudget.mechanisms import Composable
from tightbudget.mechanisms.renyi_promises import exact_order as exact_order
from tightbudget.notation import parse

Increment = Composable
"""Mechanisms and compositions; promises on moments, `zcdp` and `rdp`, are mechanisms too."""


def parse_increment(text: str, mix_relations: bool = False) -> Increment:
    """Read a step in the notation of mechanisms and compositions, as `parse` does.

    >>> parse_increment("rdp(order=8, value=0.02)"), parse_increment("zcdp(rho=0.01, delta=1e-9)")
    (RDP(alpha=8, epsilon=0.02), ZCDP(rho=0.01, delta=1e-09))
    >>> parse_increment("pure_dp(epsilon=0.01) * 3")
    Composition(items=((PureDP(promised_epsilon=0.01), 3),))
    """
    return parse(text, mix_relations)


def checked_increment(value: object, mix_relations: bool = False) -> Increment:
    """Return the step, which may be given in the notation."""
    step = parse_increment(value, mix_relations) if isinstance(value, str) else value
    if isinstance(step, Composable):
        step.check_proven()
        return step
    hint = "For example tb.PureDP(epsilon=0.1), or 'pure_dp(epsilon=0.1)'."
    raise InvalidParameter("increment", value, "a mechanism, a composition or its notation", hint)
