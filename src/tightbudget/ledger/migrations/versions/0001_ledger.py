"""The first layout: budgets, entries, reservations, tallies."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "budgets",
        sa.Column("id", number, primary_key=True, autoincrement=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("parent", number, sa.ForeignKey("budgets.id")),
        sa.Column("beside", number, sa.ForeignKey("budgets.id")),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("rules", number, nullable=False),
        sa.Column("seq", number, nullable=False),
        sa.Column("head", sa.LargeBinary, nullable=False),
        sa.Column("time", sa.BigInteger, nullable=False),
        sa.Column("spent", sa.Text, nullable=False),
        sa.Column("last", number, nullable=False),
        sa.Column("charges", number, nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("budget", number, sa.ForeignKey("budgets.id"), primary_key=True, autoincrement=False),
        sa.Column("seq", number, primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("origin", number),
        sa.Column("key", sa.String(200)),
        sa.Column("settles", number),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    for name, columns in {"one_charge_per_key": ["budget", "origin", "key"], "settled_once": ["budget", "settles"]}.items():
        there = sa.column(columns[-1]).is_not(None)
        op.create_index(name, "entries", columns, unique=True, sqlite_where=there, postgresql_where=there)
    op.create_table(
        "reservations",
        sa.Column("budget", number, sa.ForeignKey("budgets.id"), primary_key=True, autoincrement=False),
        sa.Column("seq", number, primary_key=True, autoincrement=False),
        sa.Column("origin", number, nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("expires", sa.BigInteger, nullable=False),
        sa.Column("price", sa.Text, nullable=False),
    )
    op.create_table(
        "tallies",
        sa.Column("budget", number, sa.ForeignKey("budgets.id"), primary_key=True, autoincrement=False),
        sa.Column("seq", number, nullable=False),
        sa.Column("counts", sa.Text, nullable=False),
    )
