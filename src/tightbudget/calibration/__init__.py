"""How much noise, how small a sample, how many steps: the one open number of a composition, solved for (M24).

Belongs here: targets, the search for a number that just meets one, and the two values it proves.
Elsewhere: how a template is read is in `notation`, which way privacy moves with a parameter is said by `mechanisms`.
"""

from tightbudget.calibration.calibrate import calibrate
from tightbudget.calibration.result import Calibration

__all__ = ["Calibration", "calibrate"]
