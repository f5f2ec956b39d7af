"""The ledger: durable budgets for many processes and machines, with an audit log that can be replayed.

Belongs here: budgets, charges, the log, its verification and its reports; in `storage` all that knows of a database.
Elsewhere: what a filter decides (`adaptive`); the command `tightbudget ledger` and pictures (`interfaces`).
"""

from tightbudget.errors import MissingExtra

try:
    import sqlalchemy as _sqlalchemy  # noqa: F401
except ImportError:
    raise MissingExtra("ledger", "sqlalchemy") from None

from typing import TYPE_CHECKING

from tightbudget.lazy import imported_when_used
from tightbudget.ledger.budget import Budget, Spending
from tightbudget.ledger.ledger import Ledger
from tightbudget.ledger.ledger import open_ledger as open
from tightbudget.ledger.receipts import Receipt, receipt_from_json

if TYPE_CHECKING:
    from tightbudget.ledger.individual.budget import IndividualBudget
    from tightbudget.ledger.individual.receipts import IndividualReceipt
    from tightbudget.ledger.signing import Checkpoint, SigningKey, check_receipt

__all__ = [
    "Budget",
    "Checkpoint",
    "IndividualBudget",
    "IndividualReceipt",
    "Ledger",
    "Receipt",
    "SigningKey",
    "Spending",
    "check_receipt",
    "open",
    "receipt_from_json",
]

if not TYPE_CHECKING:  # signatures need one more package, which takes its time to load
    _signing = ("Checkpoint", "SigningKey", "check_receipt")
    _places = {name: f"{__name__}.signing:{name}" for name in _signing}
    _places["IndividualBudget"] = f"{__name__}.individual.budget:IndividualBudget"
    _places["IndividualReceipt"] = f"{__name__}.individual.receipts:IndividualReceipt"
    __getattr__ = imported_when_used(__name__, _places)
