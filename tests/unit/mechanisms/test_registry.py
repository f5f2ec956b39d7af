"""Every mechanism is found by its name, and none is imported before it is used."""

import subprocess
import sys

import pytest

import tightbudget as tb
from tightbudget import mechanisms
from tightbudget.mechanisms.registry import ALL, BY_NAME


def test_every_name_is_that_of_its_class() -> None:
    assert len(BY_NAME) == len(ALL) == len(set(ALL)) >= 31
    for name, mechanism in BY_NAME.items():
        assert mechanism.name == name
        assert getattr(tb, mechanism.__name__) is getattr(mechanisms, mechanism.__name__) is mechanism


def test_every_public_mechanism_is_in_the_notation() -> None:
    public = {value for value in (getattr(tb, name) for name in tb.__all__) if isinstance(value, type)}
    assert {one for one in public if issubclass(one, tb.Mechanism) and one is not tb.Mechanism} == set(ALL)


@pytest.mark.slow
def test_one_mechanism_loads_no_other() -> None:
    program = "import sys, tightbudget as tb; tb.Gaussian; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "tightbudget.mechanisms.gaussian" in loaded
    assert {"tightbudget.mechanisms.laplace", "tightbudget.mechanisms.random_allocation"}.isdisjoint(loaded)


def test_what_is_not_there_is_not_found() -> None:
    assert "gauss" not in BY_NAME
    assert set(mechanisms.__all__) <= set(dir(mechanisms))
    with pytest.raises(KeyError):
        BY_NAME["gauss"]
    with pytest.raises(AttributeError):
        mechanisms.Gauss  # noqa: B018
