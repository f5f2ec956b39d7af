"""The privacy statement of a budget: unit, relation, guarantee, theorem, assumptions, in plain words."""

from fractions import Fraction

from sqlalchemy import or_, select

from tightbudget.adaptive.amounts import exact, show
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.storage.schema import budgets

_RELATIONS = {
    "add_remove": "adding or removing the data of one {unit}",
    "replace_one": "replacing the data of one {unit} by that of another",
    "zero_out": "replacing the data of one {unit} by data that contributes nothing",
}

_THEOREMS = {
    "basic": "basic composition: epsilons and deltas add up (M14)",
    "advanced": "the filter of Rogers, Roth, Ullman and Vadhan for advanced composition (M14)",
    "sharpened": "the same filter with sharper constants (M14)",
    "whitehouse": "the filter of Whitehouse, Ramdas, Rogers and Wu (M14)",
    "zcdp": "zero-concentrated differential privacy: rho adds up, and is converted tightly (M14)",
    "rdp": "Rényi differential privacy: divergences add up at every order, and the best order is converted (M14)",
    "gdp": "Gaussian differential privacy: squared mu add up, and are converted exactly (M14)",
    "residual": "what is left of the budget dominates what is still to come (M15)",
    "slots": "a plan whose slots may be filled in any order by steps they dominate (M15)",
}


def statement_of(budget: Budget) -> str:
    """Return the statement, one paragraph for each thing that a reader must know."""
    terms, status = budget.terms, budget.status()
    change = _RELATIONS[terms.relation].format(unit=terms.unit)
    paragraphs = [
        f"Budget {terms.name!r}" + (f": {terms.description}" if terms.description else "") + ".",
        f"Guarantee. Everything released through this budget, however the queries were chosen, is ({terms.epsilon}, "
        f"{terms.delta})-differentially private with respect to {change}.",
        f"Unit and relation. The unit of privacy is one {terms.unit}; neighbouring data sets differ by {change} "
        f"({terms.relation}).",
        f"How it is kept. Each release is charged before it happens. A filter of kind {terms.filter['kind']}, fixed when the "
        f"budget was made, admits it or not; the theorem behind it is {_THEOREMS[terms.filter['kind']]}.",
        _so_far(budget, status),
    ]
    if (beside := _beside(budget)) is not None:
        paragraphs.append(beside)
    if budget.parent is not None:
        paragraphs.append(
            f"Part of. Every charge also passes the filter of {budget.parent!r}, whose guarantee covers this one's too."
        )
    paragraphs.append(
        "Assumptions. What is released is what was charged: the mechanisms were run as declared, with randomness that nobody "
        "can predict and without leaks through timing or floating point. Nothing that depends on the data was released by "
        "another way, and no charge was aborted or refunded after something of it had been seen. Budgets that share data "
        "compose: their guarantees add up."
    )
    return "\n\n".join(paragraphs) + "\n"


def _so_far(budget: Budget, status: object) -> str:
    from tightbudget.ledger.status import Status

    assert isinstance(status, Status)
    used = f"So far. {status.charges} charges were admitted and use {100.0 * status.used:.3g} % of {status.limit.name}"
    held = f"; {len(status.held)} of them are only reserved" if status.held else ""
    end = "It was closed and admits nothing more." if status.state == "closed" else "The guarantee holds however it is spent."
    shown = [
        f" The {each.odometer} odometer shows a loss of at most {each.epsilon:.6g} so far (delta {each.delta:g})."
        for each in status.running
    ]
    return f"{used}{held}. {end}{''.join(shown)}"


def _beside(budget: Budget) -> str | None:
    """Return what this budget and those opened beside it promise together; None if it is alone."""
    ledger = budget.ledger
    with ledger._database.reading() as connection:
        rows = connection.execute(select(budgets.c.id, budgets.c.name, budgets.c.beside)).all() if _has_others(budget) else []
    if not rows:
        return None
    group = {budget._place.id}
    while True:
        more = {row.id for row in rows if row.beside in group} | {row.beside for row in rows if row.id in group and row.beside}
        if more <= group:
            break
        group |= more
    names = sorted(row.name for row in rows if row.id in group)
    every = [ledger.budget(name).terms for name in names]
    epsilon = sum((exact("epsilon", each.epsilon) for each in every), Fraction(0))
    delta = sum((exact("delta", each.delta) for each in every), Fraction(0))
    listed = ", ".join(repr(name) for name in names)
    return (
        f"Together. A limit is never raised; more was allowed by opening budgets beside the first. {listed} together are "
        f"({show(epsilon)}, {show(min(delta, Fraction(1)))})-differentially private."
    )


def _has_others(budget: Budget) -> bool:
    query = select(budgets.c.id).where(
        or_(budgets.c.beside == budget._place.id, (budgets.c.id == budget._place.id) & budgets.c.beside.is_not(None))
    )
    with budget.ledger._database.reading() as connection:
        return connection.execute(query).first() is not None
