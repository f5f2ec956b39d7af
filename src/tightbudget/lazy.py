"""Names that a module has from the start and imports when they are first used (PEP 562)."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def imported_when_used(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names lie elsewhere: at "package.module" or "package.module:name"."""

    def __getattr__(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        place, _, attribute = places[name].partition(":")
        found = import_module(place)
        value = getattr(found, attribute) if attribute else found
        setattr(sys.modules[module], name, value)  # from now on it is found without this function
        return value

    return __getattr__
