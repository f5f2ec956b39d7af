"""Odometers by their kind, for games, commands and tests alike, and the way back from a state."""

from tightbudget.adaptive.odometers.base import Odometer
from tightbudget.adaptive.odometers.basic import BasicOdometer
from tightbudget.adaptive.odometers.line import LineOdometer
from tightbudget.adaptive.odometers.mixture import MixtureOdometer
from tightbudget.adaptive.odometers.one_sided_mixture import OneSidedMixtureOdometer
from tightbudget.adaptive.odometers.renyi import RenyiOdometer
from tightbudget.adaptive.odometers.rogers import RogersOdometer
from tightbudget.adaptive.odometers.stitched import StitchedOdometer
from tightbudget.adaptive.states import State, object_from_state

ALL: tuple[type[Odometer], ...] = (
    BasicOdometer,
    RogersOdometer,
    LineOdometer,
    MixtureOdometer,
    OneSidedMixtureOdometer,
    StitchedOdometer,
    RenyiOdometer,
)
BY_KIND: dict[str, type[Odometer]] = {each.kind: each for each in ALL}


def from_state(state: State) -> Odometer:
    """Return the odometer that `state` was taken of; it answers as that one would have.

    >>> from tightbudget import PureDP
    >>> odometer = MixtureOdometer(delta=1e-6)
    >>> odometer.spend(PureDP(epsilon=0.1))
    0.1
    >>> from_state(odometer.state()) == odometer
    True
    """
    return object_from_state(state, BY_KIND, "an odometer")
