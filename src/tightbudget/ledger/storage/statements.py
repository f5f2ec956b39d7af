"""Every statement of a charge, for one database."""

from sqlalchemy import Dialect, Insert, Update, and_, bindparam, delete, insert, select, update

from tightbudget.ledger.storage.prepared import Prepared
from tightbudget.ledger.storage.schema import budgets, entries, reservations

ROW = (
    "id", "name", "parent", "state", "rules", "seq", "head", "time", "spent", "last", "charges",
)  # fmt: skip
"""Columns of a budget that a decision needs, in this order."""

CHANGING = ("state", "rules", "seq", "head", "time", "spent", "last", "charges")
"""Those of them that ever change."""

BEFORE = tuple(f"{name}_before" for name in CHANGING)

CHANGING_AND_BEFORE = CHANGING + BEFORE


class Statements:
    def __init__(self, dialect: Dialect) -> None:
        def prepared(statement: object) -> Prepared:
            return Prepared(statement, dialect)  # type: ignore[arg-type]

        row = [budgets.c[name] for name in ROW]
        same_key = and_(
            entries.c.budget == budgets.c.id, entries.c.origin == bindparam("origin"), entries.c.key == bindparam("key")
        )
        # On PostgreSQL the entry may be of the moment before the lock was granted. A charge by the same key that came
        # in between is then not seen here but by the unique index, and the transaction is done again.
        self.lock_with_key = prepared(
            select(*row, entries.c.seq, entries.c.body, entries.c.hash)
            .select_from(budgets.outerjoin(entries, same_key))
            .where(budgets.c.id == bindparam("id"))
            .with_for_update(of=budgets)
        )
        self.look_with_key = prepared(
            select(*row, entries.c.seq, entries.c.body, entries.c.hash)
            .select_from(budgets.outerjoin(entries, same_key))
            .where(budgets.c.id == bindparam("id"))
        )
        self.lock = prepared(select(*row).where(budgets.c.id == bindparam("id")).with_for_update())
        self.look = prepared(select(*row).where(budgets.c.id == bindparam("id")))
        self.by_name = prepared(select(budgets.c.id).where(budgets.c.name == bindparam("name")))
        self.entry = prepared(
            select(entries.c.kind, entries.c.body, entries.c.hash).where(
                entries.c.budget == bindparam("budget"), entries.c.seq == bindparam("seq")
            )
        )
        self.by_key = prepared(
            select(entries.c.seq, entries.c.body, entries.c.hash).where(
                entries.c.budget == bindparam("budget"),
                entries.c.origin == bindparam("origin"),
                entries.c.key == bindparam("key"),
            )
        )
        self.settling = prepared(
            select(entries.c.seq, entries.c.body, entries.c.hash).where(
                entries.c.budget == bindparam("budget"), entries.c.settles == bindparam("settled")
            )
        )
        self.append = prepared(insert(entries).values({column: bindparam(column.name) for column in entries.c}))
        self.move = prepared(
            update(budgets)
            .where(budgets.c.id == bindparam("id_"))
            .values({budgets.c[name]: bindparam(name) for name in CHANGING})
        )
        self.move_if = prepared(_moved())
        if dialect.name == "postgresql":
            self.swap = prepared(_swap_row_statement())
        self.new_budget = prepared(
            insert(budgets)
            .values({column: bindparam(column.name) for column in budgets.c if column.name != "id"})
            .returning(budgets.c.id)
        )
        self.first_budget = prepared(insert(budgets).values({column: bindparam(column.name) for column in budgets.c}))
        self.reserve = prepared(insert(reservations).values({column: bindparam(column.name) for column in reservations.c}))
        self.reservation = prepared(
            select(reservations.c.expires).where(
                reservations.c.budget == bindparam("budget"), reservations.c.seq == bindparam("seq")
            )
        )
        self.settle = prepared(
            delete(reservations).where(reservations.c.budget == bindparam("budget"), reservations.c.seq == bindparam("seq"))
        )
        self.overdue = prepared(
            select(reservations.c.seq, reservations.c.key)
            .where(
                reservations.c.budget == bindparam("budget"),
                reservations.c.origin == bindparam("origin"),
                reservations.c.expires <= bindparam("now"),
            )
            .order_by(reservations.c.seq)
        )


def _moved() -> Update:
    """Return the statement that moves a row, if it is as it was and no charge has the key."""
    same_key = (
        select(entries.c.seq)
        .where(entries.c.budget == bindparam("id_"), entries.c.origin == bindparam("origin"), entries.c.key == bindparam("key"))
        .exists()
    )
    as_it_was = [budgets.c[name] == bindparam(before) for name, before in zip(CHANGING, BEFORE, strict=True)]
    return (
        update(budgets)
        .where(budgets.c.id == bindparam("id_"), *as_it_was, ~same_key)
        .values({budgets.c[name]: bindparam(name) for name in CHANGING})
    )


def _swap_row_statement() -> Insert:
    """Return the statement that moves a row, if it is where it was, and appends the entry; else it does neither."""
    moved = _moved().returning(budgets.c.seq, budgets.c.head).cte("moved")
    given = ("budget", "kind", "origin", "key", "body")
    columns = [bindparam(name, type_=entries.c[name].type) for name in given]
    return insert(entries).from_select([*given, "seq", "hash"], select(*columns, moved.c.seq, moved.c.head))
