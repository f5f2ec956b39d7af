"""The folder of balances: damaged, torn, replaced, full; and that it follows from its journal alone."""

import resource
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.ledger.individual.folder import Binding, made_folder
from tightbudget.ledger.individual.store import MOST_COSTS, MOST_RECORDS, Store
from tightbudget.ledger.individual.whole_files import DRAFT, Draft, read_whole

PEOPLE = 70_000  # more than two chunks
FILTER = {"kind": "individual", "of": "zcdp", "settings": {"budget": "1"}, "store": "s"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return made_folder(tmp_path / "people", Binding(1, "ledger", "people", FILTER, PEOPLE, "5e" * 32))


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    made = Store(folder)
    yield made
    made.let_go()


def amounts(seed: int) -> Any:
    return np.random.default_rng(seed).uniform(0.0, 0.6, PEOPLE)


def charge(store: Store, increment: Any, key: str, ttl: float | None = None) -> Any:
    step = store.read(increment, key)
    return store.charge(step, key, {"increment": step.text}, ttl)


def again(store: Store) -> Store:
    store.let_go()
    return Store(store.folder.path)


def test_balances_and_masks_are_those_of_the_filter_in_memory(store: Store) -> None:
    reference = tb.individual.ZCDPFilter(budget=1, people=PEOPLE)
    masks = {}
    for number in range(10):
        increment: Any = amounts(number) if number % 3 else f"0.{number}1"
        head, mask = charge(store, increment, str(number))
        assert mask.tolist() == reference.spend(increment).tolist()
        masks[head.seq] = mask
        assert np.array_equal(store.filter.balances, reference.balances)
    reopened = again(store)
    assert np.array_equal(reopened.filter.balances, reference.balances)
    for head in reopened.charges:
        assert np.array_equal(reopened.mask(head), masks[head.seq])
    reopened.let_go()


def test_the_folder_stays_small_and_means_the_same(store: Store) -> None:
    charge(store, amounts(99) / 100, "held", ttl=60.0)
    for number in range(MOST_RECORDS + MOST_COSTS + 5):
        charge(store, "0.001" if number % 8 else amounts(number) / 1000, str(number))
    names = [path.name for path in store.folder.path.iterdir()]
    assert sum(name.startswith("balances") for name in names) == 1
    assert sum(name.startswith("costs") for name in names) <= MOST_COSTS + 1
    balances = store.filter.balances.copy()
    reopened = again(store)
    assert np.array_equal(reopened.filter.balances, balances)
    reopened.give_back(reopened.by_key["held"])
    reopened.give_back(reopened.by_key["held"])
    expected = balances - np.ceil(np.round(amounts(99) / 100 * 1e15, 6))
    assert np.abs(reopened.filter.balances - expected).max() <= 1.0
    final = again(reopened)
    assert np.array_equal(final.filter.balances, reopened.filter.balances)
    final.let_go()


@pytest.mark.parametrize("cut", [1, 40, -1])
def test_a_torn_file_is_refused(store: Store, cut: int) -> None:
    charge(store, amounts(1), "a")
    charge(store, "0.1", "b")
    store.let_go()
    for name in ("record-000000001", "record-000000002", "costs-000000001", "terms"):
        path = store.folder.path / name
        whole = path.read_bytes()
        path.write_bytes(whole[:cut])
        with pytest.raises((tb.LedgerCorrupt, tb.LedgerUnavailable)):
            Store(store.folder.path)
        path.write_bytes(whole)
    reopened = Store(store.folder.path)
    assert len(reopened.charges) == 2
    reopened.let_go()


@pytest.mark.parametrize("name", ["record-000000001", "record-000000002", "costs-000000001", "balances-000000002"])
def test_a_changed_bit_is_noticed(store: Store, name: str) -> None:
    charge(store, amounts(1), "a", ttl=60.0)
    charge(store, "0.1", "b")
    if name.startswith("balances"):
        store.compact()
    store.let_go()
    path = store.folder.path / name
    whole = bytearray(path.read_bytes())
    whole[len(whole) // 2] ^= 1
    path.write_bytes(whole)
    with pytest.raises(tb.LedgerCorrupt, match="not what was written"):
        Store(store.folder.path)


def test_a_record_that_is_missing_is_noticed(store: Store) -> None:
    for key in "abc":
        charge(store, "0.1", key)
    store.let_go()
    (store.folder.path / "record-000000002").unlink()
    with pytest.raises(tb.LedgerCorrupt, match=r"Record 2 .* is missing"):
        Store(store.folder.path)


def test_balances_newer_than_the_journal_are_refused(store: Store) -> None:
    for key in "abc":
        charge(store, "0.1", key)
    store.compact()
    store.let_go()
    (store.folder.path / "record-000000003").unlink()
    with pytest.raises(tb.LedgerCorrupt, match=r"Record 3 .* is missing"):
        Store(store.folder.path)


def test_what_nobody_finished_is_removed(store: Store, tmp_path: Path) -> None:
    charge(store, "0.1", "a")
    (store.folder.path / f"x{DRAFT}").write_bytes(b"half")
    shutil.copy(store.folder.path / "record-000000001", store.folder.path / "costs-000000002")
    reopened = again(store)
    assert not list(store.folder.path.glob(f"*{DRAFT}"))
    head, mask = charge(reopened, amounts(2), "b")
    final = again(reopened)
    assert np.array_equal(final.mask(head), mask)
    final.let_go()


def test_a_disk_without_room_charges_nobody(store: Store) -> None:
    charge(store, "0.1", "a")
    before = store.filter.balances.copy()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for room, increment in ((100_000, amounts(1)), (20, "0.1")):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
        try:
            with pytest.raises(tb.LedgerUnavailable, match="cannot be read or written"):
                charge(store, increment, "b")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert np.array_equal(store.filter.balances, before)
    assert not list(store.folder.path.glob(f"*{DRAFT}"))
    store.check()
    charge(store, "0.1", "b")


def test_a_charge_that_was_interrupted_in_memory_stops_the_store(store: Store) -> None:
    """Its record may be there, so memory may know less than the folder."""
    path = store.folder.record_at(1)
    path.write_bytes(b"in the way")
    with pytest.raises(tb.LedgerUnavailable):
        charge(store, "0.1", "a")
    with pytest.raises(tb.CannotShare, match="open them again"):
        store.check()


def test_a_folder_that_was_replaced_is_not_charged(store: Store) -> None:
    charge(store, "0.1", "a")
    aside = store.folder.path.with_name("aside")
    store.folder.path.rename(aside)
    with pytest.raises(tb.CannotShare, match="replaced or removed"):
        store.check()
    shutil.copytree(aside, store.folder.path)
    with pytest.raises(tb.CannotShare, match="replaced or removed"):
        store.check()


def test_only_the_owner_may_read(store: Store) -> None:
    charge(store, amounts(1), "a")
    store.compact()
    modes = {path.stat().st_mode & 0o077 for path in (store.folder.path, *store.folder.path.iterdir())}
    assert modes == {0}


def test_a_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"first"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Draft(tmp_path, parts())
    assert not list(tmp_path.iterdir())
    Draft(tmp_path, [b"first"]).put(tmp_path / "it")
    assert read_whole(tmp_path / "it") == b"first"
    with pytest.raises(tb.LedgerUnavailable, match="exists"):
        Draft(tmp_path, [b"second"]).put(tmp_path / "it")
    assert read_whole(tmp_path / "it") == b"first"


def test_a_folder_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(tb.InvalidParameter, match="folder of an individual budget"):
        Store(tmp_path)
