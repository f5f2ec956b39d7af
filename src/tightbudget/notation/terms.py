"""One term of a sum: its syntax tree, and where in the whole text each node of it stands."""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, Self, TypeVar

from tightbudget.errors import InvalidParameter
from tightbudget.notation.faults import caret_under, fault

MAX_INTEGER_BITS = 1023  # a larger integer has no float value anyway
TOO_LARGE = f"This whole number is too large; at most 2**{MAX_INTEGER_BITS} is read"

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Term:
    """Its own source, and where in the whole text that starts; whether relations may be mixed; what `?` stands for."""

    text: str
    start: int
    source: str
    mix_relations: bool = False
    hole: int | float | None = None  # what the open number of a template is

    @classmethod
    def unindented(cls, text: str, start: int, source: str, mix_relations: bool = False) -> Self:
        """Return the term from its first character on.

        Blanks in front would be an indentation error; a bracket pair of our own would shift every position.
        """
        bare = source.lstrip(" ")
        return cls(text, start + len(source) - len(bare), bare, mix_relations)

    def tree(self) -> ast.expr:
        try:
            return ast.parse(self.source, mode="eval").body
        except SyntaxError as problem:
            column = max((problem.offset or 1) - 1, 0)
            raise fault(_syntax_problem(problem), self.text, self.start + min(column, len(self.source))) from None
        except (ValueError, MemoryError, RecursionError):
            raise fault("The expression is nested too deeply to be read", self.text, self.start) from None

    def fail(self, node: ast.AST, message: str) -> NoReturn:
        raise fault(message, self.text, self._position(node)) from None

    def pointing_at(self, node: ast.AST, make: Callable[[], Made]) -> Made:
        """Make something; show the place of a value that is not allowed, below the sentence that says so."""
        try:
            return make()
        except InvalidParameter as problem:
            problem.add_note(caret_under(self.text, self._position(node)))
            raise

    def written(self, node: ast.expr) -> str:
        """Return the text of a node: a term has one line, in which Python counts bytes."""
        return self.source.encode()[node.col_offset : node.end_col_offset].decode()

    def _position(self, node: ast.AST) -> int:
        # Python counts bytes; inside a file name a character may have several.
        column: int = getattr(node, "col_offset", 0)
        return self.start + len(self.source.encode()[:column].decode(errors="ignore"))


def _syntax_problem(problem: SyntaxError) -> str:
    """Return Python's complaint as one of ours."""
    if "integer string conversion" in problem.msg:
        return TOO_LARGE
    if "nested" in problem.msg:
        return "The expression is nested too deeply to be read"
    if "positional argument follows keyword" in problem.msg:
        return "A value without a name follows one with a name; a comma inside a number, as in 65,536, ends it"
    return "The expression cannot be read here; a composition looks like gaussian(sigma=2) * 10 + laplace(scale=3)"
