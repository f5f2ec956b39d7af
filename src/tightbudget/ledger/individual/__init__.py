"""Individual budgets in a ledger: the balances of many people beside a log that says nothing about anybody.

Belongs here: the folder of balances, its journal and its agreement with the log; charging it.
Elsewhere: what a charge costs a person (`adaptive/individual`); what the log says of it (`ledger/individual_rules.py`).

WARNING: folder and masks are as private as the people's records.
"""
