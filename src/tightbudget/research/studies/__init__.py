"""Case studies as tools: each answers a question about a real system with the bounds of the package."""

from tightbudget.research.studies import timing, vuvuzela

__all__ = ["timing", "vuvuzela"]
