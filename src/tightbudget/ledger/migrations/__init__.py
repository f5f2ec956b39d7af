"""Steps from one layout of the tables to the next, run by Alembic when a ledger is opened.

Belongs here: what Alembic asks for (`env`), and in `versions` a file for every layout that ever landed.
Elsewhere: the tables as they are now, and when migrations are run (`ledger/storage`).
"""
