"""Help as plain text: every option with a name for its value, examples to copy, nothing cut on a narrow terminal."""

import shutil
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.cli.as_typed import as_typed
from tightbudget.interfaces.cli.tables import folded_text

NARROW = 52  # columns that Typer fills even where there are fewer
LEAST = 20  # columns below which words would be broken rather than wrapped


class Command(TyperCommand):
    """A command whose usage shows arguments by their names alone, and whose errors name its options."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except InvalidParameter as problem:
            raise as_typed(problem, ctx) from None

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, _fitted_to_terminal(formatter))


class CommandGroup(TyperGroup):
    """A group whose commands may be interrupted: newer versions of Typer would then end without a word."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise typer.Abort from None

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, _fitted_to_terminal(formatter))


def _fitted_to_terminal(formatter: Any) -> Any:
    """Return the formatter, as narrow as the terminal is."""
    columns = max(shutil.get_terminal_size().columns, LEAST)
    if columns < NARROW:
        formatter.width = columns - 2
        formatter.write_usage = partial(_write_narrow_usage, formatter.write, columns)
        formatter.write_dl = partial(_write_narrow_list, formatter.write_dl, formatter.width)
    return formatter


def _write_narrow_usage(write: Callable[[str], None], columns: int, command: str, arguments: str = "") -> None:
    """Write how it is typed; long names of commands are wrapped, too."""
    write(folded_text(f"Usage: {command} {arguments}", columns) + "\n")


def _write_narrow_list(write_list: Callable[..., None], width: int, rows: Sequence[tuple[str, str]]) -> None:
    """Write options above what is said of them, and commands too if their names are long."""
    are_options = rows[0][0].startswith("-")
    write_list(rows, col_max=4 if are_options else width // 3)


def plain_group(add_completion: bool = False, **settings: Any) -> typer.Typer:
    """Return a group of commands with plain help."""
    return typer.Typer(
        cls=CommandGroup,
        add_completion=add_completion,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        **settings,
    )


def single_command(function: Callable[..., int], name: str | None) -> typer.Typer:
    """Return the one command that a function is."""
    app = plain_group()
    app.command(name, cls=Command)(function)
    return app
