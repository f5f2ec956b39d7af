"""What notebooks show: well-formed, escaped, without colours or anything from elsewhere, and bounds as printed."""

import copy
import math
import pickle
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import tightbudget as tb
from tightbudget import markup

NASTY = '<script>alert("1")</script>&amp;$x$'
RUN = tb.Poisson(tb.Gaussian(sigma=1), q=0.01) * 100


PLAN = {
    "composition": "gaussian(sigma={sigma})",
    "grid": {"sigma": [10, 20]},
    "questions": [{"ask": "epsilon", "delta": 1e-6}],
}


@cache
def calibration() -> Any:
    return tb.calibrate("gaussian(sigma=?)", epsilon=1, delta=1e-5, rtol=1e-3)


def shown(value: Any) -> list[str]:
    """Return the texts of all cells, as a browser would show them; the markup must be well-formed."""
    written = value if isinstance(value, str) else value._repr_html_()
    tree = ElementTree.fromstring(f"<div>{written}</div>")
    assert {element.tag for element in tree.iter()} <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    for element in tree.iter():
        assert set(element.attrib) <= {"scope", "style"}
        assert element.get("style", "text-align:left") == "text-align:left"
    return [element.text or "" for element in tree.iter() if element.tag in ("th", "td", "caption", "p")]


def spent(budget: Any) -> Any:
    budget.spend(tb.PureDP(0.01))
    return budget


EVERYTHING = {
    "bracket": lambda: (RUN.epsilon(1e-6), str(RUN.epsilon(1e-6))),
    "wide bracket": lambda: (tb.Bracket(0.0, 1.0, False, "too <hard>", "add_remove"), "too <hard>"),
    "brackets": lambda: (RUN.epsilon([1e-6, 1e-5]), str(RUN.epsilon(1e-5))),
    "brackets in a square": lambda: (RUN.epsilon([[1e-6, 1e-5], [1e-4, 1e-3]]), "(1, 0)"),
    "no brackets": lambda: (RUN.epsilon([]), "true value in"),
    "wide brackets": lambda: (RUN.epsilon([1e-6], rtol=1e-15), "wider than asked"),
    "compared brackets": lambda: (RUN.epsilon([1e-6, 1e-5]) == 0, "False"),
    "mechanism": lambda: (tb.Gaussian(sigma=2), "gaussian(sigma=2)"),
    "composition": lambda: (tb.Gaussian(sigma=2) * 3 + tb.Laplace(scale=4), "laplace(scale=4)"),
    "nothing": lambda: (tb.Composition(), "nothing"),
    "curve": lambda: (RUN.curve([0.5, 1.0]), "1.0"),
    "comparison": lambda: (tb.compare(tb.PureDP(0.1) * 10, delta=1e-6), "KOV, optimal"),
    "accepted quote": lambda: (tb.filters.BasicFilter(1, 0).quote(tb.PureDP(0.1)), "accepted"),
    "refused quote": lambda: (tb.filters.BasicFilter(1, 0).quote(tb.PureDP(2)), "refused"),
    "filter": lambda: (spent(tb.filters.ZCDPFilter(1, 1e-6)), "spent: rho"),
    "filters": lambda: (tb.filters.best(1, 0, tb.PureDP(0.3)), "basic"),
    "odometer": lambda: (spent(tb.odometers.BasicOdometer(1e-6)), "0.01"),
    "calibration": lambda: (calibration(), repr(calibration().value)),
    "risk": lambda: (tb.risk(tb.Gaussian(sigma=2)), str(tb.risk(tb.Gaussian(sigma=2)).tpr(0.01))),
    "roc": lambda: (tb.risk(tb.Gaussian(sigma=2)).roc([0.01, 0.1]), str(tb.risk(tb.Gaussian(sigma=2)).tpr(0.1))),
    "training run": lambda: (
        tb.dpsgd(examples=6000, batch=60, epochs=1, noise_multiplier=1.1, delta=1e-5),
        "DP-SGD training run",
    ),
    "accountant": lambda: (tb.Accountant(), "Accountant of 0 steps"),
    "sweep": lambda: (tb.sweep(PLAN, workers=1), "20"),
    "individual filter": lambda: (tb.individual.ZCDPFilter(1, people=5), "5"),
}


