"""Public names of the client of the service; the code is in `interfaces/client`."""

from tightbudget.interfaces.client import RemoteBudget, RemoteLedger, connect

__all__ = ["RemoteBudget", "RemoteLedger", "connect"]
