"""A `BudgetAccountant` as diffprivlib 0.6 has it, over our filters: spend, check, total, remaining, `with`.

Belongs here: budgets of (epsilon, delta), what spends add up to, the accountant; it needs no diffprivlib.
Elsewhere: the accountant that diffprivlib's own tools accept (`adapters/diffprivlib.py`); filters (`adaptive/filters`).
"""

from tightbudget.adapters.budget.accountant import BudgetAccountant
from tightbudget.adapters.budget.budgets import Budget, BudgetError

__all__ = ["Budget", "BudgetAccountant", "BudgetError"]
