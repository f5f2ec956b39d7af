"""A cache bounded by the bytes of what it holds: a few long lists of masses take as much as a million short ones."""

import itertools
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Generic, ParamSpec, Protocol, TypeVar


class Arrays(Protocol):
    """Anything made of arrays that knows how many bytes they take, as NumPy's do."""

    @property
    def nbytes(self) -> int: ...


Parameters = ParamSpec("Parameters")
Value = TypeVar("Value", bound=Arrays)

_MOST_VALUES = 256  # small values cost more than their arrays, and each new one looks at all others


class _CacheEntry(Generic[Value]):
    __slots__ = ("nbytes", "used", "value")

    def __init__(self, value: Value, used: int) -> None:
        self.value = value
        self.nbytes = value.nbytes
        self.used = used


class ByteCache(Generic[Value]):
    """Values by key; those used least recently are forgotten so that all together take at most `most_bytes`.

    Threads may share it. There is no lock, so none can be left locked in a forked process: every change is one
    operation of a dictionary, and a value that is put while others are being forgotten is counted by whoever comes
    last. Copies and pickles are empty, since whatever is missing can be made again.
    """

    def __init__(self, most_bytes: int, most_values: int = _MOST_VALUES) -> None:
        self.most_bytes = most_bytes
        self.most_values = most_values
        self._entries: dict[Hashable, _CacheEntry[Value]] = {}
        self._clock = itertools.count()

    def get(self, key: Hashable) -> Value | None:
        """Return the value that was put under the key, or None if it was never put, or forgotten."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        entry.used = next(self._clock)
        return entry.value

    def put(self, key: Hashable, value: Value) -> None:
        """Keep the value, unless it alone takes too much, and forget what there is no room for any more."""
        new = _CacheEntry(value, next(self._clock))
        if new.nbytes > self.most_bytes:
            return  # it would only drive out all others
        self._entries[key] = new
        if len(self._entries) <= self.most_values and self.nbytes <= self.most_bytes:
            return
        entries = list(self._entries.items())
        # several at once where there are many, so that not every new one puts all others in order
        most = self.most_values - self.most_values // 8 if len(entries) > self.most_values else self.most_values
        room, latest_first = self.most_bytes, sorted(entries, key=lambda item: -item[1].used)
        for place, (known, entry) in enumerate(latest_first):
            if place < most and entry.nbytes <= room:
                room -= entry.nbytes
            else:
                room = -1  # what was used before it goes as well, however small
                self._entries.pop(known, None)  # another thread may have forgotten it, too

    def remember(self, function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
        """Return the function with its results kept in here, by its arguments; functions may share a cache."""

        @wraps(function)
        def remembered(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Value:
            key = (function, args, *sorted(kwargs.items())) if kwargs else (function, args)
            value = self.get(key)
            if value is None:
                value = function(*args, **kwargs)
                self.put(key, value)
            return value

        return remembered

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    @property
    def nbytes(self) -> int:
        """The bytes of all that is held."""
        return sum([entry.nbytes for entry in list(self._entries.values())])  # quicker than one by one

    def __len__(self) -> int:
        return len(self._entries)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.most_bytes, self.most_values)