@cache
def made(name: str) -> tuple[Any, str]:
    """Return the object of that name and a text that it shows; computed when a test asks, not when tests are listed."""
    return EVERYTHING[name]()


@pytest.mark.parametrize("name", EVERYTHING)
def test_everything_is_shown(name: str) -> None:
    value, expected = made(name)
    assert expected in shown(value)


def test_every_filter_and_odometer_can_be_shown() -> None:
    for choice in tb.filters.best(1, 1e-6, tb.PureDP(0.3)):
        if choice.filter is not None:
            assert f"{choice.filter.kind} filter" in shown(choice.filter)


@pytest.mark.parametrize("value", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
@pytest.mark.parametrize(
    "name", ["bracket", "brackets", "brackets in a square", "composition", "curve", "comparison", "filter"]
)
def test_copies_show_the_same(name: str, value: Any) -> None:
    original, _ = made(name)
    assert shown(value(original)) == shown(original)
    assert type(value(original)) is type(original)


def test_a_file_name_is_no_markup(tmp_path: Path) -> None:
    file = tmp_path / "<script>alert(1) & '$x$'.csv"
    file.write_text("1,2\n3,4\n", encoding="utf-8")
    measured = tb.Histograms.from_csv(file)
    for value in (measured, measured * 3, tb.compare(measured, delta=0.1)):
        written = value._repr_html_()
        assert "<script" not in written
        assert "$" not in written.replace("&#36;", "")
        assert any(str(measured) in text for text in shown(value))


@pytest.mark.parametrize(
    "make", [lambda: markup.html_record([(NASTY, NASTY)], NASTY), lambda: markup.html_table([NASTY], [[NASTY]], NASTY, NASTY)]
)
def test_every_text_is_escaped(make: Any) -> None:
    written = make()
    assert set(shown(written)) == {NASTY}
    assert "<script" not in written


@pytest.mark.slow
def test_long_tables_show_both_ends() -> None:
    texts = shown(RUN.curve(np.linspace(0.0, 1.0, 501)))
    assert {"0.0", "1.0", "461 more"} <= set(texts)
    assert len(texts) < 100
    assert "500" in shown(tb.Gaussian(1).delta(np.linspace(0.0, 1.0, 501)))
    assert "61 more" not in shown(tb.Gaussian(1).delta([0.5]))


def test_a_long_text_is_cut() -> None:
    many = tb.Histograms([1.0] * 5000, [2.0] * 5000)
    assert len(many._repr_html_()) < 3000
    assert any(text.endswith(" …") for text in shown(many))


def test_ends_are_rounded_outward() -> None:
    from fractions import Fraction

    answer = tb.Bracket(0.123456789, 0.123456999)
    (text,) = [text for text in shown(answer) if text.startswith("[")]
    lower, upper = (Fraction(end) for end in text.strip("[]").split(", "))
    assert lower < Fraction(answer.lower)
    assert Fraction(answer.upper) < upper


def test_a_running_epsilon_is_rounded_up() -> None:
    odometer = tb.odometers.MixtureOdometer(delta=1e-6, tight_at=1)
    odometer.spend(tb.PureDP(0.1))
    (row,) = [row for row in ElementTree.fromstring(odometer._repr_html_()).iter("tr") if row[0].text == "running epsilon"]
    assert float(row[1].text) >= odometer.epsilon
    assert float(repr(odometer).removesuffix(">").split()[-1]) >= odometer.epsilon
    full = tb.odometers.BasicOdometer(0)
    full.spend(tb.ApproximateDP(0.1, 0.1))
    assert full.epsilon == math.inf
    assert "inf" in shown(full)
