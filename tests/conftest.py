"""Settings shared by all tests: how hard Hypothesis tries, and how many cases of a test are run."""

import gc
import os
from collections import defaultdict
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings
from tests.support.lanes import evenly_spread, few_cases

os.environ.pop("COLUMNS", None)  # what is printed is as wide as needed, unless a test says otherwise

# One example may compose a million steps, so there is no deadline; tests of time live in bench/.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("dev", max_examples=25, **_COMMON)
settings.register_profile("ci", max_examples=10, derandomize=True, print_blob=True, **_COMMON)
settings.register_profile("deep", max_examples=2000, **_COMMON)
# A red test must be red again on the next run, so the derandomised profile is what runs unless another is asked for.
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cases", type=int, metavar="N", help="run N cases of each test at the most, evenly spread")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without looking for garbage: tests and what they import stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()  # and no freeze(): Hypothesis looks for referrers among what is not frozen


@pytest.hookimpl(trylast=True)  # after all cases are known
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Leave out cases before pytest makes tests of them, which takes longer than most of them do."""
    config = metafunc.config
    chosen_otherwise = config.getoption("keyword") or any("[" in argument for argument in config.args)
    if config.getoption("--cases") is not None and config.getoption("markexpr") == "not slow" and not chosen_otherwise:
        metafunc._calls = few_cases(metafunc, config.getoption("--cases"))


@pytest.hookimpl(trylast=True)  # after -m and -k have chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    most = config.getoption("--cases")
    if most is None:
        return
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = {item for found in cases.values() for item in evenly_spread(found, most)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
