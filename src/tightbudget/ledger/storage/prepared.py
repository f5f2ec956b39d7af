"""Statements of SQLAlchemy, compiled once and run on the driver's own cursor.

A charge is three or four statements. Through SQLAlchemy's own execution they cost the client four times what they cost
the database, which all who wait for the same budget wait for too (decision 0033).
"""

from typing import Any

from sqlalchemy import ClauseElement, Dialect


class Prepared:
    """A statement in the words of one database; parameters are bound by name, and nothing is converted."""

    __slots__ = ("_order", "sql")

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        order = compiled.positiontup  # type: ignore[attr-defined]
        self._order: tuple[str, ...] | None = tuple(order) if order is not None else None

    def run(self, cursor: Any, **values: Any) -> Any:
        """Execute it and return the cursor."""
        order = self._order
        cursor.execute(self.sql, values if order is None else tuple([values[name] for name in order]))
        return cursor
