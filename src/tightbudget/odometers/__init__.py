"""Pay as you go without a budget: how much privacy has been lost so far, right at every step of an adaptive analysis."""

from tightbudget.odometers.base import Odometer, Sense
from tightbudget.odometers.basic import BasicOdometer
from tightbudget.odometers.mixture import MixtureOdometer
from tightbudget.odometers.registry import from_state
from tightbudget.odometers.renyi import RenyiOdometer
from tightbudget.odometers.rho import LineOdometer, OneSidedMixtureOdometer, StitchedOdometer, variance_at
from tightbudget.odometers.rogers import RogersOdometer

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
