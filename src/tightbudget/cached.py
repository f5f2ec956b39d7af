"""Properties that are computed when they are first asked for, and kept."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """As `functools.cached_property` is from Python 3.12 on, in 3.11 too.

    There it takes a lock that all objects of a class share: threads with different questions wait for each other, and
    one question takes a tenth more time. Here two threads that ask one object at once both compute, and one value is
    kept; what is computed must not depend on who does it.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "cached_property[Value]": ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
