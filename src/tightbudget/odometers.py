"""Public names of the odometers; the code is in `adaptive/odometers`."""

from tightbudget.adaptive.odometers import *  # noqa: F403
from tightbudget.adaptive.odometers import __all__ as __all__
