"""What do two measured distributions of delays give away after many observations? (M13, `docs/how-to/timing.md`)

Belongs here: samples into counts, exact confidence limits, and bounds that follow from them.
Elsewhere: histograms taken for the truth, as a mechanism (`mechanisms/histograms.py`).

A histogram of samples is a model of what was sampled, not the thing itself. `Measured.plug_in` takes the histograms for
the truth; `Measured.confidence_bounds` gives bounds that hold with a stated confidence.
"""

from tightbudget.research.studies.timing.cells import Measured, from_counts, measure, regular_edges
from tightbudget.research.studies.timing.confident import Confident
from tightbudget.research.studies.timing.limits import samples_to_exclude
from tightbudget.research.studies.timing.samples import read, synthetic

__all__ = ["Confident", "Measured", "from_counts", "measure", "read", "regular_edges", "samples_to_exclude", "synthetic"]
