"""Our bracket beside the classic composition bounds."""

from tightbudget.comparison.compare import Curves, Line, class_note, compare, compare_curves
from tightbudget.comparison.table import Comparison, Row

__all__ = ["Comparison", "Curves", "Line", "Row", "class_note", "compare", "compare_curves"]
