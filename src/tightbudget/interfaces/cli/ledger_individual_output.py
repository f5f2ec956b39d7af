"""What `tightbudget ledger individual` prints: what the log says, and nothing about anybody."""

from collections.abc import Sequence
from fractions import Fraction

from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.ledger_output import Lines, named_lines
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text
from tightbudget.ledger.individual.budget import IndividualBudget
from tightbudget.version import __version__


def individual_lines(budget: IndividualBudget, delta: float) -> Lines:
    """Return what is promised to each person, a line for each thing."""
    terms = budget.terms
    told = {
        "filter": _filter_in_words(budget),
        "promise": f"ε ≤ {readable_amount(Fraction(budget.epsilon(delta)))} at δ = {delta:g} for each {terms.unit}",
        "protects": f"every {terms.unit} ({terms.relation})",
        "about": terms.description,
        "state": budget.state,
        "charges": f"{budget.charges} in the log",
        "balances": "private; whoever has their folder charges them",
    }
    return [(folded_text(f"Budget {terms.name}, for each {terms.unit}"), "bold"), *named_lines(told)]


def individual_shape(budget: IndividualBudget, delta: float) -> wire.Wire:
    terms = budget.terms
    return {
        "name": terms.name,
        "filter": terms.filter["of"],
        "settings": dict(terms.filter["settings"]),
        "epsilon": wire.upper_end(budget.epsilon(delta)),
        "delta": wire.json_number(delta),
        "unit": terms.unit,
        "relation": terms.relation,
        "description": terms.description,
        "state": budget.state,
        "charges": budget.charges,
        "ledger": budget.ledger.id,
        "version": __version__,
    }


def individuals_lines(every: Sequence[IndividualBudget]) -> Lines:
    """Return a row for each budget."""
    if not every:
        return [("No individual budgets. tightbudget ledger individual create makes one.", "")]
    columns = [Column("budget"), Column("filter"), Column("charges", right=True), Column("state")]
    rows = [[each.name, _filter_in_words(each), str(each.charges), each.state] for each in every]
    heading, shown = fitted_table(columns, rows)
    return [*((line, "bold") for line in heading), *((line, "") for row in shown for line in row)]


def _filter_in_words(budget: IndividualBudget) -> str:
    filter = budget.terms.filter
    return f"{filter['of']}, " + ", ".join(f"{name} {value}" for name, value in filter["settings"].items())
