"""Individual filters by their kind, and the ways back from a state and from a file."""

from pathlib import Path

from tightbudget.adaptive.individual.base import IndividualFilter
from tightbudget.adaptive.individual.files import checked_path, read_balances
from tightbudget.adaptive.individual.kinds import GDPFilter, RenyiFilter, ZCDPFilter
from tightbudget.adaptive.individual.states import filter_from_state
from tightbudget.adaptive.states import State
from tightbudget.errors import InvalidParameter

ALL: tuple[type[IndividualFilter], ...] = (RenyiFilter, ZCDPFilter, GDPFilter)
BY_KIND: dict[str, type[IndividualFilter]] = {each.kind: each for each in ALL}


def from_state(state: State) -> IndividualFilter:
    """Return the filter that `state` was taken of; it decides as that one would have.

    >>> group = ZCDPFilter(budget=1, people=2)
    >>> mask = group.spend(0.25)
    >>> from_state(group.state()).remaining(0.25)
    array([3, 3])
    """
    made: IndividualFilter = filter_from_state(state, BY_KIND)
    return made


def open_balances(path: str | Path, *, durable: bool = True) -> IndividualFilter:
    """Return the filter that was saved at `path`; its charges are written to that file.

    With `durable` every charge waits until the disk has it. Without, a charge survives the end of the process, not that
    of the machine. The file is locked until the filter is closed, or gone: CannotShare is raised if it is open already.
    """
    header, balances = read_balances(checked_path(path))
    if not isinstance(header.kind, str) or header.kind not in BY_KIND:
        raise InvalidParameter("kind", header.kind, f"one of {', '.join(BY_KIND)}")
    try:
        opened = BY_KIND[header.kind]._opened(header.settings, balances, durable)
    except TypeError:
        raise InvalidParameter("settings", header.settings, f"as a {header.kind} filter wrote them") from None
    if opened.units.digits != header.digits:
        opened.close()
        raise InvalidParameter("digits", header.digits, f"{opened.units.digits}, the unit of this budget")
    return opened
