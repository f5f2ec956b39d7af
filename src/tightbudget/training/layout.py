"""A statement laid out: as text of any width, or as Markdown."""

import textwrap
from collections.abc import Sequence
from typing import Protocol

TITLE = "Privacy statement of a DP-SGD training run"


class Part(Protocol):
    """A heading and what stands below it; paragraphs that begin with "- " are a list."""

    @property
    def heading(self) -> str: ...
    @property
    def paragraphs(self) -> tuple[str, ...]: ...


def statement_as_text(parts: Sequence[Part], width: int) -> str:
    """Return lines of at most so many columns, broken between words only.

    A number or name that is longer than a line stays whole.
    """
    lines = [*_wrapped_statement(TITLE, width), ""]
    for part in parts:
        lines.append(part.heading)
        for paragraph in part.paragraphs:
            indent = "    " if paragraph.startswith("- ") else "  "
            lines += _wrapped_statement(paragraph, width, "  ", indent)
        lines.append("")
    return "\n".join(lines[:-1])


def as_markdown(parts: Sequence[Part]) -> str:
    """Return the statement in Markdown, in lines of at most 80 columns."""
    lines = [f"# {TITLE}", ""]
    for part in parts:
        lines += [f"## {part.heading}", ""]
        for paragraph in part.paragraphs:
            listed = paragraph.startswith("- ")
            lines += [*_wrapped_statement(_escaped_markdown(paragraph), 80, "", "  " if listed else "")]
            lines += [] if listed else [""]
        lines += [""] if lines[-1] else []
    return "\n".join(lines[:-1])


def _wrapped_statement(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def _escaped_markdown(text: str) -> str:
    """Return text in which no sign of the notation means anything to Markdown."""
    return text.replace("*", r"\*").replace("_", r"\_")
