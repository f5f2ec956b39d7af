"""Files around the package that no program reads, and what they promise."""

import ast
import re
import runpy
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CI_TARGETS = ["-j2 environments", "check", "opacus-environment", "test-opacus"]


def test_the_index_of_the_mathematics_names_every_page_in_order() -> None:
    pages = [path.stem for path in (ROOT / "docs" / "maths").glob("M*.md")]
    in_order = sorted(pages, key=lambda name: int(re.findall(r"^M(\d+)", name)[0]))
    index = (ROOT / "docs" / "maths" / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[M\d+\]\((.+)\.md\)", index, flags=re.MULTILINE) == in_order


def test_the_index_of_the_documentation_names_every_decision_in_order_and_every_how_to() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
    assert len(decisions) > 20
    assert re.findall(r"\(decisions/(.+?)\)", index) == decisions
    how_to = {path.name for path in (ROOT / "docs" / "how-to").glob("*.md")}
    assert how_to == set(re.findall(r"\(how-to/([^)#]+)", index))


def prose(page: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page that are prose, with their numbers: no code, displayed formula, heading or table."""
    code = formula = False
    for number, line in enumerate(page.splitlines(), start=1):
        text = line.strip()
        starts_code = text.startswith("```")
        shown = not (code or formula or starts_code or text.startswith(("$$", "#", "|")))
        code ^= starts_code
        formula ^= not code and text.count("$$") % 2 == 1
        if shown:
            yield number, line


def test_no_line_of_prose_is_longer_than_120_columns() -> None:
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "bench" / "RESULTS.md", *(ROOT / "docs").rglob("*.md")]
    assert len(pages) > 50
    lines = [(page, number, line) for page in pages for number, line in prose(page.read_text(encoding="utf-8"))]
    assert len(lines) > 1500  # most lines are prose
    assert not [f"{page.relative_to(ROOT)}:{number}" for page, number, line in lines if len(line) > 120]


def docstrings_and_comments(source: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of docstrings, and comments that have a line of their own, with their numbers."""
    lines, tree = source.splitlines(), ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from ((number, lines[number - 1]) for number in range(node.lineno, (node.end_lineno or 0) + 1))
    yield from ((number, line) for number, line in enumerate(lines, start=1) if line.lstrip().startswith("#"))


def test_no_docstring_or_comment_is_wider_than_120_columns() -> None:
    files = sorted(file for folder in ("src", "tests", "bench", "examples", "docs") for file in (ROOT / folder).rglob("*.py"))
    lines = [(path, number, line) for path in files for number, line in docstrings_and_comments(path.read_text("utf-8"))]
    assert len(lines) > 2000
    assert not [f"{path.relative_to(ROOT)}:{number}" for path, number, line in lines if len(line) > 120]


def test_no_entry_of_the_changelog_is_there_twice() -> None:
    entries = re.split(r"^(?=- )", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    beginnings = Counter(" ".join(entry.split())[:60] for entry in entries)
    assert len(entries) > 60
    assert not [beginning for beginning, times in beginnings.items() if times > 1]


def named_files(page: str) -> Iterator[str]:
    """Yield the Python files that a page names, such as `pairs/base.py::Cells` or `classic/{kov,renyi}.py`."""
    for quoted in re.findall(r"`([\w/{},*]+/[\w{},*]+\.py)", page):
        before, names, after = re.fullmatch(r"([^{]*)(?:\{(.*)\})?(.*)", quoted).groups()
        yield from (before + name + after for name in (names or "").split(","))


def test_every_file_that_the_pages_name_is_there() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    named = [(page, file) for page in pages for file in named_files(page.read_text(encoding="utf-8"))]
    assert len(named) > 200
    places = [ROOT, ROOT / "src", ROOT / "src" / "tightbudget", ROOT / "src" / "tightbudget" / "research"]
    assert not [f"{page.name}: {file}" for page, file in named if not any(any(at.glob(file)) for at in places)]


def test_every_link_between_the_pages_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")]
    links = [(page, to) for page in pages for to in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text(encoding="utf-8"))]
    assert len(links) > 100
    assert not [f"{page.name}: {to}" for page, to in links if not (page.parent / to).exists()]
    for page, to in (
        ("README.md", "docs/glossary.md"),
        ("docs/index.md", "glossary.md"),
        ("docs/maths/index.md", "../glossary.md"),
    ):
        assert (ROOT / page, to) in links


def test_no_binary_file_is_kept_but_pictures() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no clone: what is kept is not known")
    kept = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    assert len(kept) > 500
    binary = [path for path in kept if path.is_file() and b"\0" in path.read_bytes()]
    assert not [path.relative_to(ROOT) for path in binary if path.suffix != ".png"]


@pytest.mark.parametrize("there", [True, False])
def test_ci_names_the_measurements_if_they_are_beside_the_clone(there: bool, tmp_path: Path) -> None:
    clone, tools = tmp_path / "clone", tmp_path / "tools"
    for folder in (clone / ".ci", tools, *([tmp_path / "shared" / "data" / "coverup"] if there else [])):
        folder.mkdir(parents=True)
    (clone / ".ci" / "run").write_bytes((ROOT / ".ci" / "run").read_bytes())
    make_stand_in(tools, 'echo "$*: ${TIGHTBUDGET_COVERUP-unset}"')
    done = run_ci(clone, tools)
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == CI_TARGETS
    named = done.stdout.splitlines()[1].removeprefix("check: ").strip()
    assert Path(named).is_dir() if there else named == "unset"
    assert not there or Path(named).is_absolute()


@pytest.mark.parametrize(
    ("fails", "run", "code"),
    [
        ("-j2 environments", CI_TARGETS[:1], 1),
        ("check", CI_TARGETS[:2], 1),
        ("opacus-environment", CI_TARGETS[:3], 0),
        ("test-opacus", CI_TARGETS, 1),
    ],
)
def test_ci_goes_on_without_opacus_only_if_it_cannot_be_installed(
    fails: str, run: list[str], code: int, tmp_path: Path
) -> None:
    clone, tools = tmp_path / "clone", tmp_path / "tools"
    for folder in (clone / ".ci", tools):
        folder.mkdir(parents=True)
    (clone / ".ci" / "run").write_bytes((ROOT / ".ci" / "run").read_bytes())
    make_stand_in(tools, f'echo "$*"; [ "$*" != "{fails}" ]')
    done = run_ci(clone, tools)
    assert done.stdout.splitlines() == run
    assert done.returncode == code
    assert ("was not run" in done.stderr) is (fails == "opacus-environment")


def make_stand_in(tools: Path, does: str) -> None:
    for name, line in (("make", does), ("chromium", "exit 1")):  # a browser that is there is not installed
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)


def run_ci(clone: Path, tools: Path) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(clone / ".ci" / "run")]
    return subprocess.run(command, env={"PATH": f"{tools}:/usr/bin:/bin"}, capture_output=True, text=True, check=False)


