"""Compositions with one number left open: `?`, wherever a number stands."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms import BY_NAME, Mechanism, compose
from tightbudget.mechanisms.relations import mix_relations_asked
from tightbudget.notation.arithmetic import Number
from tightbudget.notation.expressions import check_length, check_there
from tightbudget.notation.faults import fault
from tightbudget.notation.meaning import Private, as_number, as_private
from tightbudget.notation.signatures import mechanism_arguments
from tightbudget.notation.sums import HOLE, OPEN, split_sum, tokens
from tightbudget.notation.terms import Term

_EXAMPLE = "as in 'gaussian(sigma=?) * 10'"


@dataclass(frozen=True, eq=False)
class Template:
    """A composition whose `?` is not known yet; the terms of the sum that lack it are read once."""

    text: str
    mix_relations: bool
    _before: tuple[Private, ...]
    _term: Term
    _after: tuple[Private, ...]

    @classmethod
    def of(cls, text: str, mix_relations: bool = False) -> "Template":
        """Read a template.

        >>> template = Template.of("gaussian(sigma=2 * ?) * 10 + laplace(scale=3)")
        >>> print(template.filled(1.5))
        gaussian(sigma=3.0) * 10 + laplace(scale=3)
        >>> template.argument, template.whole
        ('sigma', False)
        """
        if not isinstance(text, str):
            raise InvalidParameter("template", text, f"a string in the notation with one ?, {_EXAMPLE}, or a function")
        check_length(text)
        _check_one_open(text)
        mixed = mix_relations_asked(mix_relations)
        terms = []
        for start, source in split_sum(text, template=True):
            check_there(text, start, source)
            terms.append(Term.unindented(text, start, source, mixed))
        (place,) = (i for i, term in enumerate(terms) if HOLE in _names_in_template(term.tree()))
        known = [None if i == place else as_private(term, term.tree()) for i, term in enumerate(terms)]
        before, after = (tuple(part for part in parts if part is not None) for parts in (known[:place], known[place + 1 :]))
        return cls(text, mixed, before, terms[place], after)

    def filled(self, number: Number) -> Private:
        """Return the composition with this number in place of `?`."""
        term = replace(self._term, hole=number)
        private = as_private(term, self._tree)
        if not (self._before or self._after):
            return private
        return compose([*self._before, private, *self._after], self.mix_relations)

    def written(self, number: Number) -> str:
        """Return the text with this number in place of `?`."""
        place = next(token.start() for token in tokens(self.text) if token.group() == OPEN)
        return f"{self.text[:place]}{number!r}{self.text[place + 1 :]}"

    @property
    def argument(self) -> str:
        """The name of the argument that depends on `?`; that of repetitions is "count"."""
        return self._slot.argument

    @property
    def whole(self) -> bool:
        """Whether that argument must be a whole number."""
        call = self._slot.call
        field = None if call is None else mechanism_arguments(_called_in_template(call)).get(self.argument)
        return call is None or (field is not None and (field.type in (int, "int") or "whole" in field.metadata))

    def mechanism(self, number: Number) -> Mechanism | None:
        """Return the mechanism whose argument depends on `?`, with this number in place of it; None of a count."""
        if self._slot.call is None:
            return None
        found = as_private(replace(self._term, hole=number), self._slot.call)
        return found if isinstance(found, Mechanism) else next((step for step, _ in found.items), None)

    def argument_at(self, number: Number) -> Number:
        """Return what the argument is with this number in place of `?`."""
        return as_number(replace(self._term, hole=number), self._slot.value, 0)

    @cached_property
    def _tree(self) -> ast.expr:
        return self._term.tree()

    @cached_property
    def _slot(self) -> "_TemplateSlot":
        return _slot_of_template(self._tree)


@dataclass(frozen=True, slots=True)
class _TemplateSlot:
    """Where `?` stands: in the value of an argument of a call, or, without a call, in a count."""

    call: ast.Call | None
    argument: str
    value: ast.expr


def _check_one_open(text: str) -> None:
    """Refuse a text without `?`, with two of them, or with one where no number can stand."""
    found = None
    before, operand = "", False
    for token in tokens(text):
        kind, piece = token.lastgroup, token.group()
        if kind == "space":
            continue
        if before == OPEN and (piece in "(=" or kind in ("number", "name", "string")):
            not_a = {"(": "a mechanism", "=": "the name of an argument"}.get(piece)
            wrong = f"? stands for a number, not for {not_a}" if not_a else "An operator is missing after the ?"
            raise fault(f"{wrong}; write it where a number stands, {_EXAMPLE}", text, token.start() - (not_a is not None))
        if piece == OPEN:
            if found is not None:
                raise fault("Only one ? can be solved for, and this is the second; write a number here", text, token.start())
            if operand:
                raise fault("An operator is missing before the ?", text, token.start())
            found = token.start()
        before, operand = piece, kind in ("number", "name", "string", "close")
    if found is None:
        raise fault(f"There is nothing to solve for; write ? in place of one number, {_EXAMPLE}", text, 0)


def _names_in_template(tree: ast.AST) -> Iterator[str]:
    return (node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


def _called_in_template(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    return call.func.id


def _slot_of_template(tree: ast.expr) -> _TemplateSlot:
    """Walk down to `?`, and remember the last argument that is a number, or else the number of repetitions."""
    slot = _TemplateSlot(None, "count", tree)
    node = tree
    while not (isinstance(node, ast.Name) and node.id == HOLE):
        child = next(child for child in ast.iter_child_nodes(node) if HOLE in _names_in_template(child))
        if isinstance(child, ast.keyword):
            child = child.value
        assert isinstance(child, ast.expr)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BY_NAME:
            slot = _TemplateSlot(node, _argument_of_slot(node, child), child)
        elif slot.call is None and not _has_mechanism(child) and _has_mechanism(node):
            slot = _TemplateSlot(None, "count", child)
        node = child
    return slot


def _has_mechanism(node: ast.AST) -> bool:
    return any(name in BY_NAME or name == "nothing" for name in _names_in_template(node))


def _argument_of_slot(call: ast.Call, value: ast.expr) -> str:
    for keyword in call.keywords:
        if keyword.value is value:
            return str(keyword.arg)
    place = call.args.index(value)
    return ([*mechanism_arguments(_called_in_template(call)), ""] + [""] * place)[place]
