"""What `tightbudget ledger` prints of budgets, quotes, charges and entries: text for people, shapes for machines."""

import textwrap
from collections.abc import Mapping, Sequence
from datetime import datetime

from tightbudget.adaptive.amounts import show
from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.adaptive.filters.quotes import Quote
from tightbudget.errors import BudgetRefused
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli.spelling import as_printed
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text, shown_width
from tightbudget.ledger import Budget
from tightbudget.ledger.history import Entry
from tightbudget.ledger.status import Status
from tightbudget.version import __version__

Lines = list[tuple[str, str]]

WIDEST = 80  # of prose
RECORD = "record"  # what an individual budget has in place of a price: a keyed digest of who paid
MORE = 2**53  # counts are cut off there, those of the residual filter at 1000

_FRAME = {"version", "kind", "sequence", "constants", "relations", "spent", "epsilon", "delta", "mix_relations"}


def terms_lines(budget: Budget) -> Lines:
    """Return what a budget promises, a line for each thing."""
    terms = budget.terms
    settings = "; ".join(
        f"{name} {', '.join(value) if isinstance(value, list) else value}"
        for name, value in _filter_settings_shown(budget).items()
        if value not in (None, False, "0")
    )
    told = {
        "promise": f"({terms.epsilon}, {terms.delta})-differential privacy",
        "protects": f"one {terms.unit} ({terms.relation})",
        "filter": terms.filter["kind"] + (f" ({settings})" if settings else ""),
        "odometers": ", ".join(each["kind"] for each in terms.odometers),
        "part of": budget.parent or "",
        "about": terms.description,
        "now": str(budget.status()).partition(": ")[2],
    }
    return [(folded_text(f"Budget {terms.name}"), "bold"), *named_lines(told)]


def named_lines(told: Mapping[str, str]) -> Lines:
    named = max(map(len, told))
    return [
        (line, "") for name, text in told.items() if text for line in folded_text(f"  {name.ljust(named)}  {text}").split("\n")
    ]


def terms_shape(budget: Budget) -> wire.Wire:
    terms, status = budget.terms, budget.status()
    return {
        "name": terms.name,
        "epsilon": terms.epsilon,
        "delta": terms.delta,
        "filter": terms.filter["kind"],
        "settings": _filter_settings_shown(budget),
        "unit": terms.unit,
        "relation": terms.relation,
        "odometers": [each["kind"] for each in terms.odometers],
        "parent": budget.parent,
        "description": terms.description,
        "metadata": dict(terms.metadata),
        "state": status.state,
        "used": status.used,
        "charges": status.charges,
        "ledger": budget.ledger.id,
        "version": __version__,
    }


def _filter_settings_shown(budget: Budget) -> dict[str, object]:
    return {name: value for name, value in budget.terms.filter.items() if name not in _FRAME}


def budgets_lines(every: Sequence[Status], more: bool) -> Lines:
    """Return a row for each budget."""
    if not every:
        return [("No budgets. tightbudget ledger budget create makes one.", "")]
    columns = [
        Column("budget"), Column("ε", right=True), Column("δ", right=True), Column("filter"), Column("used", right=True),
        Column("charges", right=True), Column("state"),
    ]  # fmt: skip
    rows = [
        [
            each.name,
            each.budget.terms.epsilon,
            each.budget.terms.delta,
            each.budget.terms.filter["kind"],
            per_cent(each.used),
            str(each.charges),
            each.state + (f", {len(each.held)} reserved" if each.held else ""),
        ]
        for each in every
    ]
    heading, shown = fitted_table(columns, rows)
    lines = [*((line, "bold") for line in heading), *((line, "") for row in shown for line in row)]
    return [*lines, *([("There are more: --limit and --after show them.", "dim")] if more else [])]


def budgets_shape(every: Sequence[Status], more: bool) -> wire.Wire:
    return {"budgets": [terms_shape(each.budget) for each in every], "more": more, "version": __version__}


def quote_text(quote: Quote, steps: int) -> str:
    return f"{quote.reason} {how_many(steps)}" if quote.accepted else quote.reason


def how_many(steps: int) -> str:
    """Return how many such steps fit, in a sentence."""
    if not steps:
        return "No such step would fit."
    if steps == 1:
        return "It fits once."
    return f"About {steps} such steps would fit{' or more' if steps in (1000, MORE) else ''}."


