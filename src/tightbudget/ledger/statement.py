"""The privacy statement of a budget: unit, relation, guarantee, theorem, assumptions, in plain words."""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from sqlalchemy import or_, select

from tightbudget.adaptive.amounts import exact, show
from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.ledger.budget import Budget
from tightbudget.ledger.status import Status, status_of
from tightbudget.ledger.storage.schema import budgets

_RELATIONS = {
    "add_remove": "adding or removing all data of one {unit}",
    "replace_one": "replacing the data of one {unit} by that of another",
    "zero_out": "replacing the data of one {unit} by data that contributes nothing",
}

_THEOREMS = {
    "basic": "basic composition: the epsilons and the deltas of steps add up (M14)",
    "advanced": "advanced composition for steps that are chosen as one goes, by Rogers, Roth, Ullman and Vadhan (M14)",
    "sharpened": "the filter of Rogers, Roth, Ullman and Vadhan, with its proof used in full (M14)",
    "whitehouse": "the filter of Whitehouse, Ramdas, Rogers and Wu (M14)",
    "zcdp": "zero-concentrated differential privacy: the rho of steps add up to no more than epsilon and delta allow (M14)",
    "rdp": "Rényi differential privacy: divergences add up at each order, and one order that stays within is enough (M14)",
    "gdp": "Gaussian differential privacy: the squared mu of steps add up to no more than epsilon and delta allow (M14)",
    "residual": "after each step, what is left of the budget and the step together are no more than was left before (M15)",
    "slots": "a plan of steps, priced as a whole, whose slots are filled in any order by steps they dominate (M15)",
}

_MOST_NAMES = 20  # of other budgets, in a sentence


def sections_of(budget: Budget) -> dict[str, str]:
    """Return the statement as paragraphs by their headings, in the order in which they are read."""
    terms, status = budget.terms, status_of(budget)
    change = _RELATIONS[terms.relation].format(unit=terms.unit)
    found = {
        "Budget": f"{terms.name}" + (f": {_stated_sentence(terms.description)}" if terms.description else "."),
        "Unit and relation": f"One {terms.unit} is protected: neighbouring data sets differ by {change} ({terms.relation}).",
        "Guarantee": f"Everything that is released through this budget, taken together, is ({terms.epsilon}, {terms.delta})-"
        f"differentially private, also when each question depends on the answers before it.{_in_plain_words(budget)}",
        "How it is kept": "Each release is charged before it happens, and one that would not fit is refused. What fits is "
        f"decided by a filter of kind {terms.filter['kind']}, fixed when the budget was made. It rests on "
        f"{_THEOREMS[terms.filter['kind']]}.",
        "So far": _so_far(status),
        "Lowered": _stated_lowered_limits(budget),
        "Part of": _part_of(budget),
        "Parts": _stated_parts(budget),
        "Together": _stated_joint_promise(budget),
        "Assumptions": "The mechanisms were run as they were declared, with randomness that nobody can predict, and leak "
        "nothing by timing or by the arithmetic of floating point. Whoever releases something charges it here first. What "
        "was aborted or refunded was never seen by anybody. Nothing else that depends on the same data was released; if it "
        "was, by other budgets for example, all guarantees add up.",
    }
    return {heading: text for heading, text in found.items() if text}


def statement_of(budget: Budget) -> str:
    """Return the statement, one paragraph for each thing that a reader must know."""
    return "\n\n".join(f"{heading}. {text}" for heading, text in sections_of(budget).items()) + "\n"


def _in_plain_words(budget: Budget) -> str:
    terms = budget.terms
    epsilon = exact("epsilon", terms.epsilon)
    if epsilon > 500:
        return ""
    fine = Context(prec=60, rounding=ROUND_CEILING)
    # decimal exponentials are rounded to nearest, whatever the context says
    power = fine.next_plus(fine.exp(fine.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))))
    factor = Context(prec=3, rounding=ROUND_CEILING).plus(power if epsilon else Decimal(1))
    plus = f", plus {terms.delta}" if exact("delta", terms.delta) else ""
    return (
        f" In plain words: whatever may come out, such a change of the data makes it at most {factor:f} times as likely{plus}."
    )


def _so_far(status: Status) -> str:
    if not status.charges:
        used = "Nothing was charged yet."
    else:
        many = "1 charge was" if status.charges == 1 else f"{status.charges} charges were"
        used = f"{many} admitted; what stands uses {_per_cent(status.used)} of {status.limit.name}."
    if status.held:
        held = "1 charge is" if len(status.held) == 1 else f"{len(status.held)} charges are"
        used += f" {held} only reserved, which counts as spent."
    closed = " The budget was closed and admits nothing more." if status.state == "closed" else ""
    return f"{used}{closed}{''.join(_stated_loss(each) for each in status.running)}"


def _stated_loss(loss: Any) -> str:
    if loss.note:
        return f" The {loss.odometer} odometer shows nothing: {loss.note}."
    bound = readable_amount(Fraction(loss.epsilon))
    return f" By the {loss.odometer} odometer, what was lost so far is at most epsilon {bound} (delta {loss.delta:g})."


def _stated_lowered_limits(budget: Budget) -> str:
    row = budget._book.row(budget._place.id)
    if row.rules == 1:
        return ""
    now = budget._book.rules(row, budget.terms.relation).filter.state()
    return (
        f"The limits were lowered: the budget admits nothing beyond ({now['epsilon']}, {now['delta']}), and nothing that it "
        "would have refused before. The guarantee above is unchanged, because it was in force at the first charge."
    )


def _part_of(budget: Budget) -> str:
    if budget.parent is None:
        return ""
    return f"Every charge must also pass the filter of {budget.parent!r}, whose guarantee covers what is released here."


def _stated_parts(budget: Budget) -> str:
    query = select(budgets.c.name).where(budgets.c.parent == budget._place.id).order_by(budgets.c.name)
    with budget.ledger._database.reading() as connection:
        names = list(connection.execute(query).scalars())
    return f"Charges to {_stated_names(names)} are charged here too, and this guarantee covers them." if names else ""


def _stated_joint_promise(budget: Budget) -> str:
    """Return what this budget and those opened beside it promise together."""
    names = _names_beside(budget)
    if len(names) < 2:
        return ""
    every = [budget.ledger.budget(name).terms for name in names]
    epsilon = sum((exact("epsilon", each.epsilon) for each in every), Fraction(0))
    delta = min(sum((exact("delta", each.delta) for each in every), Fraction(0)), Fraction(1))
    return (
        f"A limit is never raised; more was allowed by opening a budget beside the first. {_stated_names(names)} together are "
        f"({show(epsilon)}, {show(delta)})-differentially private, since epsilons and deltas add up."
    )


def _names_beside(budget: Budget) -> list[str]:
    """Return the names of this budget and of those that were opened beside it, beside those, and so on."""
    group, new = {budget._place.id: budget.name}, [budget._place.id]
    columns = budgets.c.id, budgets.c.name, budgets.c.beside
    with budget.ledger._database.reading() as connection:
        while new:
            one = new.pop()
            first = select(budgets.c.beside).where(budgets.c.id == one).scalar_subquery()
            for row in connection.execute(select(*columns).where(or_(budgets.c.beside == one, budgets.c.id == first))):
                if row.id not in group:
                    group[row.id] = row.name
                    new.append(row.id)
    return sorted(group.values())


def _stated_names(names: list[str]) -> str:
    shown = [repr(name) for name in names[:_MOST_NAMES]]
    if len(names) > _MOST_NAMES:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMES} others"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else shown[0]


def _per_cent(part: float) -> str:
    return f"{100.0 * part:.3g} %"


def _stated_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
