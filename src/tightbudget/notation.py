"""The one notation for mechanisms and compositions, read by a whitelist over Python's own syntax tree.

    expression  = term { "+" term }
    term        = mechanism | term "*" count | count "*" term | "(" expression ")" | "nothing"
    mechanism   = name "(" [argument { "," argument }] ")"      names and arguments as in tightbudget.mechanisms
    argument    = [name "="] (number | "[" numbers "]" | "file name" | mechanism)
    number      = literal | inf | nan | sqrt(number) | -number | number (+ - * / **) number

Nothing is ever evaluated: what is not in the grammar is an error that names its position. Printing is `str` of the
object itself, and `parse(str(c)) == c`.
"""

import ast
import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, NoReturn

from tightbudget.errors import InvalidParameter, NotationError
from tightbudget.mechanisms import BY_NAME, Composition, Mechanism, compose
from tightbudget.mechanisms.histograms import Histograms

MAX_CHARACTERS = 1_000_000  # two histograms of 20 000 cells each still fit
MAX_DEPTH = 60  # of brackets and operators inside each other; Python's own parser stops at 200
MAX_INTEGER_BITS = 1023  # a larger integer has no float value anyway

MECHANISM_ARGUMENTS = frozenset({"mechanism"})
LIST_ARGUMENTS = frozenset({"a", "b"})

Number = int | float
Private = Mechanism | Composition
Value = Number | str | tuple[Number, ...] | Private

