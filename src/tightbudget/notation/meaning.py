"""What a syntax tree stands for: a whitelist, node by node; everything else is a fault at its place."""

import ast
import math
from dataclasses import MISSING

from tightbudget.mechanisms import BY_NAME, Composition, Mechanism, Poisson, compose
from tightbudget.mechanisms.histograms import Histograms
from tightbudget.mechanisms.loss_distribution import NO_NOTATION, LossDistribution
from tightbudget.mechanisms.relations import RELATIONS
from tightbudget.mechanisms.repeat_and_select import LAWS_OF_RUNS
from tightbudget.mechanisms.shuffled import STANDARD, STRONGER
from tightbudget.notation.arithmetic import Number, arithmetic, as_written, checked_number, square_root, sum_of_numbers
from tightbudget.notation.signatures import did_you_mean, mechanism_arguments, mechanism_signature
from tightbudget.notation.sums import COMMA, HOLE, MAX_DEPTH
from tightbudget.notation.terms import Term

GROUP = "group"
MECHANISM_ARGUMENTS = frozenset({"mechanism"})
MATRIX_ARGUMENTS = frozenset({"strategy"})
LIST_ARGUMENTS = frozenset({"a", "b", "centres", "probabilities", "rates", "without"})
ONE_OR_SEVERAL = frozenset({"alpha", "epsilon"})  # the mechanism itself says whether it takes several
EVENTS = "write a mechanism, such as gaussian(sigma=2), or give tightbudget convert the JSON of its named tuple"
WORD_ARGUMENTS = {"relation": RELATIONS, "clone": (STANDARD, STRONGER), "runs": LAWS_OF_RUNS}

Private = Mechanism | Composition
Value = Number | str | tuple[Number, ...] | tuple[tuple[Number, ...], ...] | Private


def as_private(term: Term, node: ast.expr, depth: int = 0) -> Private:
    return _meaning_as_private(term, node, meaning_of(term, node, depth))


def as_number(term: Term, node: ast.expr, depth: int) -> Number:
    return needed_number(term, node, meaning_of(term, node, depth))


def meaning_of(term: Term, node: ast.expr, depth: int) -> Value:
    """Return what a node stands for, of whatever kind that is."""
    if depth > MAX_DEPTH:
        term.fail(node, f"The expression is nested more than {MAX_DEPTH} deep")
    match node:
        case ast.Constant():
            return _meaning_of_constant(term, node)
        case ast.Call(func=ast.Name(id=name)):
            return _meaning_of_call(term, node, name, depth)
        case ast.BinOp(op=ast.Add()):
            return _meaning_of_sum(term, node, depth)
        case ast.BinOp():
            return _meaning_of_operation(
                term, node, meaning_of(term, node.left, depth + 1), meaning_of(term, node.right, depth + 1)
            )
        case ast.Name():
            return _meaning_of_name(term, node)
        case ast.List():
            return tuple(as_number(term, cell, depth + 1) for cell in node.elts)
        case ast.Tuple(elts=[_, second, *_]):
            term.fail(second, f"{COMMA}; write 65536 or 65_536 for 65,536")
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            operand = as_number(term, node.operand, depth + 1)
            return -operand if isinstance(node.op, ast.USub) else operand
    term.fail(node, "This is not part of the notation")


def _meaning_as_private(term: Term, node: ast.expr, value: Value) -> Private:
    if isinstance(value, Private):
        return value
    term.fail(node, f"A mechanism is needed here, but this is {_kind_of_meaning(value)}")


def needed_number(term: Term, node: ast.expr, value: Value) -> Number:
    if isinstance(value, Number):
        return value
    term.fail(node, f"A number is needed here, but this is {_kind_of_meaning(value)}")


def _kind_of_meaning(value: Value) -> str:
    match value:
        case int() | float():
            return f"the number {value!r}"
        case str():
            return "a string"
        case tuple():
            return "a list"
    return "a mechanism" if isinstance(value, Mechanism) else "a composition"


def _meaning_of_constant(term: Term, node: ast.Constant) -> Number | str:
    match node.value:
        case float() as value:
            return as_written(term, node)
        case bool() | None:
            term.fail(node, f"{node.value!r} is not part of the notation")
        case int() as value:
            return checked_number(term, node, value)
        case str() as value:
            return value
    term.fail(node, "This is not part of the notation")


