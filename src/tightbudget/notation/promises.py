"""One call of a name that is no mechanism's: a promise of privacy in numbers."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from tightbudget.notation.arithmetic import Number
from tightbudget.notation.faults import fault
from tightbudget.notation.meaning import meaning_of, needed_number
from tightbudget.notation.signatures import did_you_mean
from tightbudget.notation.sums import split_sum
from tightbudget.notation.terms import Term


def parse_call(text: str, known: Mapping[str, Sequence[str]]) -> tuple[str, dict[str, Any]]:
    """Read one call `name(argument=value, ...)` of the names in `known`, each with its arguments in order.

    For promises that are not mechanisms; values are numbers, strings, or lists of those, as in the rest of the
    notation.

    >>> parse_call("zcdp(rho=1/8)", {"zcdp": ("rho", "delta")})
    ('zcdp', {'rho': 0.125})
    """
    (start, source), *others = split_sum(text)
    if others:
        raise fault("One promise is read at a time; it cannot be added to others", text, others[0][0])
    term = Term.unindented(text, start, source)
    node = term.tree()
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        term.fail(node, f"One promise is needed here: {', '.join(known)}")
    name = node.func.id
    if name not in known:
        term.fail(node, f"There is no mechanism or promise {name!r}{did_you_mean(name, list(known))}")
    given = _arguments(term, node, name, known[name])
    return name, {argument: _plain(term, value) for argument, value in given.items()}


def _arguments(term: Term, node: ast.Call, name: str, allowed: Sequence[str]) -> dict[str, ast.expr]:
    given: dict[str, ast.expr] = dict(zip(allowed, node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None or keyword.arg not in allowed or keyword.arg in given:
            term.fail(keyword, f"{name} takes {', '.join(allowed)}, each once")
        given[keyword.arg] = keyword.value
    if len(node.args) > len(allowed):
        term.fail(node.args[-1], f"{name} takes {', '.join(allowed)} and no more")
    return given


def _plain(term: Term, node: ast.expr) -> Any:
    if isinstance(node, ast.List):
        return [_scalar(term, cell) for cell in node.elts]
    return _scalar(term, node)


def _scalar(term: Term, node: ast.expr) -> Number | str:
    value = meaning_of(term, node, 1)
    return value if isinstance(value, str) else needed_number(term, node, value)
