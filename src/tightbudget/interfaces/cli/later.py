"""Commands that are imported when they are run: a list of them needs only their names and a line on each."""

from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand

from tightbudget.interfaces.cli.plain import single_command


class Later(TyperCommand):
    """Stands in a group for the command, or group of commands, at "module:name", which takes over once it is run."""

    def __init__(self, name: str, place: str, short_help: str) -> None:
        super().__init__(name, short_help=short_help)
        self._place = place

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Return a context of the command itself: parsing, help and completion go on from there."""
        return _command_at(self._place, self.name).make_context(info_name, args, parent, **extra)


@cache  # a program that runs several commands makes each of them once
def _command_at(place: str, name: str | None) -> Any:
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    app = found if isinstance(found, typer.Typer) else single_command(found, name)
    return typer.main.get_command(app)
