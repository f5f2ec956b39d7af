"""The page on the service beside the document that describes it, and its example of a charge."""

import json
import re
from pathlib import Path
from typing import Any

from tests.support.service import Served

from tightbudget.access.roles import Role

PAGE = (Path(__file__).parents[4] / "docs" / "how-to" / "serve.md").read_text(encoding="utf-8")


def test_the_page_has_every_route_of_budgets_with_the_fields_of_its_body(service: Served) -> None:
    document = service.http.get("/openapi.json").json()
    rows = re.findall(r"^\| `([A-Z]+) (/\S+)` \| .+? \| (.*?) ?\|$", PAGE, flags=re.MULTILINE)
    listed = {
        (method, path): {name: bool(bold) for bold, name in re.findall(r"(\*\*)?`(\w+)`", fields)}
        for method, path, fields in rows
    }
    described = {
        (method.upper(), path): _fields_of_body(document, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "budgets" in operation.get("tags", [])
    }
    assert len(described) > 10
    assert listed == described


def _fields_of_body(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, bool]:
    """Return the fields of a body, and whether each is required."""
    if "requestBody" not in operation:
        return {}
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    schema = document["components"]["schemas"][reference.rpartition("/")[2]]
    return {name: name in schema.get("required", []) for name in schema["properties"]}


def test_the_charge_on_the_page_is_answered_as_it_says(service: Served) -> None:
    owner = service.bearer(Role.OWNER)
    terms = {"name": "census", "epsilon": 1, "delta": "1e-6", "filter": "zcdp"}
    made = service.http.post("/v1/budgets", json=terms, headers=owner)
    (path, body) = re.findall(r"8000(/v1/budgets/\S+) .+?-d '(\{.+?\})'", PAGE, flags=re.DOTALL)[0]
    answered = service.http.post(path, content=body, headers={**owner, "Content-Type": "application/json"})
    assert answered.status_code == 200, answered.text
    (shown,) = [
        json.loads(block) for block in re.findall(r"^```json\n(.+?)^```", PAGE, re.MULTILINE | re.DOTALL) if "hash" in block
    ]
    told = answered.json()
    assert set(told) == {*shown, "entry"}
    for name in ("budget", "key", "state", "increment", "sequence", "price", "expires", "reason", "signature"):
        assert told[name] == shown[name]
    fields = service.http.get("/openapi.json").json()["components"]["schemas"]["OneBudget"]["properties"]
    examples = {name: field["examples"][0] for name, field in fields.items() if "examples" in field}
    assert len(examples) == 6
    assert made.json().items() >= examples.items()
