"""Settings shared by all tests: how hard Hypothesis tries, and how many cases of a test are run."""

import os
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, settings

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


@pytest.hookimpl(trylast=True)  # after -m and -k have chosen
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    most = config.getoption("--cases")
    if most is None:
        return
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = {
        found[i * len(found) // most] if len(found) > most else found[i]
        for found in cases.values()
        for i in range(min(most, len(found)))
    }
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
