"""How long fault runs are: seconds in the ordinary suite, many minutes by `make test-faults`."""

import os

LONG = os.environ.get("TIGHTBUDGET_FAULTS") == "long"


def scaled(short: int, long: int) -> int:
    """Return the count for the run at hand."""
    return long if LONG else short
