"""Statements of SQLAlchemy, compiled once and run on the driver's own cursor.

A charge is three or four statements. Through SQLAlchemy's own execution they cost the client four times what they cost
the database, which all who wait for the same budget wait for too (decision 0033).
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from sqlalchemy import ClauseElement, Dialect


class Prepared:
    """A statement in the words of one database; parameters are bound by name, and nothing is converted."""

    __slots__ = ("_in_order", "sql")

    def __init__(self, statement: ClauseElement, dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect)
        self.sql = str(compiled)
        order = compiled.positiontup  # type: ignore[attr-defined]
        self._in_order: Callable[[dict[str, Any]], Any] = _as_they_are
        if order is not None:
            # of a single name itemgetter returns the value itself
            self._in_order = itemgetter(*order) if len(order) > 1 else lambda values: [values[name] for name in order]

    def run(self, cursor: Any, values: dict[str, Any]) -> Any:
        """Execute it and return the cursor."""
        cursor.execute(self.sql, self._in_order(values))
        return cursor


def _as_they_are(values: dict[str, Any]) -> dict[str, Any]:
    return values
