"""The JSON shapes."""

import json
import math

import numpy as np

import tightbudget as tb
from tightbudget.interfaces import wire
from tightbudget.numerics.bracket import Bracket


def test_floats_survive_and_infinities_have_names() -> None:
    answer = Bracket(0.1, math.inf, converged=False, reason="because", relation="add_remove")
    shape = json.loads(wire.dumps(wire.bracket("nothing", {"delta": 1e-300}, answer, 1e-3)))
    assert shape["lower"] == 0.1
    assert shape["upper"] == "inf"
    assert shape["delta"] == 1e-300
    assert shape["converged"] is False
    assert shape["reason"] == "because"


def test_a_curve_is_three_lists() -> None:
    curve = tb.Curve(np.array([0.0, 1.0]), np.array([0.0, 0.0]), np.array([0.5, 0.25]), True, "add_remove")
    shape = wire.curve("nothing", curve)
    assert json.loads(wire.dumps(shape))["upper"] == [0.5, 0.25]
