"""Results of functions of frozen objects, remembered without what the objects themselves have kept."""

import copy
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def remember(known: dict[Any, Result], key: Any, value: Result, most: int) -> None:
    """Put the value under a copy of the key, and forget the oldest one beyond `most`."""
    with suppress(Exception):  # what cannot be copied is not remembered
        known[copy.deepcopy(key)] = value
    if len(known) > most:
        for oldest in list(known)[:1]:  # other threads may have forgotten it, too
            known.pop(oldest, None)


def remembered(most: int) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator that keeps up to `most` results of a function by its arguments, the newest ones.

    What lru_cache keeps is the arguments themselves, and an object may carry all that was ever computed for it: a price
    of a few numbers could hold a list of a hundred megabytes. Here copies are kept, which leave all that behind.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        known: dict[Any, Result] = {}

        @wraps(function)
        def find(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            if kwargs:  # what is given by name is no part of the key
                return function(*args, **kwargs)
            try:
                return known[args]
            except KeyError:
                pass  # and not in here, where an error would be told as one of this search
            value = function(*args, **kwargs)
            remember(known, args, value, most)
            return value

        return find

    return decorate
