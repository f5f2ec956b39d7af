"""Public names of the case studies; the code is in `research/studies`."""

import sys

from tightbudget.research.studies import timing, vuvuzela

__all__ = ["timing", "vuvuzela"]

# `import tightbudget.studies.timing` finds the same modules as `tb.studies.timing`
sys.modules.update({f"{__name__}.timing": timing, f"{__name__}.vuvuzela": vuvuzela})
