"""Every command in the README and the docs works as printed: it ends well, and prints what stands below it."""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from distributed import LocalCluster

from tightbudget.interfaces.cli import main
from tightbudget.research.studies.timing import synthetic

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PLAN = re.findall(
    r"^```toml\n(.*?)^```", (ROOT / "docs/how-to/sweep.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)[0]


@contextmanager
def scheduler(command: str) -> Iterator[str]:
    """Yield the address of a cluster, where the command names one."""
    if "--scheduler" not in command:
        yield ""
        return
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


def examples() -> list[tuple[str, str, str]]:
    """Return the page, the command and the lines below it, for each command.

    Those that take minutes are left out, those on a ledger, which go on from each other (test_ledger_examples), and the
    service, which does not end (test_service).
    """
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for piece in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, below = piece.partition("\n")
                alone = not any(
                    word in command for word in ("reproduce", "COMMAND", "tightbudget ledger ", "tightbudget serve")
                )
                if command.startswith("tightbudget ") and alone:
                    found.append((page.name, command, below))
    return found


def test_there_are_examples() -> None:
    assert len(examples()) >= 10


@pytest.mark.parametrize(("page", "command", "below"), examples())
def test_an_example_works_as_printed(
    page: str, command: str, below: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name, active in (("active", True), ("passive", False)):
        Path(f"{name}.csv").write_text("\n".join(map(str, synthetic(2000, active=active, seed=0).tolist())))
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    with scheduler(command) as address:
        arguments = shlex.split(re.sub(r"tcp://\S+", address, command), comments=True)[1:]
        assert main(arguments) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    if below.endswith("...\n"):  # the page shows how it begins
        assert shown.out.startswith(below.removesuffix("...\n"))
    else:
        assert below in ("", shown.out)
    for written in re.findall(r"--(?:plot|csv) ([^-]\S*)", command):
        assert Path(written).stat().st_size > 0
