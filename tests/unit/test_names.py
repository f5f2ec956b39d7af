"""The public names: there from the start, imported when they are first used, the same objects wherever they are met."""

import ast
import copy
import math
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.loaded import HEAVY, loaded_after, rooms

import tightbudget as tb
from tightbudget import lazy


@pytest.mark.parametrize("program", ["import tightbudget", "import tightbudget as tb; tb.__version__, dir(tb), tb.__all__"])
def test_importing_the_package_loads_nothing_heavy(program: str) -> None:
    loaded = loaded_after(program)
    assert "tightbudget" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_errors_are_at_hand_without_numpy() -> None:
    assert loaded_after("from tightbudget import InvalidParameter, errors").isdisjoint(HEAVY)


@pytest.mark.slow
def test_a_mechanism_loads_the_engine_and_no_more() -> None:
    loaded = loaded_after("import tightbudget as tb; tb.Gaussian(sigma=2.0).epsilon(delta=1e-6)")
    assert {"numpy", "tightbudget.engine"} <= loaded
    assert rooms(loaded) == {"cached", "engine", "errors", "keywords", "lazy", "mechanisms", "numerics", "pairs", "version"}


@pytest.mark.parametrize("name", tb.__all__)
def test_every_public_name_is_there_and_stays_the_same(name: str) -> None:
    value = getattr(tb, name)
    assert value is getattr(tb, name)
    assert name in dir(tb)
    namespace: dict[str, object] = {}
    exec(f"from tightbudget import {name} as found", namespace)
    assert namespace["found"] is value


def test_all_names_at_once() -> None:
    namespace: dict[str, object] = {}
    exec("from tightbudget import *", namespace)
    assert set(tb.__all__) <= set(namespace)


def test_names_are_those_of_the_modules_they_lie_in() -> None:
    from tightbudget.mechanisms.gaussian import Gaussian
    from tightbudget.numerics.bracket import Bracket

    assert tb.Gaussian is Gaussian
    assert tb.Bracket is Bracket
    assert pickle.loads(pickle.dumps(tb.Gaussian(sigma=2.0))) == copy.copy(tb.Gaussian(sigma=2.0)) == tb.Gaussian(2.0)


def test_compositions_pickled_by_earlier_versions_are_read() -> None:
    composition = tb.Gaussian(sigma=2.0) * 3
    here = b"tightbudget.mechanisms.composition"
    written = pickle.dumps(composition, protocol=0)  # names of modules end with the line there, not after a count
    assert here in written
    assert pickle.loads(written.replace(here, b"tightbudget.mechanisms.base")) == composition


@pytest.mark.slow
def test_a_pickle_is_read_by_a_process_that_has_imported_nothing() -> None:
    pickled = pickle.dumps(tb.Poisson(tb.Gaussian(2.0), q=0.1) * 3)
    program = f"import pickle; print(pickle.loads({pickled!r}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "poisson(gaussian(sigma=2.0), q=0.1) * 3\n"


def test_type_checkers_see_the_same_names() -> None:
    """They read what is imported under TYPE_CHECKING, which never runs."""
    tree = ast.parse(Path(tb.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    seen = {alias.asname or alias.name for node in imports for alias in node.names}
    assert seen - {"TYPE_CHECKING", "imported_when_used"} == set(tb.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error_that_helps() -> None:
    with pytest.raises(AttributeError, match="module 'tightbudget' has no attribute 'Gausian'"):
        tb.Gausian  # noqa: B018
    program = "import tightbudget as tb; tb.Gausian"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "Did you mean: 'Gaussian'?" in done.stderr
    assert not hasattr(tb, "__path_to_nowhere__")
    with pytest.raises(ImportError, match="cannot import name 'Gausian' from 'tightbudget'"):
        exec("from tightbudget import Gausian")


def test_a_name_is_looked_up_once() -> None:
    find = lazy.imported_when_used("tests_of_lazy", {"pi": "math:pi", "path": "os.path"})
    module = type(sys)("tests_of_lazy")
    sys.modules["tests_of_lazy"] = module
    try:
        assert find("pi") == module.__dict__["pi"] == math.pi
        assert find("path") is os.path  # the module itself
    finally:
        del sys.modules["tests_of_lazy"]
