"""Who may do what: tokens, roles and what each role allows.

Belongs here: roles and permissions, tokens and where they are stored.
Elsewhere: requests and cookies (`interfaces/api`); what was spent (`ledger`).
"""
