"""The command starts fast: nothing is loaded before it is used. What is loaded is tested, not how long it takes."""

import ast
import importlib.abc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.loaded import HEAVY, loaded_after, rooms

from tightbudget.interfaces import cli
from tightbudget.interfaces.cli import app, later, library, main, odometer
from tightbudget.research.games import players

pytestmark = pytest.mark.slow

HELP = [
    ["--version"], ["--help"], [], ["nonsense"],
    *([*command, "--help"] for command in (
        ["epsilon"], ["delta"], ["check"], ["calibrate"], ["curve"], ["compare"], ["explain"], ["explain-sampling"], ["dpsgd"],
        ["compute-dp-epsilon"],
        ["reproduce"], ["filter"], ["filter", "compare"], ["study"], ["study", "timing"], ["study", "vuvuzela"], ["odometer"],
        ["odometer", "simulate"], ["odometer", "separation"], ["sweep"], ["convert"], ["serve"],
        ["ledger"], ["ledger", "init"], ["ledger", "budget", "create"], ["ledger", "charge"], ["ledger", "verify"],
        ["ledger", "status"],
    )),
]  # fmt: skip
PROGRAM = "from tightbudget.interfaces.cli import main"
COMMANDS = {f"tightbudget.interfaces.cli.{place.partition(':')[0]}" for _, place, _ in app.COMMANDS}


def test_help_and_the_version_need_nothing_heavy() -> None:
    loaded = loaded_after(f"{PROGRAM}\nfor arguments in {HELP!r}: main(arguments)")
    assert loaded >= COMMANDS
    assert loaded.isdisjoint(HEAVY)
    assert rooms(loaded) == {"errors", "interfaces", "lazy", "numerics", "version"}


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], []])
def test_the_list_of_commands_loads_none_of_them(arguments: list[str]) -> None:
    assert loaded_after(f"{PROGRAM}; main({arguments!r})").isdisjoint(COMMANDS)


def test_a_command_loads_no_other() -> None:
    assert loaded_after(f"{PROGRAM}; main(['study', '--help'])") & COMMANDS <= {
        "tightbudget.interfaces.cli.study",
        "tightbudget.interfaces.cli.questions",  # which knows how to say a note
    }


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", [name for name, _, _ in app.COMMANDS]),
        ("e", ["epsilon"]),
        ("epsilon --", ["--delta", "--rtol", "--mix-relations", "--json", "--help"]),
        ("odometer s", ["simulate", "separation"]),
    ],
)
def test_completion_needs_nothing_heavy(typed: str, expected: list[str]) -> None:
    asked = {
        "_TIGHTBUDGET_COMPLETE": "complete_bash",
        "COMP_WORDS": f"tightbudget {typed}",
        "COMP_CWORD": str(1 + typed.count(" ")),
    }
    loaded = loaded_after(f"{PROGRAM}; main([])", **asked)
    assert set(expected) <= loaded  # what is completed stands among the lines, too
    assert loaded.isdisjoint(HEAVY)


def test_a_question_loads_what_it_uses() -> None:
    loaded = loaded_after(f"{PROGRAM}; main(['epsilon', 'gaussian(sigma=1)', '--delta', '1e-6', '--json'])")
    assert "numpy" in loaded
    assert loaded.isdisjoint({"matplotlib", "rich"})
    assert rooms(loaded) == {
        "cached", "deprecated", "engine", "errors", "interfaces", "keywords", "lazy", "mechanisms", "notation", "numerics",
        "pairs", "version",
    }  # fmt: skip


def test_a_curve_in_a_file_needs_no_picture(tmp_path: Path) -> None:
    asked = ["curve", "gaussian(sigma=1)", "--max", "1", "--points", "3", "--csv", str(tmp_path / "curve.csv")]
    loaded = loaded_after(f"{PROGRAM}; main({asked!r})")
    assert loaded.isdisjoint({"matplotlib", "rich"})
    assert rooms(loaded).isdisjoint({"adaptive", "classic", "research"})


def test_the_module_is_the_same_command() -> None:
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}  # lists every import on standard error
    asked = [sys.executable, "-m", "tightbudget", "--version"]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, env=environment)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout.startswith("tightbudget ")
    assert "tightbudget.version" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.parametrize(("name", "place", "short_help"), app.COMMANDS)
def test_a_command_is_listed_with_its_line(name: str, place: str, short_help: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert f"{name} {short_help}" in " ".join(capsys.readouterr().out.split())
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: tightbudget {name} ")


def test_type_checkers_see_what_commands_use() -> None:
    """They read what is imported under TYPE_CHECKING; each must be what is imported in the end."""
    tree = ast.parse(Path(library.__file__).read_text(encoding="utf-8"))
    seen = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.names[0].asname]
    places = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    assert {node.names[0].name for node in seen} == {key.value for key in places.keys if isinstance(key, ast.Constant)}
    for node in seen:
        namespace: dict[str, object] = {}
        exec(ast.unparse(node), namespace)
        assert getattr(library, node.names[0].name) is namespace[node.names[0].name]


def test_the_adversaries_in_the_help_are_those_there_are() -> None:
    assert tuple(players.odometer_adversaries(1.0)) == odometer.ADVERSARIES


class _CtrlC(importlib.abc.MetaPathFinder):
    """Ctrl-C just when a module is being imported."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        if name == self._module:
            raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("module", "arguments"),
    [("app", ["--version"]), ("questions", ["epsilon", "gaussian(sigma=1)", "--delta", "0.1"])],
)
def test_an_interruption_while_loading_is_no_traceback(
    module: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"{cli.__name__}.{module}"
    later._command_at.cache_clear()  # commands of a process are made once
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.delattr(cli, module, raising=False)
    monkeypatch.setattr(sys, "meta_path", [_CtrlC(name), *sys.meta_path])
    assert main(arguments) == 130
    assert "Interrupted" in capsys.readouterr().err
