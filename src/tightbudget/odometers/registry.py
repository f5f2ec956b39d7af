"""Odometers by their kind, and the way back from a state."""

from typing import Any

from tightbudget.errors import InvalidParameter
from tightbudget.odometers.base import VERSION, Odometer, State
from tightbudget.odometers.basic import BasicOdometer
from tightbudget.odometers.mixture import MixtureOdometer
from tightbudget.odometers.renyi import RenyiOdometer
from tightbudget.odometers.rho import LineOdometer, OneSidedMixtureOdometer, StitchedOdometer
from tightbudget.odometers.rogers import RogersOdometer

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
    if not isinstance(state, dict):
        raise InvalidParameter("state", state, "a dictionary that an odometer's state() returned")
    settings: dict[str, Any] = dict(state)
    version, kind, spent = (settings.pop(name, None) for name in ("version", "kind", "spent"))
    if version != VERSION or type(version) is not int:
        raise InvalidParameter("version", version, f"{VERSION}", "The state was written by another version of the package.")
    if not isinstance(kind, str) or kind not in BY_KIND:
        raise InvalidParameter("kind", kind, f"one of {', '.join(BY_KIND)}")
    make: Any = BY_KIND[kind]
    try:
        restored: Odometer = make(**settings)
    except TypeError:
        raise InvalidParameter("state", state, f"as the {kind} odometer wrote it") from None
    restored._restore(spent)
    return restored
