"""Settings shared by all tests: how hard Hypothesis tries."""

import os

from hypothesis import HealthCheck, settings

os.environ.pop("COLUMNS", None)  # what is printed is as wide as needed, unless a test says otherwise

# One example may compose a million steps, so there is no deadline; tests of time live in bench/.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("dev", max_examples=25, **_COMMON)
settings.register_profile("ci", max_examples=10, derandomize=True, print_blob=True, **_COMMON)
settings.register_profile("deep", max_examples=2000, **_COMMON)
# A red test must be red again on the next run, so the derandomised profile is what runs unless another is asked for.
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