def quote_shape(budget: str, quote: Quote, steps: int) -> wire.Wire:
    return {"budget": budget, **_quote_amounts_shape(quote), "steps": steps, "version": __version__}


def _quote_amounts_shape(quote: Quote) -> wire.Wire:
    amounts = {name: getattr(quote, name) for name in ("asked", "left", "cap")}
    exactly = {name: "inf" if amount == float("inf") else show(amount) for name, amount in amounts.items()}
    return {
        "accepted": quote.accepted,
        "increment": str(quote.increment),
        "filter": quote.filter,
        "limit": quote.limit,
        **exactly,
        "reason": quote.reason,
    }


def refusal_shape(problem: BudgetRefused) -> wire.Wire:
    told = {"budget": getattr(problem, "budget", None), "fits": getattr(problem, "fits", "")}
    return {**told, **_quote_amounts_shape(problem.quote), "code": problem.code, "version": __version__}


def history_lines(entries: Sequence[Entry], more: bool) -> Lines:
    """Return a row for each entry; where there is no room, a record."""
    if not entries:
        return [("Nothing to show.", "")]
    columns = [Column("time (UTC)"), Column("state"), Column("step"), Column("", prose=True)]
    rows = [[_entry_time(each.time), each.state, _entry_step(each), _entry_remarks(each)] for each in entries]
    heading, shown = fitted_table(columns, rows)
    lines: Lines = [(line, "bold") for line in heading]
    for each, row in zip(entries, shown, strict=True):
        style = {"refused": "red", "denied": "red", "aborted": "dim", "refunded": "dim"}.get(each.state, "")
        lines += [(line, style) for line in row]
    return [*lines, *([("There are more: --limit shows them.", "dim")] if more else [])]


def _entry_step(entry: Entry) -> str:
    return " ".join(entry.increment.split())


def _entry_remarks(entry: Entry) -> str:
    """Return what else is to be said of an entry, in words."""
    told = [
        price(entry),
        f"key {entry.key}" if entry.key else "",
        f"by {entry.actor}" if entry.actor else "",
        entry.purpose,
        _first_sentence(entry.reason),
        f"commits by itself at {_entry_time(entry.expires)}" if entry.expires else "",
    ]
    return " ".join("; ".join(filter(None, told)).split())


def _first_sentence(reason: str) -> str:
    """Return why, in short: the step stands beside it."""
    return reason.partition("\n")[0].rpartition(" filter: ")[2].partition(". ")[0].removesuffix(".")


def price(entry: Entry) -> str:
    """Return a price in few digits, rounded up; sums to which nothing is added are left out."""
    from tightbudget.adaptive.amounts import exact

    told = {name: text for name, text in (entry.price or {}).items() if name != RECORD}
    amounts = {name: exact(name, text) for name, text in told.items() if text not in ("0", "inf")}
    return ", ".join(
        [f"{readable_amount(amount)} of {name}" for name, amount in amounts.items() if amount]
        + [f"inf of {name}" for name, text in told.items() if text == "inf"]
    )


def history_shape(budget: str, entries: Sequence[Entry], more: bool) -> wire.Wire:
    return {"budget": budget, "entries": [each.as_json() for each in entries], "more": more, "version": __version__}


def statement_text(sections: Mapping[str, str]) -> str:
    """Return the statement, in lines no wider than is good to read."""
    return paragraphs_text([f"{heading}. {text}" for heading, text in sections.items()])


def paragraphs_text(paragraphs: Sequence[str]) -> str:
    most = min(shown_width(), WIDEST)
    filled = (textwrap.fill(as_printed(each), most, break_long_words=False, break_on_hyphens=False) for each in paragraphs)
    return "\n\n".join(filled)


def statement_shape(budget: Budget, sections: Mapping[str, str]) -> wire.Wire:
    terms = budget.terms
    promise = {"epsilon": terms.epsilon, "delta": terms.delta, "unit": terms.unit, "relation": terms.relation}
    text = "\n\n".join(f"{heading}. {each}" for heading, each in sections.items())
    told = {heading.lower().replace(" ", "_"): each for heading, each in sections.items()}
    return {"name": terms.name, **promise, "filter": terms.filter["kind"], "sections": told, "text": text,
            "version": __version__}  # fmt: skip


def per_cent(part: float) -> str:
    return f"{100.0 * part:.3g} %"


def _entry_time(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}"
