"""Names that a module has from the start and imports when they are first used (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def found_at(place: str) -> Any:
    """Return what lies at "package.module" or "package.module:name", imported now.

    With it a method such as `curve.plot` can call what draws, in a layer above its own, without depending on it.
    """
    module, _, attribute = place.partition(":")
    found = import_module(module)
    return getattr(found, attribute) if attribute else found


def imported_when_used(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names lie elsewhere: at "package.module" or "package.module:name"."""

    def __getattr__(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = found_at(places[name])
        setattr(sys.modules[module], name, value)  # from now on it is found without this function
        return value

    return __getattr__
