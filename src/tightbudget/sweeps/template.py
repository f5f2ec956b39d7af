"""A composition with named gaps, as in `poisson(gaussian(sigma={sigma}), q={q}) * {steps}`."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter, NotationError
from tightbudget.mechanisms import BY_NAME
from tightbudget.notation import parse
from tightbudget.notation.signatures import mechanism_arguments
from tightbudget.sweeps.values import Value

UNKNOWN = "?"  # what is calibrated
_GAP = re.compile(r"\{\s*([^\W\d]\w*)\s*\}")
# Neighbours share most if only the number of steps differs, less with another noise, least at another sampling rate.
_COUNT, _NOISE, _RATE, _OTHER = 3, 2, 1, 0
_SHARING = {"sigma": _NOISE, "scale": _NOISE, "mu": _NOISE, "q": _RATE}


@dataclass(frozen=True)
class SweepTemplate:
    """Text in the notation with gaps; names[i] is the parameter of values[i]."""

    text: str

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The parameters, in the order in which they first stand there."""
        return tuple(dict.fromkeys(_GAP.findall(self.text)))

    @property
    def calibrates(self) -> bool:
        """Whether the composition itself has an unknown, written `?`."""
        return UNKNOWN in re.sub(r"\"[^\"]*\"|'[^']*'", "", self.text)

    def filled(self, values: Mapping[str, Value]) -> str:
        """Return the composition at a point."""
        if (whole := _GAP.fullmatch(self.text)) is not None:
            return str(values[whole[1]])  # as it was written, so that a fault is shown in its place
        return _GAP.sub(lambda gap: _value_in_template(values[gap[1]]), self.text)

    def check(self, first: Mapping[str, Value], mix_relations: bool) -> None:
        """Refuse text that is no composition whatever stands in its gaps; a point may still be refused by itself.

        Ones fit most gaps. Where they do not, the first point decides.
        """
        for values in ({name: 1 for name in self.names}, first):
            try:
                parse(self.filled(values).replace(UNKNOWN, "1"), mix_relations)
                return
            except NotationError as found:
                problem = found
            except InvalidParameter:
                return  # of this point
        raise problem

    def by_sharing(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the parameters so that those come last whose change leaves most of the work the same."""
        roles = self._roles
        return tuple(sorted(names, key=lambda name: roles.get(name, _OTHER)))  # a stable order: ties stay as written

    def backwards(self, name: str, values: Sequence[Value]) -> bool:
        """Whether values are better gone through from the last one: less and less noise, or larger and larger samples.

        The other way round each composition dominates those after it, and bounds on it hold for them too (M3).
        """
        first, last, role = values[0], values[-1], self._roles.get(name, _OTHER)
        if isinstance(first, str) or isinstance(last, str):
            return False
        return first < last if role == _RATE else role == _NOISE and first > last

    @cached_property
    def _roles(self) -> dict[str, int]:
        try:
            tree = ast.parse(self.text.replace(UNKNOWN, "1").strip(), mode="eval")  # {sigma} is a set to Python
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return {}
        roles = dict.fromkeys(self.names, _OTHER)
        for node in ast.walk(tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
                roles.update(dict.fromkeys(_gaps_of_node(node.left) + _gaps_of_node(node.right), _COUNT))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                roles.update(
                    {name: _SHARING[argument] for argument, name in _arguments_with_gaps(node) if argument in _SHARING}
                )
        return roles


def _arguments_with_gaps(call: ast.Call) -> list[tuple[str, str]]:
    """Return each argument of a mechanism that has gaps, with their names."""
    assert isinstance(call.func, ast.Name)
    positional = zip(mechanism_arguments(call.func.id) if call.func.id in BY_NAME else (), call.args, strict=False)
    named = ((keyword.arg or "", keyword.value) for keyword in call.keywords)
    return [(argument, name) for argument, given in (*positional, *named) for name in _names_within(given)]


def _gaps_of_node(node: ast.AST) -> list[str]:
    """Return the name of a gap that a node is, as a list."""
    match node:
        case ast.Set(elts=[ast.Name(id=name)]):
            return [name]
    return []


def _names_within(node: ast.AST) -> list[str]:
    return [name for inner in ast.walk(node) for name in _gaps_of_node(inner)]


def _value_in_template(value: Value) -> str:
    """Return a value as it stands in the notation; what could bind otherwise in its place has brackets round it."""
    if isinstance(value, str):
        return f"({value})"
    return repr(value) if value >= 0 else f"({value!r})"
