"""Faults: a mistake in the notation, and its place in the text with a caret under it."""

from tightbudget.errors import NotationError


def fault(message: str, text: str, position: int) -> NotationError:
    """Return the error: one sentence, the column counted from 1, and the place itself on the lines below."""
    return NotationError(f"{message} (column {position + 1}).\n{caret_under(text, position)}", text, position)


def caret_under(text: str, position: int, width: int = 76) -> str:
    """Return the text round a position, with a caret under it."""
    first = max(0, min(position - width // 2, len(text) - width))
    line = "".join(" " if c.isspace() else c for c in text[first : first + width])
    return f"  {line}\n  {' ' * (position - first)}^"
