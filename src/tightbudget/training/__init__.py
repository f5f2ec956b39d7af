"""Training runs: DP-SGD accounted for from the numbers of its loop, before it is run or step by step.

Belongs here: what a run is made of, its bracket and its statement, and the accountant of plans fixed beforehand.
Elsewhere: budgets for steps that are chosen as one goes are in `adaptive`, the search for noise is in `calibration`.
"""

from tightbudget.training.accountant import Accountant
from tightbudget.training.dpsgd import dpsgd
from tightbudget.training.run import TrainingRun
from tightbudget.training.samplings import Samplings, samplings

__all__ = ["Accountant", "Samplings", "TrainingRun", "dpsgd", "samplings"]