def _meaning_of_name(term: Term, node: ast.Name) -> Value:
    if node.id == HOLE and term.hole is not None:
        return term.hole
    match node.id:
        case "nothing":
            return Composition(())
        case "inf" | "nan":
            return float(node.id)
    if node.id in BY_NAME:
        term.fail(node, f"{node.id} needs its arguments: {mechanism_signature(node.id)}")
    term.fail(node, f"{node.id!r} is not known here{did_you_mean(node.id, [*BY_NAME, 'nothing', 'inf', 'sqrt'])}")


def _meaning_of_sum(term: Term, node: ast.BinOp, depth: int) -> Value:
    """Add numbers, or compose: a long sum is a deep tree, so it is walked down its left side, not by recursion."""
    operands = list[ast.expr]()
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        operands.append(left.right)
        left = left.left
    operands.append(left)
    operands.reverse()
    values = [meaning_of(term, operand, depth + 1) for operand in operands]
    both = list(zip(operands, values, strict=True))
    if isinstance(values[0], Number):
        return sum_of_numbers(term, operands, (needed_number(term, operand, value) for operand, value in both))
    parts = [_meaning_as_private(term, operand, value) for operand, value in both]
    return term.pointing_at(node, lambda: compose(parts, term.mix_relations))


def _meaning_of_operation(term: Term, node: ast.BinOp, left: Value, right: Value) -> Value:
    if isinstance(left, Number) and isinstance(right, Number):
        return arithmetic(term, node, left, right)
    if isinstance(node.op, ast.Mult):
        if isinstance(left, Private) and isinstance(right, Number):
            return _meaning_of_repetition(term, left, node.right, right)
        if isinstance(right, Private) and isinstance(left, Number):
            return _meaning_of_repetition(term, right, node.left, left)
    term.fail(node, "Mechanisms can only be added (+) and repeated (* count)")


def _meaning_of_repetition(term: Term, private: Private, node: ast.expr, count: Number) -> Composition:
    if not (0 <= count < math.inf and count == int(count)):
        term.fail(node, f"A repetition must be a whole number, 0 or more, but this is {count!r}")
    return term.pointing_at(node, lambda: private * int(count))


def _meaning_of_call(term: Term, node: ast.Call, name: str, depth: int) -> Value:
    if name == "sqrt":
        if len(node.args) != 1 or node.keywords:
            term.fail(node, "sqrt takes one number, as in sqrt(2)")
        return square_root(term, node, as_number(term, node.args[0], depth + 1))
    if name == LossDistribution.name:
        term.fail(node, f"This is not part of the notation. {NO_NOTATION.removesuffix('.')}")
    if name.endswith("DpEvent"):
        term.fail(node, f"{name} is an event of dp_accounting, not part of the notation; {EVENTS}")
    if name not in BY_NAME:
        term.fail(node, f"There is no mechanism {name!r}{did_you_mean(name, list(BY_NAME))}")
    if name == "histograms" and len(node.args) == 1 and not node.keywords:
        path = meaning_of(term, node.args[0], depth + 1)
        if isinstance(path, str):
            return term.pointing_at(node.args[0], lambda: Histograms.from_csv(path))
    arguments = _meaning_of_arguments(term, node, name, depth)
    if name == GROUP and not (isinstance(arguments["mechanism"], Poisson) and 0 < arguments["mechanism"].q < 1):
        return term.pointing_at(node, lambda: _group_of(arguments["mechanism"], arguments["k"]))
    if name == Poisson.name and term.mix_relations:
        return term.pointing_at(node, lambda: Poisson(**arguments, mix_relations=True))  # type: ignore[arg-type]
    return term.pointing_at(node, lambda: BY_NAME[name](**arguments))


def _group_of(private: Value, k: Value) -> Private:
    """Return what the method `group` does: of most steps that is a step of the same kind, or several."""
    assert isinstance(private, Private)
    found = private.group(k)  # type: ignore[arg-type]  # it says itself what k may be
    assert isinstance(found, Private)
    return found


def _check_no_group_inside(term: Term, name: str, node: ast.expr) -> None:
    """Refuse samples of what a group of records does, as of one record: members are drawn each on their own (M27)."""
    for inner in ast.walk(node):
        if not (isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == GROUP):
            continue
        given = [*inner.args[:1], *(keyword.value for keyword in inner.keywords if keyword.arg == "mechanism")]
        # a group of a sample stays a `Group`, of which the outer mechanism says itself whether it takes it
        if not (given and isinstance(given[0], ast.Call) and getattr(given[0].func, "id", "") == Poisson.name):
            wrong = f"group is written around {name}, not inside it"
            term.fail(inner, f"{wrong}: the records of a group are drawn each on their own")


