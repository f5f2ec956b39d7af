"""Where `Composition` was found in earlier versions: what was pickled then names this module."""

from tightbudget.mechanisms.composition import Composable, Composition, compose
from tightbudget.mechanisms.mechanism import Mechanism

__all__ = ["Composable", "Composition", "Mechanism", "compose"]
