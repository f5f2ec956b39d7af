"""Tokens in a database, by SQLAlchemy Core; statements run in a transaction each."""

from typing import Any

from sqlalchemy import Engine, func, or_, select, update

from tightbudget.access.roles import Role
from tightbudget.access.table import metadata, tokens
from tightbudget.access.tokens import Token


class SqlTokenStore:
    """Tokens in the table `tokens` of a database; threads may share it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")  # every request looks a token up, in one trip

    def create_table(self) -> None:
        """Make the table if it is not there."""
        metadata.create_all(self._engine, tables=[tokens])

    def add(self, token: Token) -> None:
        row = {name: getattr(token, name) for name in tokens.columns.keys()}  # noqa: SIM118  # columns are no dictionary
        with self._engine.begin() as connection:
            connection.execute(tokens.insert().values(**row | {"role": token.role.value}))

    def find(self, token_id: str) -> Token | None:
        with self._reading.connect() as connection:
            row = connection.execute(select(tokens).where(tokens.c.id == token_id)).one_or_none()
        return None if row is None else _token_from_row(row)

    def listed(self, limit: int, after: str = "") -> list[Token]:
        asked = select(tokens).where(tokens.c.id > after).order_by(tokens.c.id).limit(limit)
        with self._engine.connect() as connection:
            return [_token_from_row(row) for row in connection.execute(asked)]

    def revoke(self, token_id: str, now: int) -> bool:
        # The first revocation counts: a later one must not move it.
        when = func.coalesce(tokens.c.revoked, now)
        with self._engine.begin() as connection:
            done = connection.execute(update(tokens).where(tokens.c.id == token_id).values(revoked=when))
        return done.rowcount > 0

    def has_owner(self, now: int) -> bool:
        active = tokens.c.revoked.is_(None), or_(tokens.c.expires.is_(None), tokens.c.expires > now)
        with self._engine.connect() as connection:
            return (
                connection.execute(select(tokens.c.id).where(tokens.c.role == Role.OWNER, *active).limit(1)).first() is not None
            )


def _token_from_row(row: Any) -> Token:
    return Token(row.id, row.name, Role(row.role), row.digest, row.created, row.expires, row.revoked)
