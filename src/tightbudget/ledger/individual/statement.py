"""The privacy statement of an individual budget: what is promised to each person, and what is told to nobody."""

from collections.abc import Mapping
from typing import Any

from tightbudget.ledger.terms import Terms

_PROMISE = {
    "zcdp": "{budget}-zCDP",
    "gdp": "{budget}-GDP",
    "renyi": "of Rényi divergence at most {budget} at order {order}",
}


def individual_statement(terms: Terms) -> str:
    """Return the statement. It follows from the terms alone: nothing that was spent is in it."""
    filter: Mapping[str, Any] = terms.filter
    promise = _PROMISE[filter["of"]].format(**filter["settings"])
    paragraphs = [
        f"Budget {terms.name!r}" + (f": {terms.description}" if terms.description else "") + ".",
        f"Guarantee. Everything released through this budget, however the steps were chosen, is {promise} with respect to "
        f"adding or removing the data of any one {terms.unit}.",
        f"How it is kept. Each {terms.unit} has this budget. Before a step everybody is charged what the own record can "
        "change in its result, and who cannot pay is left out; the theorem is that of individual filters (M17).",
        "What is not told. What anybody has left, and how many took part in a step, is computed from the data and is "
        "neither in the log nor in any receipt.",
        "Assumptions. Each step was run on exactly those who were admitted, with randomness that nobody can predict. The "
        "amount of each was a bound that depends on the own record and on earlier releases only. No charge was aborted or "
        "refunded after something of it had been seen.",
    ]
    return "\n\n".join(paragraphs) + "\n"
