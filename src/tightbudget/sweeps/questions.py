"""What is asked of every composition of a sweep, and how one bracket answers it.

    { ask = "epsilon", delta = 1e-6 }            { ask = "delta", epsilon = [1, 2] }

A list stands for one question each.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import asked_width, delta_asked, epsilon_asked
from tightbudget.notation import Private
from tightbudget.numerics.bracket import Bracket
from tightbudget.sweeps.keys import as_table, brief, check_keys, meant

EXAMPLE = '{ ask = "epsilon", delta = 1e-6 }'
DEFAULT_RTOL = 1e-3


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question: what it must be given, how each number is checked, how it is answered, what it costs.

    The cost is relative to one bracket of ε; it only sets how many points make a batch.
    """

    needs: Mapping[str, Callable[[Any], float]]
    bracket: Callable[[Private, Mapping[str, float], float, float | None], Bracket]
    cost: float = 1.0


def _epsilon(private: Private, at: Mapping[str, float], rtol: float, effort: float | None) -> Bracket:
    return private.epsilon(at["delta"], rtol=rtol, effort=effort)


def _delta(private: Private, at: Mapping[str, float], rtol: float, effort: float | None) -> Bracket:
    return private.delta(at["epsilon"], rtol=rtol, effort=effort)


KINDS = {
    "epsilon": Kind({"delta": delta_asked}, _epsilon),
    "delta": Kind({"epsilon": epsilon_asked}, _delta),
}


@dataclass(frozen=True, slots=True)
class Question:
    """One number that is asked for, at the numbers in `at`."""

    ask: str
    at: tuple[tuple[str, float], ...]
    rtol: float = DEFAULT_RTOL
    effort: float | None = None

    @property
    def target(self) -> str:
        """What it is asked at, in words.

        >>> Question("epsilon", (("delta", 1e-6),)).target
        'delta=1e-06'
        """
        return ", ".join(f"{name}={value!r}" for name, value in self.at)

    @property
    def cost(self) -> float:
        return KINDS[self.ask].cost

    def bracket(self, private: Private) -> Bracket:
        return KINDS[self.ask].bracket(private, dict(self.at), self.rtol, self.effort)


def questions(given: Any, rtol: float, effort: float | None) -> tuple[Question, ...]:
    """Return every question of a plan, each once."""
    if isinstance(given, (Mapping, str)) or not isinstance(given, Iterable):
        raise InvalidParameter("questions", brief(given), "a list of tables", f"For example [{EXAMPLE}].")
    found = [question for table in given for question in _expanded(table, rtol, effort)]
    if not found:
        raise InvalidParameter("questions", brief(given), "at least one", f"For example [{EXAMPLE}].")
    if len({(question.ask, question.at) for question in found}) < len(found):
        raise InvalidParameter("questions", brief(given), "different from each other: the same is asked twice")
    return tuple(found)


def _expanded(given: Any, rtol: float, effort: float | None) -> list[Question]:
    table = as_table(given, "a question", EXAMPLE)
    if "ask" not in table:
        raise InvalidParameter("a question", brief(dict(table)), "a table with `ask`", f"For example {EXAMPLE}.")
    ask = table["ask"]
    if not isinstance(ask, str) or ask not in KINDS:
        raise InvalidParameter("ask", ask, f"one of {', '.join(KINDS)}", meant(ask, KINDS))
    needs = KINDS[ask].needs
    check_keys(table, ["ask", *needs, "rtol", "effort"], f"the question of {ask}")
    for name in needs:
        if name not in table:
            raise InvalidParameter(
                f"the question of {ask}", brief(dict(table)), f"a table with `{name}`", f"For example {EXAMPLE}."
            )
    width, _, work = asked_width(table.get("rtol", rtol), 0.0, table.get("effort", effort))
    lists = [[(name, check(one)) for one in _each(table[name])] for name, check in needs.items()]
    return [Question(ask, at, width, work) for at in itertools.product(*lists)]


def _each(given: Any) -> list[Any]:
    if isinstance(given, np.ndarray):
        given = given.ravel().tolist()
    return list(given) if isinstance(given, (list, tuple)) else [given]
