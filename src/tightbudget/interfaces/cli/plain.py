"""Help as plain text: every option with a name for its value, examples to copy, nothing cut on a narrow terminal."""

from typing import Any

import typer
from typer.core import TyperCommand


class Command(TyperCommand):
    """A command whose usage shows arguments by their names alone."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


def group(**settings: Any) -> typer.Typer:
    """Return a group of commands with plain help."""
    return typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
        **settings,
    )
