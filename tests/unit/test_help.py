"""`help(tb.Gaussian)`: what each argument means and may be, and an example, first of all and within 80 columns."""

import inspect
import pydoc

import pytest

import tightbudget as tb

MECHANISMS = [
    name
    for name in tb.__all__
    if inspect.isclass(getattr(tb, name)) and issubclass(getattr(tb, name), tb.Mechanism) and name != "Mechanism"
]
FUNCTIONS = [name for name in tb.__all__ if inspect.isfunction(getattr(tb, name))]
ANSWERS = ["Accountant", "Bracket", "Brackets", "Comparison", "Composition", "Curve"]


def first_page(name: str) -> list[str]:
    """Return the lines of the help that come before the list of methods."""
    lines = pydoc.plain(pydoc.render_doc(getattr(tb, name))).splitlines()
    return lines[2 : lines.index(" |  Method resolution order:")]


def test_there_are_mechanisms_and_functions() -> None:
    assert len(MECHANISMS) >= 16
    assert {"calibrate", "compare", "compose", "dpsgd", "parse", "risk", "sweep"} <= set(FUNCTIONS)


@pytest.mark.parametrize("name", MECHANISMS)
def test_help_of_a_mechanism_says_what_each_argument_means(name: str) -> None:
    page = first_page(name)
    assert max(map(len, page[3:])) <= 80
    described = {line.removeprefix(" |  ").split("  ")[0] for line in page if line.startswith(" |  ")}
    assert set(inspect.signature(getattr(tb, name)).parameters) <= described
    assert any("Neighbours: " in line for line in page)
    assert any(line.startswith(" |  >>> print(") for line in page)


@pytest.mark.parametrize("name", [*FUNCTIONS, *ANSWERS])
def test_public_functions_and_answers_have_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(getattr(tb, name)) or "")


@pytest.mark.parametrize("name", tb.__all__)
def test_every_public_name_is_explained(name: str) -> None:
    assert name == "__version__" or (inspect.getdoc(getattr(tb, name)) or "").strip()


@pytest.mark.parametrize("method", ["curve", "delta", "epsilon"])
def test_signatures_are_short(method: str) -> None:
    """NumPy spells out what an ArrayLike is in 400 characters."""
    assert len(str(inspect.signature(getattr(tb.Gaussian, method)))) < 250
