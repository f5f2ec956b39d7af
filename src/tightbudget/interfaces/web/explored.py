"""What a visitor of the explorer asks for: the words of the form, and the questions they make."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from pydantic import BaseModel

from tightbudget.interfaces.api import bodies
from tightbudget.interfaces.api.meaning import Question
from tightbudget.interfaces.api.problems import Problem
from tightbudget.numerics.typed import typed_number

TRAINING, NOTATION = "train", "notation"
USUAL = {
    "mode": TRAINING,
    "examples": "60000",
    "batch": "256",
    "epochs": "20",
    "noise": "1.1",
    "expression": "gaussian(sigma=20) * 100 + laplace(scale=50) * 10",
    "delta": "1e-5",
    "target": "1",
    "fpr": "0.01",
    "prior": "0.5",
}
_OF_MODE = {
    TRAINING: ("mode", "examples", "batch", "epochs", "noise", "delta", "target", "fpr", "prior"),
    NOTATION: ("mode", "expression", "delta", "target", "fpr", "prior"),
}
_LONGEST = 4000
_NOISE = re.compile(r"\b(sigma|scale)\s*=\s*[0-9.eE+-]+")


@dataclass(frozen=True)
class Explored:
    """The form as it was filled in; what is left out is as usual."""

    words: Mapping[str, str]

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Explored":
        words = {name: query.get(name, usual).strip()[:_LONGEST] or usual for name, usual in USUAL.items()}
        if words["mode"] not in _OF_MODE:
            words["mode"] = TRAINING
        return cls(words)

    def __getitem__(self, name: str) -> str:
        return self.words[name]

    @property
    def is_training(self) -> bool:
        return self["mode"] == TRAINING

    @property
    def query(self) -> str:
        """The part of the page's address that makes it a link to this very question."""
        return urlencode({name: self[name] for name in _OF_MODE[self["mode"]]})

    def number(self, name: str) -> float | int:
        """Return a number as it was typed."""
        text = self[name].replace(" ", "").replace("_", "")
        try:
            return int(text) if re.fullmatch(r"[+-]?\d{1,300}", text) else _finite_in_form(text)
        except ValueError:
            said = f"{name} must be a number such as {USUAL[name]}, not {self[name]!r}"
            raise Problem(422, "invalid_parameter", f"{said}.", {name: said}) from None

    def rate(self, name: str) -> float:
        """Return a number above 0 and below 1."""
        number = float(self.number(name))
        if not 0.0 < number < 1.0:
            said = f"{name} must be above 0 and below 1, not {self[name]}"
            raise Problem(422, "invalid_parameter", f"{said}.", {name: said})
        return number

    def question(self) -> tuple[str, Question]:
        """Return the kind of the question whose answer comes first, and the question."""
        if self.is_training:
            return "dpsgd", _checked_exploration(bodies.TrainingAsked, **self._run(), noise_multiplier=self.number("noise"))
        return "epsilon", _checked_exploration(bodies.EpsilonAsked, expression=self["expression"], delta=self.number("delta"))

    def noise_question(self) -> tuple[str, Question] | None:
        """Return the question how much noise keeps the target; None if there is no noise to choose."""
        target, delta = self.number("target"), self.number("delta")
        if self.is_training:
            return "dpsgd", _checked_exploration(bodies.TrainingAsked, **self._run(), target_epsilon=target)
        template, found = _NOISE.subn(lambda noise: f"{noise[1]}=?", self["expression"], count=1)
        if not found:
            return None
        return "calibrate", _checked_exploration(
            bodies.CalibrationAsked, expression=template, epsilon=target, delta=delta, rtol=1e-4
        )

    def risk_question(self, expression: str) -> Question:
        rates = sorted({1e-4, 1e-3, 1e-2, 1e-1, self.rate("fpr")})
        given = {"delta": self.number("delta"), "prior": self.rate("prior"), "rtol": 1e-2, "fprs": rates}
        return _checked_exploration(bodies.RiskAsked, expression=expression, **given)

    def comparison_question(self, expression: str) -> Question:
        return _checked_exploration(bodies.ComparisonAsked, expression=expression, delta=self.number("delta"))

    def copies(self, origin: str) -> dict[str, str]:
        """Return the same question for Python, the command and the API, and the link to it."""
        link = f"{origin}/?{self.query}"
        if not self.is_training:
            expression, delta = self["expression"], self.number("delta")
            quoted = expression.replace("'", "'\\''")
            return {
                "Python": f"import tightbudget as tb\n\ntb.parse({expression!r}).epsilon(delta={delta!r})",
                "CLI": f"tightbudget epsilon '{quoted}' --delta {delta!r}",
                "JSON": json.dumps({"expression": expression, "delta": delta}, ensure_ascii=False),
                "Link": link,
            }
        given = {**self._run(), "noise_multiplier": self.number("noise")}
        written = ", ".join(f"{name}={value!r}" for name, value in given.items())
        return {
            "Python": f"import tightbudget as tb\n\ntb.dpsgd({written})",
            "CLI": "tightbudget dpsgd " + " ".join(f"--{name.replace('_', '-')} {value!r}" for name, value in given.items()),
            "JSON": json.dumps(given),
            "Link": link,
        }

    def _run(self) -> dict[str, Any]:
        return {name: self.number(name) for name in ("examples", "batch", "epochs", "delta")}


def _checked_exploration(body: type[BaseModel], **given: Any) -> Question:
    return body.model_validate(given).model_dump()


def _finite_in_form(text: str) -> float:
    number = typed_number(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number
