"""A thin client of the service: `tb.client.connect(url, token)`, with the calls and errors of the local ledger.

Belongs here: requests, retries with the same key, and answers as objects. It needs nothing but Python's own library.
Elsewhere: what answers (`interfaces/api`); the ledger itself (`ledger`).
"""

from tightbudget.interfaces.client.remote import RemoteBudget, RemoteLedger, connect

__all__ = ["RemoteBudget", "RemoteLedger", "connect"]
