"""The tables. What is decided lies in `entries`, which only grows; everything else can be worked out from it again.

budgets       one row each: its terms, where its chain of entries ends, and what is spent; row 0 is the ledger itself
entries       the log: one chain per budget, each entry with the hash of the one before it
reservations  charges that are neither committed nor aborted
tallies       how often each step was charged up to some entry, so that a report need not start from the first one
"""

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    column,
)

metadata = MetaData()

# On SQLite only INTEGER PRIMARY KEY is the row's own number; elsewhere 2^31 budgets might one day be few.
_NUMBER = BigInteger().with_variant(Integer(), "sqlite")

budgets = Table(
    "budgets",
    metadata,
    Column("id", _NUMBER, primary_key=True, autoincrement=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("parent", _NUMBER, ForeignKey("budgets.id")),
    Column("beside", _NUMBER, ForeignKey("budgets.id")),
    Column("state", String(16), nullable=False),  # open or closed
    Column("rules", _NUMBER, nullable=False),  # the entry with the filter in force
    Column("seq", _NUMBER, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("time", BigInteger, nullable=False),  # of the last entry, in microseconds
    Column("spent", Text, nullable=False),  # the sums of the filter, exact, reservations included
    Column("last", _NUMBER, nullable=False),  # the last entry that was charged: only it can be undone by some filters
    Column("charges", _NUMBER, nullable=False),
)

entries = Table(
    "entries",
    metadata,
    Column("budget", _NUMBER, ForeignKey("budgets.id"), primary_key=True, autoincrement=False),
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("origin", _NUMBER),  # of a charge: the budget it was made on, this one or one below it
    Column("key", String(200)),
    Column("settles", _NUMBER),  # of a commit, abort or refund: the entry it is about
    Column("hash", LargeBinary, nullable=False),
    Column("body", LargeBinary, nullable=False),  # canonical JSON, hashed as it lies here
    sqlite_with_rowid=False,  # through its rowid a row could be replaced behind the triggers
)

Index(
    "one_charge_per_key",
    entries.c.budget,
    entries.c.origin,
    entries.c.key,
    unique=True,
    sqlite_where=column("key").is_not(None),
    postgresql_where=column("key").is_not(None),
)
Index(
    "settled_once",
    entries.c.budget,
    entries.c.settles,
    unique=True,
    sqlite_where=column("settles").is_not(None),
    postgresql_where=column("settles").is_not(None),
)

reservations = Table(
    "reservations",
    metadata,
    Column("budget", _NUMBER, ForeignKey("budgets.id"), primary_key=True, autoincrement=False),
    Column("seq", _NUMBER, primary_key=True, autoincrement=False),
    Column("origin", _NUMBER, nullable=False),
    Column("key", String(200), nullable=False),
    Column("expires", BigInteger, nullable=False),  # microseconds; from then on it counts as committed
    Column("price", Text, nullable=False),
)

tallies = Table(
    "tallies",
    metadata,
    Column("budget", _NUMBER, ForeignKey("budgets.id"), primary_key=True, autoincrement=False),
    Column("seq", _NUMBER, nullable=False),
    Column("counts", Text, nullable=False),
)
