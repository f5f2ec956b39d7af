"""Trade-off curves: what an attacker can do, as certified brackets (M23).

Belongs here: true against false positive rates, and what follows from them: advantage, posteriors, Bayes error.
Elsewhere: the privacy profiles they are read off (`engine`); what is said of them in words or drawn (`interfaces`).
"""

from tightbudget.tradeoff.risk import Risk, risk
from tightbudget.tradeoff.roc import Roc

__all__ = ["Risk", "Roc", "risk"]
