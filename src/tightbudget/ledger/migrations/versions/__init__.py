"""One file for every layout of the tables that ever landed; none is changed afterwards.

Belongs here: numbered migrations, each with what it adds to the one before.
Elsewhere: the tables as statements use them (`ledger/storage`).
"""
