"""Case studies as tools: each answers a question about a real system with the bounds of the package.

Belongs here: Vuvuzela's dummy messages, and measured delays (`timing`).
Elsewhere: the noise of Vuvuzela as a mechanism (`mechanisms/clamped.py`); the paper's figures on it
(`research/reproduce/figures`).
"""

from tightbudget.research.studies import timing, vuvuzela

__all__ = ["timing", "vuvuzela"]
