"""Pictures: always drawn, always the same, and a missing package named."""

import builtins
from typing import Any

import numpy as np
import pytest
from tests.support.lanes import mostly_slow

import tightbudget as tb
from tightbudget.interfaces import figures, plot

pytestmark = pytest.mark.slow

EPSILONS = np.linspace(0.0, 4.0, 21)
FALLING = np.exp(-(EPSILONS**2))
ZERO = np.zeros_like(EPSILONS)


def drawn(lower: Any, upper: Any, epsilons: Any = EPSILONS) -> tb.Curve:
    return tb.Curve(epsilons, lower, upper, True, "add_remove")


@pytest.mark.parametrize(
    "curve",
    mostly_slow(
        [
            drawn(FALLING * 0.999, FALLING),
            drawn(ZERO, FALLING),
            drawn(ZERO, ZERO),
            drawn(ZERO + 1.0, ZERO + 1.0),
            drawn(FALLING * 1e-290, FALLING * 1e-289),
            drawn(ZERO, ZERO + 5e-324),
            drawn(np.array([0.1, 0.1]), np.array([0.2, 0.2]), np.array([0.0, np.inf])),
            drawn(np.array([0.1]), np.array([0.2]), np.array([1.0])),
        ],
        every=8,
    ),
)
@pytest.mark.parametrize("file_format", mostly_slow(["png", "svg"], every=2))
def test_any_curve_can_be_drawn_and_gives_the_same_bytes_again(curve: tb.Curve, file_format: str) -> None:
    first = plot.draw_curve(curve, "gaussian(sigma=1) * 10", file_format)
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml"}[file_format])
    assert plot.draw_curve(curve, "gaussian(sigma=1) * 10", file_format) == first


@pytest.mark.parametrize(
    "expression", mostly_slow(["nothing", "gaussian(sigma=1) + " * 50, "x" * 1000, 'histograms("$a_1$.csv")'], every=4, first=3)
)
def test_any_expression_can_be_a_title(expression: str) -> None:
    assert plot.draw_curve(drawn(ZERO, FALLING), expression)


def test_a_missing_matplotlib_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_matplotlib(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real_import(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(tb.MissingExtra, match="pip install matplotlib ") as caught:
        figures.require_matplotlib()
    assert "pip install '.[plot]'" in str(caught.value)
    assert "tightbudget[" not in str(caught.value)  # no index has it, so this would fail
