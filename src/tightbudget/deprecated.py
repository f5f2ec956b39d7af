"""Old spellings, which work for one version more with a DeprecationWarning that says what to write instead."""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tightbudget.keywords import with_former_name

P = ParamSpec("P")
R = TypeVar("R")


def deprecated(old: str, new: str) -> None:
    """Warn the caller of the function that calls this."""
    warnings.warn(f"{old} will not work in the next version: write {new}.", DeprecationWarning, stacklevel=3)


def formerly_positional(*names: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Take these keyword-only arguments by position as well, in this order, after those that are positional.

    >>> class Box:
    ...     @formerly_positional("colour")
    ...     def __init__(self, size, *, colour="red"):
    ...         self.colour = colour
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     box = Box(1, "blue")
    >>> print(box.colour, caught[0].message)
    blue Arguments by position will not work in the next version: write colour=...
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters.values()
        positional = sum(each.kind is not each.KEYWORD_ONLY for each in parameters)

        @functools.wraps(function)
        def either(*arguments: Any, **named: Any) -> R:
            late = arguments[positional:]
            if not late or len(late) > len(names):  # if there are too many, Python says so
                return function(*arguments, **named)
            given = dict(zip(names, late, strict=False))
            deprecated("Arguments by position", ", ".join(f"{name}=..." for name in given).removesuffix("."))
            return function(*arguments[:positional], **given, **named)

        return either

    return decorate


def renamed_argument(old: str, new: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Take an argument by its former name as well."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def either(*arguments: Any, **named: Any) -> R:
            if old not in named:
                return function(*arguments, **named)
            deprecated(f"{old}=", f"{new}=")
            return function(*arguments, **{new: named.pop(old)}, **named)

        return with_former_name(either, old)

    return decorate
