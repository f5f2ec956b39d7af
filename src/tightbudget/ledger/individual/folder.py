"""The folder of balances: what is in it, what it is for, and the lock that keeps a second writer out.

    terms                  which budget of which ledger it is for, how many people, and the secret of its digests
    lock                   locked by whoever has the folder open
    balances-000000012     all balances after the records up to 12
    record-000000013       a charge, or that one was given back (`records.py`)
    costs-000000013        what the charge 13 costs each person, if that differs

Nothing is ever changed in place: files are added, and removed when newer ones make up for them.
"""

import json
import os
import re
import weakref
from dataclasses import asdict, dataclass
from pathlib import Path

from tightbudget.adaptive.individual.files import checked_path, lock_file, unlock_file
from tightbudget.errors import CannotShare, InvalidParameter, LedgerUnavailable
from tightbudget.ledger.entries import Body, canonical
from tightbudget.ledger.individual.whole_files import DRAFT, Draft, damaged, force_folder, read_whole, unavailable

_NAME = re.compile(r"(balances|record|costs)-(\d{9,})")


@dataclass(frozen=True, slots=True)
class Binding:
    """What a folder belongs to. `filter` is as the terms of the budget have it, `secret` never leaves the folder."""

    version: int
    ledger: str
    budget: str
    filter: Body
    people: int
    secret: str

    def __repr__(self) -> str:
        return f"<balances of {self.budget!r}>"


def made_folder(path: str | os.PathLike[str], binding: Binding) -> Path:
    """Make a new folder, readable by its owner only."""
    folder = checked_path(path)
    try:
        folder.mkdir(mode=0o700)
        (folder / "lock").touch(mode=0o600)
        Draft(folder, [canonical(asdict(binding))]).put(folder / "terms")
        force_folder(folder.absolute().parent)
    except FileExistsError:
        hint = "Balances are never overwritten."
        raise InvalidParameter("path", str(folder), "a folder that does not exist yet", hint) from None
    except OSError as problem:
        raise unavailable(folder, problem) from problem
    return folder


def removed_folder(folder: Path) -> None:
    """Remove a folder that was made for a budget that was not."""
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()


class Folder:
    """A folder that is open and locked."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = checked_path(path).absolute()
        if not (self.path / "lock").exists():
            hint = "create_individual_budget, or tightbudget ledger individual create, makes one."
            raise InvalidParameter("path", str(path), "the folder of an individual budget's balances", hint)
        self._locked = lock_file(str(self.path / "lock"))
        self.let_go = weakref.finalize(self, unlock_file, self._locked, os.getpid())
        try:
            self.binding = _read_folder_binding(self.path / "terms")
            self.balances, self.records, self.costs = self._found()
        except BaseException:
            self.let_go()
            raise

    def _found(self) -> tuple[set[int], set[int], set[int]]:
        """Return the numbers of the files there are; remove those that nobody finished."""
        found: dict[str, set[int]] = {"balances": set(), "record": set(), "costs": set()}
        for path in self.path.iterdir():
            if path.name.endswith(DRAFT):
                path.unlink()
            elif name := _NAME.fullmatch(path.name):
                found[name[1]].add(int(name[2]))
        return found["balances"], found["record"], found["costs"]

    def balances_at(self, seq: int) -> Path:
        return self.path / f"balances-{seq:09}"

    def record_at(self, seq: int) -> Path:
        return self.path / f"record-{seq:09}"

    def costs_at(self, seq: int) -> Path:
        return self.path / f"costs-{seq:09}"

    def remove(self, path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except OSError as problem:
            raise unavailable(path, problem) from problem

    def check(self) -> None:
        """Refuse a folder that is no longer the one of its name: others would lock and read the other one."""
        if not self.let_go.alive:
            raise CannotShare("These balances have been let go.", "Open their folder again.")
        try:
            found = os.stat(self.path / "lock")
        except OSError:
            found = None
        if found is None or not os.path.samestat(found, os.fstat(self._locked.fileno())):
            hint = "Nobody was charged. Open the folder again, if its balances are the true ones."
            raise CannotShare(f"{self.path} was replaced or removed and is another folder now.", hint)


def _read_folder_binding(path: Path) -> Binding:
    try:
        fields = json.loads(read_whole(path))
        binding = Binding(**fields)
    except (ValueError, TypeError, RecursionError):
        raise damaged(path) from None
    if binding.version != 1:
        raise LedgerUnavailable(f"{path} was written by another version of tightbudget.", "Upgrade tightbudget.")
    return binding
