"""A composition as a caller gives it: the object itself, or its notation."""

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.composition import Composable
from tightbudget.notation.expressions import parse


def composition_given(name: str, given: object) -> Composable:
    """Return the mechanism or composition that was given as the argument of this name.

    Only brackets have a place to say that they rest on a theorem not checked here, so such steps are refused.

    >>> print(composition_given("c", "gaussian(sigma=2) * 10"))
    gaussian(sigma=2) * 10
    """
    read = parse(given) if isinstance(given, str) else given
    if not isinstance(read, Composable):
        raise InvalidParameter(
            name, given, "a mechanism, a composition or its notation", "For example 'gaussian(sigma=2) * 10'."
        )
    read.check_proven()
    return read
