"""`tightbudget convert`: one composition in the languages of several tools."""

import json
import os
import sys
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from tightbudget.errors import InvalidParameter
from tightbudget.interfaces import wire
from tightbudget.interfaces.cli import library
from tightbudget.interfaces.cli.options import Json
from tightbudget.interfaces.cli.terminal import show

_MOST = 16 * 2**20  # characters of a file


class Form(Enum):
    """A language: our notation, a DpEvent of dp_accounting, a history of Opacus."""

    notation = "notation"
    event = "event"
    history = "history"


def convert(
    what: Annotated[
        str, typer.Argument(help="A composition in any of the forms, a file that holds one, or - for a pipe.", metavar="WHAT")
    ],
    to: Annotated[Form | None, typer.Option(help="Print this form alone.", show_default=False)] = None,
    read_as: Annotated[Form | None, typer.Option("--from", help="Read it as this form.", show_default=False)] = None,
    relation: Annotated[
        str | None,
        typer.Option(
            help="Neighbours to ask it under.  [default: what is stated, else add_remove]", metavar="R", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Print a composition in the other tools' languages: our notation, a DpEvent as JSON, an Opacus history.

    Numbers that have to be converted are rounded towards less privacy.

    \b
    Example:
      tightbudget convert "poisson(gaussian(sigma=1.1), q=0.01) * 1000"
    """
    found = library.convert(_converted_text(what), relation, None if read_as is None else read_as.value)
    if to is not None:
        show(_one_converted_form(found, to))
    elif as_json:
        show(wire.json_text(_conversion_shape(found)))
    else:
        show("\n".join(_converted_lines(found)))
    return 0


def _converted_text(what: str) -> str:
    """Return what was typed, or what the file or pipe holds that it names."""
    if what == "-":
        return sys.stdin.read(_MOST)
    try:
        is_file = Path(what).is_file()
    except (OSError, ValueError):  # too long for a name
        is_file = False
    if not is_file:
        if what.endswith((".json", ".txt")) or (os.sep in what and "(" not in what and "{" not in what):
            raise InvalidParameter("what", what, "a composition, or a file that is there")
        return what
    try:
        with Path(what).open(encoding="utf-8") as file:
            return file.read(_MOST)
    except UnicodeDecodeError:
        raise InvalidParameter("what", what, "a file of text") from None


def _one_converted_form(found: Any, form: Form) -> str:
    if form is Form.notation:
        return str(found.composition)
    written, why = (found.event, found.no_event) if form is Form.event else (found.history, found.no_history)
    if written is None:
        raise InvalidParameter("--to", form.value, "a form that has words for the composition", why)
    return json.dumps(written)


def _converted_lines(found: Any) -> list[str]:
    return [
        f"Read as {found.read_as}.",
        "",
        "tightbudget:",
        f"  {found.composition}",
        f"DpEvent, to be asked under {found.relation}:",
        f"  {json.dumps(found.event) if found.event else found.no_event}",
        "Opacus history (noise multiplier, rate, steps):",
        f"  {found.no_history if found.history is None else json.dumps(found.history)}",
    ]


def _conversion_shape(found: Any) -> dict[str, Any]:
    return {
        "read_as": found.read_as,
        "notation": str(found.composition),
        "relation": found.relation,
        "event": found.event,
        "no_event": found.no_event,
        "history": found.history,
        "no_history": found.no_history,
    }
