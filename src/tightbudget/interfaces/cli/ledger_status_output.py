"""What `tightbudget ledger status` prints of one budget: a bar, amounts, and what can be said about the loss."""

from datetime import datetime
from decimal import ROUND_FLOOR
from fractions import Fraction
from math import inf

from tightbudget.adaptive.amounts import amount_to_float
from tightbudget.adaptive.filters.limits import readable_amount
from tightbudget.interfaces.cli.ledger_output import Lines, per_cent
from tightbudget.interfaces.cli.tables import Column, fitted_table, folded_text, shown_width
from tightbudget.ledger.losses import MOST_KINDS
from tightbudget.ledger.status import RECENT, Status

WIDEST_BAR = 60
COMMITTED, HELD, FREE = "█", "▒", "░"

NOT_A_GUARANTEE = "NOT a guarantee: only if these very steps had been fixed in advance"
NOR_THE_SUM = "NOT a guarantee either: each step at an equal share of δ, added up"


def lines(status: Status) -> Lines:
    """Return the lines, each with its style."""
    terms = status.budget.terms
    promise = f"({terms.epsilon}, {terms.delta}) for one {terms.unit} ({terms.relation})"
    title = f"{status.name}: {promise}, {terms.filter['kind']} filter"
    closed = [("Closed: nothing more is admitted.", "bold")] if status.state == "closed" else []
    return [
        *_plain_status_lines(title, "bold"),
        *closed,
        ("", ""),
        (bar(status), ""),
        *_status_amounts(status),
        ("", ""),
        *(line for sentence in _status_sentences(status) for line in _plain_status_lines(sentence)),
        *([("", "")] if status.charges else []),
        *(_status_losses(status) if status.charges else []),
    ]


def bar(status: Status, most: int | None = None) -> str:
    """Return the bar: what is committed, what is reserved, what is free; nothing that is there is left out."""
    room = min(shown_width() if most is None else most, WIDEST_BAR)
    most_used = room - 1 if status.free else room
    committed = max(round(room * status.committed), 1 if status.committed else 0)
    held = max(round(room * status.held_part), 1 if status.held_part else 0)
    held = min(held, most_used - (1 if committed else 0))
    used = min(committed + held, most_used) if status.free else room
    return COMMITTED * (used - held) + HELD * held + FREE * (room - used)


def _status_amounts(status: Status) -> Lines:
    """Return spent, reserved and free as parts of the decisive limit, in amounts of what it counts."""
    limit = status.limit
    cap = amount_to_float(limit.cap)
    rows = [["spent", per_cent(status.committed), _status_amount(status.committed * cap)]]
    if status.held_part:
        rows.append(["reserved", per_cent(status.held_part), _status_amount(status.held_part * cap)])
    rows += [
        ["free", per_cent(status.free), readable_amount(limit.left, ROUND_FLOOR)],
        ["limit", "", readable_amount(limit.cap, ROUND_FLOOR)],
    ]
    heading, shown = fitted_table([Column(""), Column("part", right=True), Column(limit.name, right=True)], rows)
    return [*((line, "bold") for line in heading), *((line, "") for row in shown for line in row)]


def _status_amount(value: float) -> str:
    return readable_amount(Fraction(f"{value:.6g}")) if value < inf else "inf"


def _status_sentences(status: Status) -> list[str]:
    many = "1 charge was" if status.charges == 1 else f"{status.charges} charges were"
    told = [f"{many} admitted{_status_reservations(status)}." if status.charges else "Nothing was charged yet."]
    if status.more_of_last is not None and status.last is not None:
        count = status.more_of_last
        fit = "would not fit again" if not count else f"would fit about {count} more {'time' if count == 1 else 'times'}"
        told.append(f"The last step, {status.last.increment}, {fit}.")
    if status.exhausted_at is not None:
        told.append(
            f"At the pace of the last {min(status.charges, RECENT)} charges it is used up {_status_time(status.exhausted_at)}."
        )
    return told


def _status_reservations(status: Status) -> str:
    """Return how many charges are only reserved, and how many of those have expired."""
    if not status.held:
        return ""
    late = sum(each.expires <= status.time for each in status.held)
    expired = f" ({late} expired: tightbudget ledger expire commits {'it' if late == 1 else 'them'})" if late else ""
    return f"; {len(status.held)} {'is' if len(status.held) == 1 else 'are'} only reserved{expired}"


def _status_time(moment: datetime) -> str:
    return f"about {moment:%Y-%m-%d %H:%M} UTC"


def _status_losses(status: Status) -> Lines:
    """Return bounds on what has been lost: those that hold first."""
    rows = []
    for each in status.running:
        bound = "-" if each.note else f"ε ≤ {readable_amount(Fraction(each.epsilon))}"
        rows.append(
            [f"{each.odometer} odometer", bound, each.note or f"holds however the steps were chosen (δ = {each.delta:g})"]
        )
    plan, naive = status.fixed_plan, status.naive
    many = f"not worked out: more than {MOST_KINDS} different steps, or none that can be added up"
    rows.append(["fixed plan", "-" if plan is None else f"ε in {plan}", many if plan is None else NOT_A_GUARANTEE])
    if naive is not None:
        finite = readable_amount(Fraction(naive)) if naive < inf else "inf"
        rows.append(["naive sum", f"ε ≤ {finite}", NOR_THE_SUM])
    heading, shown = fitted_table([Column("what was lost"), Column("bound"), Column("", prose=True)], rows)
    lines: Lines = [(line, "bold") for line in heading]
    for row, text in zip(rows, shown, strict=True):
        lines += [(line, "dim" if row[0] in ("fixed plan", "naive sum") else "") for line in text]
    return lines


def _plain_status_lines(text: str, style: str = "") -> Lines:
    return [(line, style) for line in folded_text(text).split("\n")]
