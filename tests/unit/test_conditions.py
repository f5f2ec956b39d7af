"""Each condition of each theorem is kept by something, and tested at both sides of its limit (`tests/conditions.tsv`).

A line of the table: the page of docs/maths, the condition, what keeps it (a type, a refusal, an assertion, a bound that
widens, or an argument in words), where (a name, or the words), and the tests.
"""

import ast
import importlib
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
KEEPERS = {"type", "refusal", "assertion", "widening", "argument"}


class Condition(NamedTuple):
    page: str
    condition: str
    keeper: str
    where: str
    tests: str


LINES = (ROOT / "tests" / "conditions.tsv").read_text(encoding="utf-8").splitlines()
CONDITIONS = [Condition(*line.split("\t")) for line in LINES]
PAGES = sorted({row.page for row in CONDITIONS})


@cache
def functions_of(path: str) -> frozenset[str]:
    nodes = ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef))


def exists(name: str) -> bool:
    """Whether a dotted name of the package is that of a module, or of something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(["tightbudget", *parts[:end]]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            if not hasattr(found, part):
                return part in getattr(found, "__annotations__", {}) and part == parts[-1]
            found = getattr(found, part)
        return True
    return False


def test_every_page_has_its_conditions() -> None:
    pages = {re.findall(r"^M\d+", path.name)[0] for path in (ROOT / "docs" / "maths").glob("M*.md")}
    assert not pages - set(PAGES)
    assert len(pages) > 30


@pytest.mark.parametrize("page", PAGES)
def test_no_condition_is_open(page: str) -> None:
    rows = [row for row in CONDITIONS if row.page == page]
    assert not [text for text, count in Counter(row.condition for row in rows).items() if count > 1]
    for row in rows:
        assert all(field and field == field.strip() for field in row), row
        assert row.keeper in KEEPERS, row
        if row.keeper != "argument":
            assert all(exists(name) for name in row.where.split(", ")), row
            assert row.tests != "-", row
        for test in row.tests.split(", ") if row.tests != "-" else []:
            path, name, *_ = test.split("::")
            assert name in functions_of(path), row
