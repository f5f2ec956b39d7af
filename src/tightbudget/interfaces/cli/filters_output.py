"""What `tightbudget filter` prints: a table for people, JSON for machines."""

from tightbudget.adaptive.filters import Choice, Choices
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text
from tightbudget.version import __version__

LONGEST_FIGURE = 24  # of a budget, in the heading


def _filter_budget_text(exactly: str, typed: str) -> str:
    """Return a budget as it will be kept, unless that is a fraction too long to read; then as it was typed."""
    return exactly if len(exactly) <= LONGEST_FIGURE else typed


def filters_table(choices: Choices, epsilon: str, delta: str) -> list[tuple[str, str]]:
    """Return the lines of the table, each with its style; epsilon and delta are as they were typed."""
    figures = _filter_budget_text(choices.epsilon, epsilon), _filter_budget_text(choices.delta, delta)
    title = folded_text(f"Steps like {choices.increment} within ε = {figures[0]}, δ = {figures[1]}")
    cells = [(choice.name, str(choice.count) if choice.filter is not None else "-", choice.note) for choice in choices]
    heading, rows = fitted_table([Column("filter"), Column("steps", right=True), Column("", prose=True)], cells)
    lines = [*((line, "") for line in title.split("\n")), ("", ""), *((line, "bold") for line in heading)]
    for choice, shown in zip(choices, rows, strict=True):
        lines += [(line, "" if choice.filter is not None else "dim") for line in shown]
    return lines


def filters_json(choices: Choices) -> str:
    return wire.json_text(
        {
            "expression": str(choices.increment),
            "epsilon": choices.epsilon,
            "delta": choices.delta,
            "filters": [_filter_choice_shape(choice) for choice in choices],
            "version": __version__,
        }
    )


def _filter_choice_shape(choice: Choice) -> wire.Wire:
    state = choice.filter.state() if choice.filter is not None else None
    counted = {"steps": choice.count, "or_more": choice.or_more}
    return {"filter": choice.name, **counted, "applies": state is not None, "note": choice.note, "state": state}
