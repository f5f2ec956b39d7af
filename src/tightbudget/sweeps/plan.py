"""A plan: compositions, as a template over a grid or a list, and the questions asked of each.

Everything is checked here, before any work is done; only whether a mechanism takes its values is left to the point.
"""

import hashlib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Union

from tightbudget.cached import cached_property
from tightbudget.errors import InvalidParameter
from tightbudget.mechanisms.checks import asked_width, whole_count
from tightbudget.mechanisms.composition import Composable
from tightbudget.mechanisms.relations import mix_relations_asked
from tightbudget.numerics.typed import toml_float
from tightbudget.sweeps.keys import brief_value, check_plan_keys, key_meant
from tightbudget.sweeps.questions import CALIBRATE, DEFAULT_RTOL, Question, questions_of_plan
from tightbudget.sweeps.spaces import Listed, Space, grid_space, listed_space
from tightbudget.sweeps.template import SweepTemplate

KEYS = ("composition", "compositions", "grid", "points", "questions", "rtol", "effort", "mix_relations", "batch")
LISTED = "composition"  # the parameter of a plan that lists compositions
RESERVED = ("point", "question", "target", "lower", "upper", "value", "converged", "reason", "relation", "seconds", "error")
MOST_POINTS = 100_000_000
# A batch is a task: long enough that handing it over costs nothing and neighbours in it save one another work
# (bench/sharing.py), short enough that all workers finish together.
LEAST_COST, MOST_COST, BATCHES = 8, 512, 20

PlanLike = Union["SweepPlan", Mapping[str, Any], str, PathLike[str]]


@dataclass(frozen=True)
class SweepPlan:
    """What a sweep will do, down to which points make which batch: that depends on the plan and nothing else."""

    template: SweepTemplate
    space: Space
    questions: tuple[Question, ...]
    mix_relations: bool
    points_per_batch: int

    @property
    def batches(self) -> int:
        return -(-self.space.size // self.points_per_batch)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that the answers depend on."""
        digest = hashlib.sha256()
        settings = (self.template.text, self.mix_relations, self.points_per_batch, type(self.space).__name__)
        for piece in (*map(repr, settings), *map(repr, self.questions), *self.space.written()):
            digest.update(piece.encode() + b"\0")
        return digest.hexdigest()


def read_sweep_plan(given: PlanLike) -> SweepPlan:
    """Return the plan of a table, or of a TOML file by its name; one that is read is returned."""
    if isinstance(given, SweepPlan):
        return given
    return _plan_from_table(given if isinstance(given, Mapping) else _plan_from_file(given))


def _plan_from_file(name: str | PathLike[str]) -> Mapping[str, Any]:
    if not isinstance(name, (str, PathLike)):
        raise InvalidParameter("plan", name, "a table, or the name of a TOML file")
    path = Path(name)
    if path.is_dir():
        raise InvalidParameter("plan", str(path), "a TOML file, not a folder")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=toml_float)
    except FileNotFoundError:
        raise InvalidParameter("plan", str(path), "a file that is there") from None
    except UnicodeDecodeError:
        raise InvalidParameter("plan", str(path), "a TOML file, which is text in UTF-8") from None
    except tomllib.TOMLDecodeError as problem:
        raise InvalidParameter(
            "plan", str(path), f"a TOML file; it cannot be read: {_plan_problem_lowercase(problem)}"
        ) from None


def _plan_problem_lowercase(problem: Exception) -> str:
    said = str(problem)
    return said[:1].lower() + said[1:]