def test_unit_tests_lie_where_their_package_does() -> None:
    """Every folder of tests mirrors a package, and every package with code of its own has tests."""
    tests, package = ROOT / "tests" / "unit", ROOT / "src" / "tightbudget"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    packages = {path.parent.relative_to(package) for path in package.rglob("__init__.py")}
    assert len(folders) > 20
    assert not folders - packages
    first = {path.parts[0] for path in packages if path.parts}
    assert not first - {path.parts[0] for path in folders if path.parts}


def test_no_test_changes_where_modules_are_found() -> None:
    """`tests` is found through pytest's `pythonpath`."""
    changed = re.compile(r"sys\.path\b|import conftest|site\.addsitedir")
    files = sorted((ROOT / "tests").rglob("*.py"))
    assert len(files) > 150
    changing = [path for path in files if path != Path(__file__) and changed.search(path.read_text(encoding="utf-8"))]
    assert not changing


def test_what_the_makefile_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w./])(?:tests|bench|examples|src)/[\w./-]+", makefile)
    lowest = re.search(r"^LOWEST_TESTS := ((?:.*\\\n)*.*)$", makefile, flags=re.MULTILINE)
    assert lowest is not None
    assert len(lowest[1].split()) > 3
    assert set(lowest[1].replace("\\\n", " ").split()) <= set(named)
    assert not [path for path in named if not (ROOT / path).exists()]


def test_every_mutation_is_still_of_the_code_and_its_tests_are_there() -> None:
    run = subprocess.run([sys.executable, ROOT / "tests/mutants.py", "--check"], capture_output=True, text=True, check=False)
    assert (run.stdout, run.returncode) == ("", 0)


def test_the_map_of_the_package_is_current() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "make_map.py"))["page"]()
    assert made == (ROOT / "docs" / "map.md").read_text(encoding="utf-8"), "run: python docs/make_map.py"


def test_the_tables_of_dp_accounting_are_current() -> None:
    script = ROOT / "docs" / "make_dp_accounting_tables.py"
    page = (ROOT / "docs" / "reference" / "dp-accounting-tables.md").read_text(encoding="utf-8")
    assert runpy.run_path(str(script))["page"]() == page, "run: python docs/make_dp_accounting_tables.py"


def test_every_file_says_what_it_is_for_and_every_room_what_belongs_elsewhere() -> None:
    files = {file: ast.get_docstring(ast.parse(file.read_text("utf-8"))) for file in (ROOT / "src").rglob("*.py")}
    rooms = {file: text or "" for file, text in files.items() if file.name == "__init__.py"}
    assert len(files) > 250
    assert len(rooms) > 25
    assert not [file for file, text in files.items() if not text or not re.match(r".{20,}[.?:]( |\n|$)", text, re.DOTALL)]
    assert not [file for file, text in rooms.items() if not re.search(r"\nBelongs here: .+\nElsewhere: ", text, re.DOTALL)]
