"""Write docs/map.md, the tree of src/tightbudget with a line for each file: `python docs/make_map.py`.

Each line is the first sentence of the file's docstring and the names that other files may use. Nothing is imported, so
that it runs without NumPy.
"""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "tightbudget"
PAGE = ROOT / "docs" / "map.md"

HEAD = """\
# Map

Where is what? Every room of `src/tightbudget`, what belongs there and what does not; every file, the question it
answers and the functions and classes it has for others. Words are explained in the [glossary](glossary.md), the order
of the rooms in [decision 0015](decisions/0015-rooms-by-route.md). Methods are in the file of their class, names that
begin with `_` in the file that uses them.

This page is made of the docstrings by `python docs/make_map.py`; a test sees that it is current.
"""


def parsed(file: Path) -> tuple[ast.Module, str]:
    """Return the syntax tree of a file, and its docstring."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return tree, ast.get_docstring(tree) or ""


def first_sentence(docstring: str) -> str:
    """Return the first sentence of a docstring, on one line."""
    paragraph = " ".join(docstring.split("\n\n")[0].split())
    return re.split(r"(?<=[.?!]) (?=[A-Z`])", paragraph)[0]


def public_names(tree: ast.Module) -> list[str]:
    """Return the functions and classes of a file that do not begin with `_`, each once."""
    found = (node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    return [name for name in dict.fromkeys(found) if not name.startswith("_")]


def wrapped(text: str, **options: str) -> str:
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False, **options)


def of_a_file(file: Path) -> str:
    """Return the line of a file: its name, the question it answers, the names in it."""
    tree, docstring = parsed(file)
    names = ", ".join(f"`{name}`" for name in public_names(tree))
    line = f"- `{file.name}`: {first_sentence(docstring)}" + (f" Has {names}." if names else "")
    return wrapped(line, subsequent_indent="  ")


def of_a_room(folder: Path) -> Iterator[str]:
    """Yield the heading of a package, what belongs there and what does not, and its files."""
    _, docstring = parsed(folder / "__init__.py")
    where = folder.relative_to(PACKAGE.parent).as_posix()
    yield f"## {where.removeprefix('tightbudget/')}\n"
    yield wrapped(first_sentence(docstring)) + "\n"
    for part in re.findall(r"^((?:Belongs here|Elsewhere): (?:.+\n?)+?)(?=Elsewhere:|\n|\Z)", docstring, re.MULTILINE):
        yield wrapped(" ".join(part.split())) + "\n"
    lines = [of_a_file(file) for file in sorted(folder.glob("*.py")) if file.name != "__init__.py"]
    if lines:
        yield "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole map."""
    rooms = sorted(file.parent for file in PACKAGE.rglob("__init__.py"))
    return "\n".join([HEAD, *(part for room in rooms for part in of_a_room(room))])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written.")