def _meaning_of_arguments(term: Term, node: ast.Call, name: str, depth: int) -> dict[str, Value]:
    """Return the arguments by name, each of the right kind, none missing, none twice."""
    allowed = mechanism_arguments(name)
    in_order = [argument for argument, field in allowed.items() if not field.kw_only]
    if len(node.args) > len(in_order):
        named = next((f", and {argument} is given by its name" for argument in allowed if argument not in in_order), "")
        term.fail(node.args[len(in_order)], f"{name} has too many arguments; it is {mechanism_signature(name)}{named}")
    given: dict[str, ast.expr] = dict(zip(in_order, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None:
            term.fail(keyword, "** is not part of the notation here")
        argument = BY_NAME[name].formerly.get(keyword.arg, keyword.arg)
        if argument not in allowed:
            meant = BY_NAME[name].often_called.get(argument)
            hint = f"; did you mean {meant}?" if meant else did_you_mean(argument, list(allowed))
            hint = hint or f"; it is {mechanism_signature(name)}"
            term.fail(keyword, f"{name} has no argument {argument!r}{hint}")
        if argument in given:
            term.fail(keyword, f"{name} is given {argument!r} twice")
        given[argument] = keyword.value
    for argument, parameter in allowed.items():
        if argument not in given and parameter.default is MISSING:
            term.fail(node, f"{name} lacks its argument {argument!r}; it is {mechanism_signature(name)}")
    if name != GROUP and GROUP in term.source:
        for argument in MECHANISM_ARGUMENTS & given.keys():
            _check_no_group_inside(term, name, given[argument])
    read = _number_or_text if BY_NAME[name].takes_text else _meaning_of_argument
    return {argument: read(term, argument, value, depth + 1) for argument, value in given.items()}


def _number_or_text(term: Term, argument: str, node: ast.expr, depth: int) -> Value:
    """Read a number, exactly: text such as "1/3" is handed on as it is; or several of them."""
    if isinstance(node, ast.List):
        return tuple(_number_or_text(term, argument, cell, depth + 1) for cell in node.elts)  # type: ignore[return-value]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return _meaning_of_argument(term, argument, node, depth)


def _meaning_of_argument(term: Term, argument: str, node: ast.expr, depth: int) -> Value:
    if isinstance(node, ast.Starred):
        term.fail(node, "* is not part of the notation here")
    if argument in LIST_ARGUMENTS:
        if isinstance(node, ast.List):
            return meaning_of(term, node, depth)
        term.fail(node, f"{argument} is a list of numbers, as in [0.5, 0.5]")
    if argument in MATRIX_ARGUMENTS:
        if isinstance(node, ast.List) and all(isinstance(row, ast.List) for row in node.elts):
            rows = [
                tuple(as_number(term, cell, depth + 2) for cell in row.elts) for row in node.elts if isinstance(row, ast.List)
            ]
            return tuple(rows)
        term.fail(node, f"{argument} is a list of rows, as in [[1, 0], [1, 1]]")
    if argument in ONE_OR_SEVERAL and isinstance(node, ast.List):
        return meaning_of(term, node, depth)
    if argument in WORD_ARGUMENTS:
        return _word(term, argument, node, depth)
    if argument not in MECHANISM_ARGUMENTS:
        return as_number(term, node, depth)
    return as_private(term, node, depth)


def _word(term: Term, argument: str, node: ast.expr, depth: int) -> str:
    """Read a word in quotes; a bare one that would do in them is told so."""
    words = WORD_ARGUMENTS[argument]
    if isinstance(node, ast.Name) and node.id != HOLE:
        if node.id in words:
            term.fail(node, f'Words are written in quotes: {argument}="{node.id}"')
        listed = ", ".join(f'"{word}"' for word in words)
        term.fail(node, f"{argument} is a word in quotes, one of {listed}, but this is {node.id}")
    word = meaning_of(term, node, depth)
    return word if isinstance(word, str) else term.fail(node, f"{argument} is a word in quotes, as in '{words[0]}'")
