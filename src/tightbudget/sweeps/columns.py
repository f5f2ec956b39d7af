"""Answers as columns: arrays by name, a row for each question at each point."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.sweeps.answers import PointAnswer
from tightbudget.sweeps.spaces import Space
from tightbudget.sweeps.values import Value

Columns = Mapping[str, NDArray[Any]]

KINDS: Mapping[str, type] = {
    "question": str,
    "target": str,
    "lower": float,
    "upper": float,
    "value": float,
    "converged": bool,
    "reason": str,
    "relation": str,
    "seconds": float,
    "error": str,
}
_DTYPES: Mapping[type, Any] = {str: object, float: np.float64, int: np.int64, bool: np.bool_}


def column_kinds(space: Space) -> dict[str, type]:
    """Return the kind of every column, in their order: the point, its parameters, the question and its answer."""
    return {"point": int, **{name: type(space.values(name)[0]) for name in space.names}, **KINDS}


def answer_columns(space: Space, answers: Sequence[PointAnswer]) -> Columns:
    """Return the answers as arrays by column; text is in arrays of objects."""
    found: dict[str, list[Value]] = {"point": [answer.point for answer in answers]}
    for place, name in enumerate(space.names):
        found[name] = [answer.values[place] for answer in answers]
    for name in KINDS:
        found[name] = [getattr(answer, name) for answer in answers]
    return {name: np.array(found[name], dtype=_DTYPES[kind]) for name, kind in column_kinds(space).items()}


def joined_columns(space: Space, parts: Sequence[Columns]) -> Columns:
    """Return the parts as one, in the order of the plan."""
    if not parts:
        return answer_columns(space, [])
    whole = {name: np.concatenate([part[name] for part in parts]) for name in column_kinds(space)}
    order = np.argsort(whole["point"], kind="stable")  # the questions of a point stay as they are
    return {name: column[order] for name, column in whole.items()}