_TEXT_ESCAPE = r"""\\(?:[\\'"nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})"""
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
      | (?P<number>(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9]+)?)(?![\w.])
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)(?!["'\w])
      | (?P<string>"(?:[^"\\\n]|{_TEXT_ESCAPE})*"|'(?:[^'\\\n]|{_TEXT_ESCAPE})*')
      | (?P<open>[(\[]) | (?P<close>[)\]])
      | (?P<operator>\*\*|[-+*/=,])""",
    re.VERBOSE,
)


def parse(text: str) -> Private:
    """Read a mechanism or composition from its notation.

    >>> parse("gaussian(sigma=2)")
    Gaussian(sigma=2, sensitivity=1.0)
    >>> print(parse("10 * (gaussian(sigma=2**0.5) + pure_dp(1/8))"))
    gaussian(sigma=1.4142135623730951) * 10 + pure_dp(epsilon=0.125) * 10
    """
    if not isinstance(text, str):
        raise InvalidParameter("text", text, "a string in the notation", "For example 'gaussian(sigma=2) * 10'.")
    if len(text) > MAX_CHARACTERS:
        too_long = f"The expression has {len(text)} characters, but at most {MAX_CHARACTERS} are read"
        raise _fault(f"{too_long}; give long histograms as a file", text[:80], 0)
    terms = [_Term(text, start, source).private() for start, source in _split_sum(text)]
    return terms[0] if len(terms) == 1 else compose(terms)


def parse_call(text: str, known: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, Any]]:
    """Read one call `name(argument=value, ...)` of the names in `known`, each with its arguments in order.

    For promises that are not mechanisms; values are numbers, strings, or lists of those, as in the rest of the notation.

    >>> parse_call("zcdp(rho=1/8)", {"zcdp": ("rho", "delta")})
    ('zcdp', {'rho': 0.125})
    """
    terms = list(_split_sum(text))
    start, source = terms[0]
    indent = len(source) - len(source.lstrip(" "))
    term = _Term(text, start + indent, source[indent:])
    if len(terms) > 1:
        raise _fault("One promise is read at a time; it cannot be added to others", text, terms[1][0])
    return term.call(known)


def _split_sum(text: str) -> Iterator[tuple[int, str]]:
    """Yield (offset, term) for each term of the outermost sum; sums inside brackets stay with their term.

    Python's parser nests a sum as deep as it is long and gives up near three thousand terms; cut here, a composition of
    any length can be read. The same pass refuses foreign characters (a comment could hide half of a composition) and
    brackets that do not match, each at its exact position.
    """
    start, pieces = 0, list[str]()
    open_brackets = list[re.Match[str]]()
    after_operand = False
    for token in _tokens(text):
        kind, piece = token.lastgroup, token.group()
        if kind == "open":
            open_brackets.append(token)
        elif kind == "close" and (not open_brackets or open_brackets.pop().group() + piece not in ("()", "[]")):
            raise _fault(f"The bracket '{piece}' closes nothing", text, token.start())
        if len(open_brackets) > MAX_DEPTH:
            raise _fault(f"Brackets are nested more than {MAX_DEPTH} deep", text, token.start())
        if piece == "+" and after_operand and not open_brackets:
            yield start, "".join(pieces)
            start, pieces, after_operand = token.end(), [], False
            continue
        pieces.append(" " * len(piece) if kind == "space" else piece)  # same length, so that positions stay true
        if kind != "space":
            after_operand = kind in ("number", "name", "string", "close")
    if open_brackets:
        unclosed = open_brackets[-1]
        raise _fault(f"The bracket '{unclosed.group()}' is never closed", text, unclosed.start())
    yield start, "".join(pieces)


def _tokens(text: str) -> Iterator[re.Match[str]]:
    position = 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            raise _fault(_misread(text[position]), text, position)
        yield token
        position = token.end()


def _misread(character: str) -> str:
    if character in "\"'":
        return "This string is never closed, or has a backslash that should be written twice"
    return "This number cannot be read" if character.isdigit() else f"{character!r} is not part of the notation"


@dataclass(frozen=True)
class _Term:
    """One term of a sum: its own text, and where in the whole text it starts."""

    text: str
    start: int
    source: str

    def private(self) -> Private:
        """Return the mechanism or composition this term stands for."""
        if not self.source.strip():
            example = "write a mechanism such as gaussian(sigma=2), or nothing"
            raise _fault(f"A mechanism is missing here; {example}", self.text, self.start)
        # Blanks in front would be an indentation error; a bracket pair of our own would shift every position.
        indent = len(self.source) - len(self.source.lstrip(" "))
        inner = _Term(self.text, self.start + indent, self.source[indent:])
        return inner._as_private(inner._tree(), 0)

    def call(self, known: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, Any]]:
        """Return the name and the arguments of the one call this term consists of."""
        node = self._tree()
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            self._fail(node, f"One promise is needed here: {', '.join(known)}")
        if node.func.id not in known:
            meant = _did_you_mean(node.func.id, list(known))
            self._fail(node, f"There is no mechanism or promise {node.func.id!r}{meant}")
        name, arguments = node.func.id, known[node.func.id]
        given: dict[str, ast.expr] = dict(zip(arguments, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg not in arguments or keyword.arg in given:
                self._fail(keyword, f"{name} takes {', '.join(arguments)}, each once")
            given[keyword.arg] = keyword.value
        if len(node.args) > len(arguments):
            self._fail(node.args[-1], f"{name} takes {', '.join(arguments)} and no more")
        return name, {argument: self._plain(value) for argument, value in given.items()}

    def _plain(self, node: ast.expr) -> Any:
        if isinstance(node, ast.List):
            return [self._scalar(cell) for cell in node.elts]
        return self._scalar(node)

    def _scalar(self, node: ast.expr) -> Number | str:
        value = self._value(node, 1)
        return value if isinstance(value, str) else self._number(node, value)

    def _tree(self) -> ast.expr:
        try:
            return ast.parse(self.source, mode="eval").body
        except SyntaxError as problem:
            column = max((problem.offset or 1) - 1, 0)
            raise _fault(_sentence(problem), self.text, self.start + min(column, len(self.source))) from None
        except (ValueError, MemoryError, RecursionError):
            raise _fault("The expression is nested too deeply to be read", self.text, self.start) from None

    def _fail(self, node: ast.AST, message: str) -> NoReturn:
        raise _fault(message, self.text, self._position(node)) from None

    def _position(self, node: ast.AST) -> int:
        # Python counts bytes; inside a file name a character may have several.
        column: int = getattr(node, "col_offset", 0)
        return self.start + len(self.source.encode()[:column].decode(errors="ignore"))

    def _as_private(self, node: ast.expr, depth: int) -> Private:
        return self._private(node, self._value(node, depth))

    def _as_number(self, node: ast.expr, depth: int) -> Number:
        return self._number(node, self._value(node, depth))

    def _private(self, node: ast.expr, value: Value) -> Private:
        if isinstance(value, Mechanism | Composition):
            return value
        self._fail(node, f"A mechanism is needed here, but this is {_kind(value)}")

    def _number(self, node: ast.expr, value: Value) -> Number:
        if isinstance(value, int | float):
            return value
        self._fail(node, f"A number is needed here, but this is {_kind(value)}")

    def _value(self, node: ast.expr, depth: int) -> Value:
        if depth > MAX_DEPTH:
            self._fail(node, f"The expression is nested more than {MAX_DEPTH} deep")
        match node:
            case ast.Constant(value=bool() | None):
                self._fail(node, f"{node.value!r} is not part of the notation")
            case ast.Constant(value=float() as value):
                return self._float(node, value)
            case ast.Constant(value=int() | str() as value):
                return self._checked(node, value) if isinstance(value, int) else value
            case ast.Name(id=name):
                return self._name(node, name)
            case ast.List(elts=cells):
                return tuple(self._as_number(cell, depth + 1) for cell in cells)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                number = self._as_number(operand, depth + 1)
                return -number if isinstance(sign, ast.USub) else number
            case ast.BinOp(op=ast.Add()):
                return self._sum(node, depth)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._operation(node, operator, self._value(left, depth + 1), self._value(right, depth + 1))
            case ast.Call(func=ast.Name(id=name)):
                return self._call(node, name, depth)
        self._fail(node, "This is not part of the notation")

    def _float(self, node: ast.expr, value: float) -> float:
        """Return a number as it was written, unless no float is near: 1e-400 is not 0, and 1e400 is not infinite."""
        if value == 0.0 or math.isinf(value):
            digits = (ast.get_source_segment(self.source, node) or "").lower().partition("e")[0]
            if math.isinf(value) or digits.strip("0._"):
                self._fail(node, f"This number is too {'large' if value else 'small'} for a float")
        return value

    def _name(self, node: ast.Name, name: str) -> Value:
        match name:
            case "nothing":
                return Composition(())
            case "inf" | "nan":
                return float(name)
        if name in BY_NAME:
            self._fail(node, f"{name} needs its arguments: {_signature(name)}")
        self._fail(node, f"{name!r} is not known here{_did_you_mean(name, [*BY_NAME, 'nothing', 'inf', 'sqrt'])}")

    def _sum(self, node: ast.BinOp, depth: int) -> Value:
        """Add numbers, or compose: a long sum is a deep tree, so it is walked down its left side, not by recursion."""
        operands = list[ast.expr]()
        left: ast.expr = node
        while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
            operands.append(left.right)
            left = left.left
        operands.append(left)
        operands.reverse()
        values = [self._value(operand, depth + 1) for operand in operands]
        if isinstance(values[0], int | float):
            return self._total(operands, values)
        return compose([self._private(o, v) for o, v in zip(operands, values, strict=True)])

    def _total(self, nodes: list[ast.expr], values: list[Value]) -> Number:
        # One by one, as Python adds; its own sum() adds floats differently from version 3.12 on.
        total: Number = 0
        for node, value in zip(nodes, values, strict=True):
            total = self._checked(node, total + self._number(node, value))
        return total

    def _operation(self, node: ast.BinOp, operator: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(left, int | float) and isinstance(right, int | float):
            return self._arithmetic(node, operator, left, right)
        if isinstance(operator, ast.Mult):
            if isinstance(left, Mechanism | Composition) and isinstance(right, int | float):
                return self._repeated(left, node.right, right)
            if isinstance(right, Mechanism | Composition) and isinstance(left, int | float):
                return self._repeated(right, node.left, left)
        self._fail(node, "Mechanisms can only be added (+) and repeated (* count)")

    def _repeated(self, private: Private, node: ast.expr, count: Number) -> Composition:
        if not (0 <= count < math.inf and count == int(count)):
            self._fail(node, f"A repetition must be a whole number, 0 or more, but this is {count!r}")
        with self._pointing_at(node):
            return private * int(count)

    def _arithmetic(self, node: ast.BinOp, operator: ast.operator, left: Number, right: Number) -> Number:
        try:
            match operator:
                case ast.Sub():
                    return self._checked(node, left - right)
                case ast.Mult():
                    return self._checked(node, left * right)
                case ast.Div():
                    return left / right
                case ast.Pow():
                    return self._power(node, left, right)
        except (OverflowError, ZeroDivisionError):
            self._fail(node, "This number cannot be computed: it divides by zero or is too large")
        self._fail(node, "This operation is not part of the notation; numbers know + - * / **")

    def _power(self, node: ast.expr, base: Number, exponent: Number) -> Number:
        # Known before it is computed: 9**9**9 has 370 million digits.
        if isinstance(base, int) and isinstance(exponent, int) and base.bit_length() * abs(exponent) > MAX_INTEGER_BITS:
            raise OverflowError
        power = base**exponent
        if isinstance(power, complex):
            self._fail(node, "A root of a negative number is not a number")
        return float(power) if isinstance(power, float) else int(power)

    def _checked(self, node: ast.expr, number: Number) -> Number:
        if isinstance(number, int) and number.bit_length() > MAX_INTEGER_BITS:
            self._fail(node, f"This whole number is too large; at most 2**{MAX_INTEGER_BITS} is read")
        return number

    def _call(self, node: ast.Call, name: str, depth: int) -> Value:
        if name == "sqrt":
            return self._square_root(node, depth)
        if name not in BY_NAME:
            self._fail(node, f"There is no mechanism {name!r}{_did_you_mean(name, list(BY_NAME))}")
        if name == "histograms" and len(node.args) == 1 and not node.keywords:
            path = self._value(node.args[0], depth + 1)
            if isinstance(path, str):
                return self._histograms_from(node, path)
        arguments = self._arguments(node, name, depth)
        with self._pointing_at(node):
            return BY_NAME[name](**arguments)

    def _square_root(self, node: ast.Call, depth: int) -> float:
        if len(node.args) != 1 or node.keywords:
            self._fail(node, "sqrt takes one number, as in sqrt(2)")
        number = self._as_number(node.args[0], depth + 1)
        if number < 0:
            self._fail(node, "A root of a negative number is not a number")
        return math.sqrt(number)

    def _histograms_from(self, node: ast.Call, path: str) -> Mechanism:
        with self._pointing_at(node.args[0]):
            return Histograms.from_csv(path)

    @contextmanager
    def _pointing_at(self, node: ast.AST) -> Iterator[None]:
        """Show the place of a value that is not allowed, below the sentence that says so."""
        try:
            yield
        except InvalidParameter as problem:
            problem.add_note(_pointer(self.text, self._position(node)))
            raise

    def _arguments(self, node: ast.Call, name: str, depth: int) -> dict[str, Value]:
        """Return the arguments by name, each of the right kind, none missing, none twice."""
        parameters = _parameters(name)
        if len(node.args) > len(parameters):
            self._fail(node.args[len(parameters)], f"{name} has too many arguments; it is {_signature(name)}")
        given: dict[str, ast.expr] = dict(zip(parameters, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None:
                self._fail(keyword, "** is not part of the notation here")
            if keyword.arg not in parameters:
                hint = _did_you_mean(keyword.arg, list(parameters)) or f"; it is {_signature(name)}"
                self._fail(keyword, f"{name} has no argument {keyword.arg!r}{hint}")
            if keyword.arg in given:
                self._fail(keyword, f"{name} is given {keyword.arg!r} twice")
            given[keyword.arg] = keyword.value
        for argument, parameter in parameters.items():
            if argument not in given and parameter.default is MISSING:
                self._fail(node, f"{name} lacks its argument {argument!r}; it is {_signature(name)}")
        return {argument: self._argument(argument, value, depth + 1) for argument, value in given.items()}

    def _argument(self, argument: str, node: ast.expr, depth: int) -> Value:
        if isinstance(node, ast.Starred):
            self._fail(node, "* is not part of the notation here")
        if argument in LIST_ARGUMENTS:
            if isinstance(node, ast.List):
                return self._value(node, depth)
            self._fail(node, f"{argument} is a list of numbers, as in [0.5, 0.5]")
        if argument not in MECHANISM_ARGUMENTS:
            return self._as_number(node, depth)
        mechanism = self._as_private(node, depth)
        if isinstance(mechanism, Composition):
            self._fail(node, "One mechanism is needed here, but this is a composition; repeat outside the brackets")
        return mechanism


def _parameters(name: str) -> dict[str, Field[Any]]:
    """Return the fields of a mechanism by the name of their argument; a field that is not printed is none."""
    shown = (field for field in fields(BY_NAME[name]) if field.repr)  # type: ignore[arg-type]  # all are dataclasses
    return {field.metadata.get("argument", field.name): field for field in shown}


def _signature(name: str) -> str:
    shown = (a + (f"={p.default!r}" if p.default is not MISSING else "") for a, p in _parameters(name).items())
    return f"{name}({', '.join(shown)})"


def _did_you_mean(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _kind(value: Value) -> str:
    match value:
        case int() | float():
            return f"the number {value!r}"
        case str():
            return "a string"
        case tuple():
            return "a list"
    return "a mechanism" if isinstance(value, Mechanism) else "a composition"


def _sentence(problem: SyntaxError) -> str:
    """Return Python's complaint as one of ours."""
    if "integer string conversion" in problem.msg:
        return f"This whole number is too large; at most 2**{MAX_INTEGER_BITS} is read"
    if "nested" in problem.msg:
        return "The expression is nested too deeply to be read"
    return "The expression cannot be read here; a composition looks like gaussian(sigma=2) * 10 + laplace(scale=3)"


def _fault(message: str, text: str, position: int) -> NotationError:
    """Return the error: one sentence, the column counted from 1, and the place itself on the lines below."""
    return NotationError(f"{message} (column {position + 1}).\n{_pointer(text, position)}", text, position)


def _pointer(text: str, position: int, width: int = 76) -> str:
    """Return the text round a position, with a caret under it."""
    first = max(0, min(position - width // 2, len(text) - width))
    line = "".join(" " if c.isspace() else c for c in text[first : first + width])
    return f"  {line}\n  {' ' * (position - first)}^"
