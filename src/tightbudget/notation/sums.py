"""The outermost sum of a text, cut into its terms before Python's parser sees any of them."""

import re
from collections.abc import Iterator
from decimal import Decimal

from tightbudget.notation.faults import fault
from tightbudget.notation.signatures import meant_by
from tightbudget.numerics.typed import written_without_comma

OPEN = "?"
"""The number that a template leaves open."""

HOLE = "ʔ"
"""Stands for it in syntax trees: a letter as long as `?` is, and one that no text may have outside its strings."""

MAX_DEPTH = 60  # of brackets and operators inside each other; Python's own parser stops at 200

_TEXT_ESCAPE = r"""\\(?:[\\'"nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"""
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
      | (?P<number>(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)(?![\w.])
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)(?!["'\w])
      | (?P<string>"(?:[^"\\\n]|{_TEXT_ESCAPE})*"|'(?:[^'\\\n]|{_TEXT_ESCAPE})*')
      | (?P<open>[(\[]) | (?P<close>[)\]])
      | (?P<operator>\*\*|[-+*/=,])
      | (?P<foreign>.)""",
    re.VERBOSE,
)

_WORD = re.compile(r"[^\W\d]\w*")
_WITH_COMMA = re.compile(r"(?<![\w.,])[0-9]+(?:,[0-9]+)+(?![\w.])")
_PER_CENT = re.compile(r"(?<![\w.])([0-9]+(?:\.[0-9]+)?)\s*\Z")
_LEADING_ZERO = re.compile(r"0[0-9_]*[1-9][0-9_]*")
# what people type or paste, and how it is written here
_WRITTEN = {
    "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "—": "-", "^": "**", ";": ",", "∞": "inf", "√": "sqrt(...)",
    "?": "the number itself, or let calibrate find it",
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "{": "[", "}": "]",
}  # fmt: skip
COMMA = "A comma stands between arguments, not inside a number"


def tokens(text: str) -> Iterator[re.Match[str]]:
    """Return the pieces of a text, each with its kind as `lastgroup`."""
    return _TOKEN.finditer(text)


def split_sum(text: str, template: bool = False) -> Iterator[tuple[int, str]]:
    """Yield (offset, term) for each term of the outermost sum; sums inside brackets stay with their term.

    Python's parser nests a sum as deep as it is long and gives up near three thousand terms; cut here, a composition of
    any length can be read. The same pass refuses foreign characters (a comment could hide half of a composition) and
    brackets that do not match, each at its exact position. Only a template may have an open number.
    """
    start, pieces = 0, list[str]()
    open_brackets = list[re.Match[str]]()
    after_operand = False
    for token in tokens(text):
        kind, piece = token.lastgroup, token.group()
        if kind == "space":
            pieces.append(" " * len(piece))  # same length, so that positions stay true
            continue
        if kind == "open":
            open_brackets.append(token)
            if len(open_brackets) > MAX_DEPTH:
                raise fault(f"Brackets are nested more than {MAX_DEPTH} deep", text, token.start())
        elif kind == "close":
            if not open_brackets or open_brackets.pop().group() + piece not in ("()", "[]"):
                raise fault(f"The bracket '{piece}' closes nothing", text, token.start())
        elif template and piece == OPEN:
            kind, piece = "name", HOLE
        elif kind == "foreign":
            raise fault(_misread_in_sum(text, token.start(), bool(open_brackets)), text, token.start())
        elif kind == "number" and _LEADING_ZERO.fullmatch(piece):
            raise fault(_leading_zero(text, token.start()), text, token.start())
        elif piece == "," and not open_brackets:
            raise fault(_comma_in_sum(text, token.start()), text, token.start())
        elif piece == "+" and after_operand and not open_brackets:
            yield start, "".join(pieces)
            start, pieces, after_operand = token.end(), [], False
            continue
        pieces.append(piece)
        after_operand = kind in ("number", "name", "string", "close")
    if open_brackets:
        unclosed = open_brackets[-1]
        raise fault(f"The bracket '{unclosed.group()}' is never closed", text, unclosed.start())
    yield start, "".join(pieces)


def _misread_in_sum(text: str, position: int, inside: bool) -> str:
    """Return what is wrong with a character that begins nothing, or with the word that it begins."""
    character = text[position]
    if character in "\"'":
        return "This string is never closed, or has a backslash that should be written twice"
    if character.isdigit():
        return "This number cannot be read"
    word = _WORD.match(text, position)
    if word and not word.group().isascii():
        return f"There is no {word.group()!r} in the notation, whose names have plain letters{meant_by(word.group())}"
    written = _written_instead(text, position, inside)
    return f"{character!r} is not part of the notation{f'; write {written}' if written else ''}"


def _written_instead(text: str, position: int, inside: bool) -> str:
    """Return what stands here for a sign that people type or paste; nothing for one that is not known."""
    character = text[position]
    if character == ";" and not inside:
        return "+ between mechanisms"
    if character == "%" and (number := _PER_CENT.search(text, 0, position)):
        return f"{Decimal(number[1]).scaleb(-2):f}"
    return _WRITTEN.get(character, "")


def _comma_in_sum(text: str, position: int) -> str:
    """Return what is wrong with a comma outside brackets: thousands apart, or mechanisms that should be added."""
    instead = _number_with_comma(text, position, whole=True) or _number_with_comma(text, position)
    return f"{COMMA}; {f'write {instead}' if instead else 'mechanisms are composed with +'}"


def _leading_zero(text: str, position: int) -> str:
    """Return what is wrong with a whole number that begins with 0: often it is what follows a decimal comma."""
    instead = _number_with_comma(text, position)
    return f"{COMMA}; write {instead}" if instead else "A whole number does not begin with 0; write a decimal point, as in 0.5"


def _number_with_comma(text: str, position: int, whole: bool = False) -> str:
    """Return what to write for a number that has a comma in it and is at this position; nothing if there is none."""
    for found in _WITH_COMMA.finditer(text):
        if found.start() < position < found.end():
            return written_without_comma(found.group(), whole)
    return ""
