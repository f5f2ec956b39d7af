"""Where a ledger lies: tables, triggers, statements, and transactions on SQLite and PostgreSQL.

Belongs here: everything that knows of a database.
Elsewhere: what a charge is and who may make one (`ledger`).
"""
