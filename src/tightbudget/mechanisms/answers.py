"""What many questions at once are answered with: curves, and arrays of brackets."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.lazy import found_at
from tightbudget.numerics.bracket import Bracket

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from tightbudget.mechanisms.composition import Composable

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """delta at many epsilons: lower[i] <= delta(epsilons[i]) <= upper[i].

    Curves with the same numbers are equal. `print` rounds outward; `plot` draws.

    >>> from tightbudget import Gaussian
    >>> print(Gaussian(sigma=2).curve([0.5, 1.0]))
    epsilon=0.5: delta in [0.05244..., 0.05244...]
    epsilon=1.0: delta in [0.00682..., 0.00682...]
    (add_remove)
    """

    epsilons: "Array"
    lower: "Array"
    upper: "Array"
    converged: bool
    relation: str
    expression: str = ""
    """Of the composition it is of; no part of the value."""
    composition: "Composable | None" = field(default=None, repr=False)
    """What is asked more where a picture needs it; no part of the value."""

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the band between the bounds, which holds between the points too, and return the Matplotlib axes.

        Between points far apart little is known. Where that would be seen, the composition is asked there too.
        Without `ax` they are new ones, which a notebook shows and `.figure.savefig` writes; pyplot is not used.
        """
        axes: Axes = found_at("tightbudget.interfaces.plot:plot_curve")(self, ax)
        return axes

    def __str__(self) -> str:
        """Return a line for each epsilon; what is printed are bounds too."""
        lines = [f"epsilon={epsilon!r}: delta in {bracket}" for epsilon, bracket in self._brackets()]
        return "\n".join([*lines, f"({self.relation})"])

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_table

        note = "" if self.converged else "Some bounds are further apart than asked."
        rows = ((repr(epsilon), bracket) for epsilon, bracket in self._brackets())
        return html_table(("ε", f"δ in ({self.relation})"), rows, self.expression, note)

    def _brackets(self) -> Iterator[tuple[float, Bracket]]:
        ends = zip(*(values.ravel().tolist() for values in (self.epsilons, self.lower, self.upper)), strict=True)
        return ((epsilon, Bracket(lower, upper)) for epsilon, lower, upper in ends)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curve):
            return NotImplemented
        arrays = ("epsilons", "lower", "upper")  # compared whole: == of arrays is an array
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays)
        return same and (self.converged, self.relation) == (other.converged, other.relation)

    __hash__ = None  # type: ignore[assignment]  # as for every object made of arrays


def joined_curves(first: Curve, second: Curve) -> Curve:
    """Return the curve of both, of one composition, in order of epsilon: each bound holds on one side of its own."""
    values = np.concatenate([first.epsilons.ravel(), second.epsilons.ravel()])
    order = np.argsort(values, kind="stable")
    lower = np.concatenate([first.lower.ravel(), second.lower.ravel()])[order]
    upper = np.concatenate([first.upper.ravel(), second.upper.ravel()])[order]
    ends = np.maximum.accumulate(lower[::-1])[::-1], np.minimum.accumulate(upper)
    converged = first.converged and second.converged
    return Curve(values[order], *ends, converged, first.relation, first.expression, first.composition)


class Brackets(np.ndarray[Any, Any]):
    """An array of brackets; `.lower` and `.upper` are the arrays of their ends.

    >>> from tightbudget import Gaussian
    >>> print(f"{Gaussian(sigma=2).delta([0.5, 1.0]):.2f}")
    [[0.05, 0.06] [0.00, 0.01]]
    """

    def __new__(cls, answers: NDArray[Any]) -> "Brackets":
        return np.asarray(answers, dtype=object).view(cls)

    def __str__(self) -> str:
        return np.array2string(np.asarray(self), separator=" ", formatter={"all": str})

    def __format__(self, spec: str) -> str:
        """Return every bracket as the specification says, rounded outward."""
        return np.array2string(np.asarray(self), separator=" ", formatter={"all": lambda one: format(one, spec)})

    def _repr_html_(self) -> str:
        from tightbudget.markup import html_table

        flat = np.asarray(self)
        places = (str(place[0] if flat.ndim == 1 else place) for place in np.ndindex(flat.shape))
        rows = [(place, one, _why_answer_is_wider(one)) for place, one in zip(places, flat.flat, strict=True)]
        heading = ("", "true value in", "wider than asked")
        return html_table(heading, rows) if any(row[2] for row in rows) else html_table(heading[:2], (row[:2] for row in rows))

    @property
    def lower(self) -> Array:
        return np.array([answer.lower for answer in self.flat], dtype=np.float64).reshape(self.shape)

    @property
    def upper(self) -> Array:
        return np.array([answer.upper for answer in self.flat], dtype=np.float64).reshape(self.shape)

    @property
    def width(self) -> Array:
        return np.array([answer.width for answer in self.flat], dtype=np.float64).reshape(self.shape)

    @property
    def estimate(self) -> Array:
        return np.array([answer.estimate for answer in self.flat], dtype=np.float64).reshape(self.shape)

    @property
    def converged(self) -> bool:
        return all(answer.converged for answer in self.flat)

    @property
    def reason(self) -> NDArray[Any]:
        """Why each is not as narrow as asked; empty where it is."""
        return np.array([answer.reason for answer in self.flat], dtype=object).reshape(self.shape)

    @property
    def trace(self) -> NDArray[Any]:  # type: ignore[override]  # an array of brackets has no diagonal sum
        """How each was made."""
        traces = np.empty(self.size, dtype=object)
        traces[:] = [answer.trace for answer in self.flat]
        return traces.reshape(self.shape)


def _why_answer_is_wider(one: object) -> str:
    """Return why a bracket is wider than asked; comparisons of arrays make arrays of other things."""
    return one.reason if isinstance(one, Bracket) and not one.converged else ""
