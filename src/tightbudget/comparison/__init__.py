"""Our bracket beside the classic composition bounds.

Belongs here: asking every bound the same question, and the table and curves of the answers.
Elsewhere: the bounds themselves (`classic`, `engine`); how tables are printed and drawn (`interfaces`).
"""

from tightbudget.comparison.compare import Curves, Line, compare, compare_curves
from tightbudget.comparison.table import Comparison, Row

__all__ = ["Comparison", "Curves", "Line", "Row", "compare", "compare_curves"]
