"""Our bracket beside the classic composition bounds."""

from tightbudget.comparison.compare import Curves, Line, compare, compare_curves
from tightbudget.comparison.table import Comparison, Row

__all__ = ["Comparison", "Curves", "Line", "Row", "compare", "compare_curves"]
