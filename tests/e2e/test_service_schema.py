"""The service against the document that describes it, and against bodies and headers that make no sense."""

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import allow_header_conformance, positive_data_acceptance, unsupported_method
from tests.support.nonsense import nonsense
from tests.support.running_service import Running, running_service

from tightbudget.interfaces.api.app import create_app
from tightbudget.interfaces.api.settings import Settings

pytestmark = pytest.mark.slow

RANDOM_REQUESTS = int(os.environ.get("TIGHTBUDGET_RANDOM_REQUESTS", "2000"))  # `make test-faults` sends 10^5
DOCUMENT = create_app(Settings()).openapi()
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)
INSIDES = ("Traceback", "site-packages", ".py", "sqlalchemy", "0x7f")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    often = ("--token-rate", "1000000000", "--anonymous-rate", "1000000000")
    with running_service(tmp_path_factory.mktemp("service"), "--time-limit", "0.3", *often) as service:
        service.ask("budgets", service.token, name="census", epsilon=1, delta=1e-6)
        yield service


@SCHEMA.parametrize()
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_the_document_says(case: Any, running: Running) -> None:
    # What is of the right form may still be refused: no schema says which notation has a meaning.
    left_out = [positive_data_acceptance]
    if case.path == "/login":  # the document has the form that is sent there, not the page at the same address
        left_out += [allow_header_conformance, unsupported_method]
    case.call_and_validate(base_url=running.address, headers=running.bearer, timeout=60, excluded_checks=left_out)


def test_no_random_request_breaks_it_or_learns_of_its_insides(running: Running) -> None:
    """Bodies near to those of the document and far from them, headers of all kinds: no 5xx, one shape of errors."""
    rng, statuses = random.Random(15), Counter[int]()
    with httpx2.Client(base_url=running.address, timeout=60) as client:
        for _ in range(RANDOM_REQUESTS):
            asked = nonsense(rng, DOCUMENT, running.token)
            answered = client.request(asked.method, asked.path, content=asked.body, headers=asked.headers)
            client.cookies.clear()
            statuses[answered.status_code] += 1
            assert answered.status_code < 500, asked
            if asked.method == "HEAD":
                assert not answered.content
            elif answered.status_code >= 400:
                assert set(answered.json()) == {"code", "message", "fields"}, asked
                assert not [word for word in INSIDES if word in answered.text], (asked, answered.text)
            elif answered.headers.get("content-type", "").startswith("application/json"):
                json.loads(answered.text, parse_constant=pytest.fail)
    assert {200, 400, 401, 404, 405, 415, 422} <= set(statuses), statuses
    assert running.get("/ready").status_code == 200
    assert not [entry for entry in running.log if entry["message"] == "failed"]
