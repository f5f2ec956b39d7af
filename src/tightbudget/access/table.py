"""The table of tokens, for whoever makes the tables of a database."""

from sqlalchemy import BigInteger, Column, MetaData, String, Table

metadata = MetaData()

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("name", String(100), nullable=False),
    Column("role", String(16), nullable=False),
    Column("digest", String(64), nullable=False),  # SHA-256 of the secret, in hex
    Column("created", BigInteger, nullable=False),  # times are seconds since 1970
    Column("expires", BigInteger),
    Column("revoked", BigInteger),
)
