"""Commands that are imported when they are run: a list of them needs only their names and a line on each."""

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
        module, _, attribute = self._place.partition(":")
        found = getattr(import_module(module), attribute)
        app = found if isinstance(found, typer.Typer) else single_command(found, self.name)
        return typer.main.get_command(app).make_context(info_name, args, parent, **extra)
