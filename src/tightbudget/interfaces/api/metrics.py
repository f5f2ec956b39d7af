"""Numbers for Prometheus. Several workers add up if PROMETHEUS_MULTIPROC_DIR is set before this is imported."""

import os

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
_registry = CollectorRegistry()
_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)

requests = Counter("tightbudget_requests", "Requests answered.", ["method", "route", "status"], registry=_registry)
seconds = Histogram("tightbudget_request_seconds", "Time to answer.", ["route"], buckets=_SECONDS, registry=_registry)
denied = Counter("tightbudget_denied", "Requests denied.", ["code"], registry=_registry)
cache = Counter("tightbudget_cache", "Questions, by whether they were answered before.", ["found"], registry=_registry)
limits = Counter("tightbudget_limits_reached", "Computations stopped by a limit.", ["kind"], registry=_registry)


def latest() -> bytes:
    """Return all of it in the format of Prometheus, of all workers where they share a folder."""
    if os.environ.get(SHARED):
        whole = CollectorRegistry()
        MultiProcessCollector(whole)  # type: ignore[no-untyped-call]
        return generate_latest(whole)
    return generate_latest(_registry)