def _plan_from_table(given: Mapping[str, Any]) -> SweepPlan:
    check_plan_keys(given, KEYS, "the plan")
    rtol, _, effort = asked_width(given.get("rtol", DEFAULT_RTOL), 0.0, given.get("effort"))
    mix_relations = mix_relations_asked(given.get("mix_relations", False))
    template, space = _points_of_plan(given)
    if "questions" not in given:
        raise InvalidParameter(
            "the plan", sorted(given), "with `questions`", 'For example [{ ask = "epsilon", delta = 1e-6 }].'
        )
    asked = questions_of_plan(given["questions"], rtol, effort)
    _check_names(template, space.names)
    if not 1 <= space.size <= MOST_POINTS:
        raise InvalidParameter("the number of points", space.size, f"at most {MOST_POINTS}")
    _check_unknown(template, space, asked)
    template.check(dict(zip(space.names, space.at(0)[1], strict=True)), mix_relations)
    return SweepPlan(template, space, asked, mix_relations, _points_per_batch(given.get("batch"), space.size, asked))


def _points_of_plan(given: Mapping[str, Any]) -> tuple[SweepTemplate, Space]:
    if ("composition" in given) == ("compositions" in given):
        raise InvalidParameter("the plan", sorted(given), "with one of `composition` and `compositions`")
    if "compositions" in given:
        for key in ("grid", "points"):
            if key in given:
                raise InvalidParameter(key, brief_value(given[key]), "absent beside `compositions`, which has no gaps to fill")
        return SweepTemplate(f"{{{LISTED}}}"), _compositions_of_plan(given["compositions"])
    template = SweepTemplate(_plan_text(given["composition"]))
    if "grid" in given and "points" in given:
        raise InvalidParameter("points", brief_value(given["points"]), "absent beside `grid`", "Give one of them.")
    if "points" in given:
        return template, listed_space(given["points"])
    return template, grid_space(given.get("grid", {}), template)


def _plan_text(composition: Any) -> str:
    if isinstance(composition, Composable):
        return str(composition)
    if not isinstance(composition, str):
        example = "For example 'gaussian(sigma={sigma}) * 10'."
        raise InvalidParameter("composition", brief_value(composition), "text in the notation, with gaps in braces", example)
    return composition.strip()


def _compositions_of_plan(given: Any) -> Listed:
    if isinstance(given, (str, Mapping)) or not isinstance(given, Sequence) or not given:
        raise InvalidParameter(
            "compositions", brief_value(given), "a list of compositions", "For example ['gaussian(sigma=2) * 10']."
        )
    column = tuple(_plan_text(one) for one in given)
    return Listed((LISTED,), (column,), len(column))


def _check_names(template: SweepTemplate, names: tuple[str, ...]) -> None:
    for name in names:
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidParameter("a parameter", name, "a name such as sigma")
        if name in RESERVED:
            raise InvalidParameter("a parameter", name, f"named otherwise than the columns {', '.join(RESERVED)}")
        if name not in template.names:
            hint = key_meant(name, template.names) or f"Its gaps are {', '.join(template.names) or 'none'}."
            raise InvalidParameter("a parameter", name, f"in the composition as {{{name}}}", hint)
    for gap in template.names:
        if gap not in names:
            hint = key_meant(gap, names) or "Put it into `grid` or `points`."
            raise InvalidParameter("the composition", brief_value(template.text), f"given values for {{{gap}}}", hint)


def _check_unknown(template: SweepTemplate, space: Space, asked: Sequence[Question]) -> None:
    """Refuse a `?` that nothing looks for, and a search for one that is not there."""
    texts = (value for name in space.names for value in space.values(name) if isinstance(value, str))
    there = template.calibrates or any(SweepTemplate(text).calibrates for text in texts)
    sought = [question.ask == CALIBRATE for question in asked]
    if there and not all(sought):
        hint = 'Ask to "calibrate" it, and for nothing else.'
        raise InvalidParameter("the composition", brief_value(template.text), "without a `?` to be asked for brackets", hint)
    if any(sought) and not there:
        hint = "For example 'gaussian(sigma=?) * {steps}'."
        raise InvalidParameter("the composition", brief_value(template.text), "given a `?` for what is calibrated", hint)


def _points_per_batch(given: Any, size: int, asked: Sequence[Question]) -> int:
    if given is not None:
        return whole_count(given, "batch", least=1)
    each = sum(question.cost for question in asked)
    return max(1, math.ceil(min(max(size * each / BATCHES, LEAST_COST), MOST_COST) / each))
