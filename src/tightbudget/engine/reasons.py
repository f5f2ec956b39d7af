"""Why a bracket is no narrower than it is, and what to try then."""

TOO_LONG = "a narrower bracket needs longer lists than the effort allows"
NO_LISTS = "a narrower bracket needs longer lists than can be made, whatever the effort"
ROUNDING = "rounding errors are as large as the bracket; a finer grid would not help"
TOO_SMALL = "delta is so near the smallest numbers of float64 that no finite upper end can be certified"
BEYOND = "some losses are too large to follow and count as infinite, so no finite upper end is known"
AT_INFINITY = "delta is, up to rounding, the probability that everything is revealed"
OF_A_CLASS = (
    "a step stands for a class of cases whose exact cost is not known: the worst of them costs no more than the upper end "
    "and no less than the lower, and no effort narrows that"
)
_NOT_CERTIFIED = "it is not certified"
NOT_PROVEN_HERE = "the upper end rests on {}, whose proof has not been checked here: " + _NOT_CERTIFIED
TOO_MANY_SHIFTS = "the shifts of a vector are too many to try each; the upper end is that of the zCDP that all of them have"
GRID_OF_RATIOS = "an epoch of random allocation is worked out on a grid of ratios, which no effort makes finer"

_TO_TRY = {
    TOO_LONG: "a larger effort (effort=, --effort), which takes more time and memory, or a larger rtol",
    NO_LISTS: "a larger rtol, or fewer steps: no effort makes it narrower",
    ROUNDING: "a larger rtol: nothing narrower can be certified in float64",
    TOO_SMALL: "a larger delta",
    BEYOND: "more noise, or a larger delta",
    AT_INFINITY: "a delta that is clearly larger",
    OF_A_CLASS: "the bracket of a mechanism that is known, in place of its class",
    GRID_OF_RATIOS: "a larger rtol: it knows delta to some 1e-3, epsilon to less",
    TOO_MANY_SHIFTS: "a smaller sensitivity, or sigma between 1/30 of it and a few hundred",
}


def not_certified(reason: str) -> bool:
    """Return whether the reason says that the upper end is that of a theorem which is not proven here.

    >>> not_certified(NOT_PROVEN_HERE.format("a conjecture")), not_certified(TOO_LONG)
    (True, False)
    """
    return reason.endswith(_NOT_CERTIFIED)


def of_a_class(reason: str) -> bool:
    """Return whether the reason is that a step stands for a class."""
    return reason == OF_A_CLASS


def to_try(reason: str) -> str:
    """Return what may help, as a part of a sentence; empty if nothing is known to.

    >>> to_try(TOO_SMALL)
    'a larger delta'
    """
    return _TO_TRY.get(reason, "")
