"""Pay as you go without a budget: how much privacy has been lost so far, at every step of an adaptive analysis.

Belongs here: privacy odometers, and the boundaries (lines, mixtures, stitched) that a walk of losses stays below at all
times.
Elsewhere: rules with a budget that refuse steps (`adaptive/filters`).
"""

from tightbudget.adaptive.odometers.base import Odometer, Sense
from tightbudget.adaptive.odometers.basic import BasicOdometer
from tightbudget.adaptive.odometers.line import LineOdometer, variance_at
from tightbudget.adaptive.odometers.mixture import MixtureOdometer
from tightbudget.adaptive.odometers.one_sided_mixture import OneSidedMixtureOdometer
from tightbudget.adaptive.odometers.registry import from_state
from tightbudget.adaptive.odometers.renyi import RenyiOdometer
from tightbudget.adaptive.odometers.rogers import RogersOdometer
from tightbudget.adaptive.odometers.stitched import StitchedOdometer

__all__ = [
    "BasicOdometer",
    "LineOdometer",
    "MixtureOdometer",
    "Odometer",
    "OneSidedMixtureOdometer",
    "RenyiOdometer",
    "RogersOdometer",
    "Sense",
    "StitchedOdometer",
    "from_state",
    "variance_at",
]
