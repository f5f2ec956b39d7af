"""The store of balances: a journal of who paid what, and the balances in memory that follow from it.

A charge is in the journal, forced to disk, before it counts, and what counts follows from the journal alone: balances
of some record, plus the records after it. So a crash leaves a charge made or not made, never half of it, and a retry
finds who took part. One number for all costs the disk a bit per person; now and then all balances are written anew.

PRIVATE: everything in here.
"""

import hmac
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.individual.balances import CHUNK, check_balances
from tightbudget.adaptive.individual.increments import one_for_all, one_for_each
from tightbudget.adaptive.sharing import Shared
from tightbudget.errors import CannotShare, InvalidParameter, LedgerCorrupt, LedgerUnavailable
from tightbudget.ledger.entries import Body
from tightbudget.ledger.individual.folder import Folder
from tightbudget.ledger.individual.records import Head, Mask, draft_of, read_head, read_record
from tightbudget.ledger.individual.whole_files import Draft, damaged, numbers_to_write, read_numbers
from tightbudget.ledger.individual_rules import filter_of, text_for_all, text_for_each

Array = NDArray[np.float64]

MOST_RECORDS = 32
"""Records since the balances were written, after which they are written anew: opening replays at most these."""
MOST_COSTS = 4
"""Files of costs, as large as the balances, that may lie about without need."""


class Step:
    """What a step costs everybody, read and named once. `text` is for the log; the rest is private."""

    def __init__(self, text: str, cost: float | None, costs: Array | None) -> None:
        self.text, self.cost, self.costs = text, cost, costs

    def of(self, part: slice) -> Any:
        return self.cost if self.costs is None else self.costs[part]


class Store(Shared):
    """Balances of a folder that is open. Threads may share it; copies, pickles and forks may not."""

    _go_on = "Charge it there, or open the folder here once it has been let go there."

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.seq = self._at = 0
        self.folder = Folder(path)
        try:
            self.binding = self.folder.binding
            self._secret = bytes.fromhex(self.binding.secret)
            self.filter = filter_of(self.binding.filter, self.binding.people)
            self._load()
        except BaseException:
            self.folder.let_go()
            raise
        self._sound = True
        self.logged = 0
        """How many of the charges are known to be in the log."""

    @property
    def people(self) -> int:
        return self.filter.people

    def check(self) -> None:
        """Refuse to go on if the folder is not ours any more, or memory may differ from it."""
        self.folder.check()
        if not self._sound:
            raise CannotShare("The last charge was interrupted.", "Let these balances go and open them again.")

    def read(self, increment: Any, key: str) -> Step:
        """Return what a step costs; the key makes the same amounts another name in another charge."""
        units = self.filter.units
        each = one_for_each(increment, self.people)
        if each is None:
            amount = one_for_all(increment)
            return Step(text_for_all(self.filter.kind, amount), units.of_number(amount), None)
        each += 0.0  # -0 is 0
        name = hmac.new(self._secret, f"amounts {len(key)} {key} ".encode(), "sha256")
        for part in numbers_to_write(each):
            name.update(part)
        scale = float(10**units.digits)
        for start in range(0, self.people, CHUNK):
            each[start : start + CHUNK] = units.of_array(each[start : start + CHUNK], scale)
        return Step(text_for_each(self.filter.kind, name.hexdigest()), None, each)

    def decide(self, step: Step) -> Mask:
        """Return who can pay."""
        balances, limit = self.filter.balances, self.filter.units.limit
        taking = np.zeros(self.people, dtype=np.bool_)
        for start in range(0, self.people, CHUNK):
            part = slice(start, start + CHUNK)
            np.less_equal(balances[part] + step.of(part), limit, out=taking[part])  # whole numbers below 2^53: exact
        return taking

    def charge(self, step: Step, key: str, payload: Body, ttl: float | None) -> tuple[Head, Mask]:
        """Charge everybody who can pay, on disk and then in memory; nobody may take part before the log has it too."""
        mask = self.decide(step)
        seq = self.seq + 1
        costs = None if step.costs is None else Draft(self.folder.path, numbers_to_write(step.costs))
        if costs is not None:
            self._put(costs, self.folder.costs_at(seq))
            self._costs[seq] = costs.digest
        head = Head(seq, key, payload, ttl, step.cost, "" if costs is None else costs.digest.hex())
        self._append(head, mask, step)
        return head, mask

    def give_back(self, head: Head) -> None:
        """Lower the balances by a charge of which the log says that nothing was released; once, if called again."""
        if head.seq not in self.returned:
            self._append(Head(self.seq + 1, of=head.seq), None, self._step(head), self.mask(head))
        self._needed.discard(head.seq)

    def settled(self, head: Head) -> None:
        """Learn that a charge is final: its costs are of use only until the balances are written anew."""
        self._needed.discard(head.seq)

    def knows_costs(self, head: Head) -> bool:
        return head.cost is not None or head.seq in self._costs

    def keep_costs(self, head: Head, step: Step) -> None:
        """Keep the costs of a charge again, for it to be given back."""
        assert step.costs is not None
        costs = Draft(self.folder.path, numbers_to_write(step.costs))
        if costs.digest.hex() != head.costs:
            costs.drop()
            raise InvalidParameter("increment", "other amounts", "the amounts of the charge")
        self._put(costs, self.folder.costs_at(head.seq))
        self._costs[head.seq] = costs.digest
        self._needed.add(head.seq)

    def mask(self, head: Head) -> Mask:
        """Return who took part in a charge."""
        path = self.folder.record_at(head.seq)
        found, mask = read_record(path, self.people)
        if found != head or mask is None:
            raise damaged(path)
        return mask

    def tie(self, head: Head) -> str:
        """Return what the log says of a record: a digest that nobody without the secret can try out masks on."""
        return hmac.new(self._secret, b"record " + self._digests[head.seq], "sha256").hexdigest()

    def compact(self) -> None:
        """Write the balances anew and remove what is then of no use."""
        if self.seq > self._at:
            path = self.folder.balances_at(self.seq)
            self._put(Draft(self.folder.path, numbers_to_write(self.filter.balances)), path)
            self._at = self.seq
        self._tidy()

    def let_go(self) -> None:
        """Unlock the folder; all that was charged is in it."""
        with self._reading():
            self.folder.let_go()

    def _append(self, head: Head, mask: Mask | None, step: Step, back: Mask | None = None) -> None:
        """Put a record into the journal and count it in memory; if anything comes in between, count nothing more."""
        record = draft_of(self.folder.path, head, mask)
        self._sound = False
        record.put(self.folder.record_at(head.seq))
        self._take(head, record.digest, back if mask is None else mask, step)
        self._sound = True
        if self.seq - self._at >= MOST_RECORDS or len(self._costs.keys() - self._needed) > MOST_COSTS:
            with suppress(LedgerUnavailable):  # the charge is in the journal; balances may be written another time
                self.compact()

    def _put(self, draft: Draft, path: Path) -> None:
        self.folder.remove(path)  # of an attempt that ended before its record was there
        draft.put(path)

    def _take(self, head: Head, digest: bytes, mask: Mask | None, step: Step | None) -> None:
        """Count a record; without a step it is in the balances already."""
        if step is not None and mask is not None:
            balances = self.filter.balances
            change = np.subtract if head.of else np.add
            for start in range(0, self.people, CHUNK):
                part = slice(start, start + CHUNK)
                change(balances[part], step.of(part), out=balances[part], where=mask[part])
        self.seq = head.seq
        if head.of:
            self.returned.add(head.of)
            return
        self._digests[head.seq] = digest
        self.number[head.seq] = len(self.charges)
        self.charges.append(head)
        self.by_key[head.key] = head
        if head.costs and head.ttl is not None:
            self._needed.add(head.seq)

    def _load(self) -> None:
        """Read the newest balances and count what the journal has after them."""
        folder = self.folder
        self.charges: list[Head] = []
        self.by_key: dict[str, Head] = {}
        self.number: dict[int, int] = {}
        self.returned: set[int] = set()
        self._digests: dict[int, bytes] = {}
        self._costs = {seq: b"" for seq in folder.costs if seq in folder.records}
        self._needed: set[int] = set()
        self._at = max(folder.balances, default=0)
        if folder.balances:
            read_numbers(folder.balances_at(self._at), self.filter.balances)
        for seq in sorted(folder.records):
            if seq != self.seq + 1:
                raise LedgerCorrupt(f"Record {self.seq + 1} of {folder.path} is missing.", "Restore the whole folder.")
            self._replay(seq)
        if self.seq < self._at:
            raise LedgerCorrupt(f"Record {self._at} of {folder.path} is missing.", "Restore the whole folder.")
        try:
            check_balances(self.filter.balances, self.filter.units.limit)
        except InvalidParameter:
            raise damaged(folder.path) from None

    def _replay(self, seq: int) -> None:
        path = self.folder.record_at(seq)
        head, digest = read_head(path)
        if head.seq != seq or head.key in self.by_key or head.of in self.returned:
            raise damaged(path)
        if seq <= self._at:
            self._take(head, digest, None, None)
            return
        found, mask = read_record(path, self.people)
        charge = next((each for each in self.charges if each.seq == head.of), None) if head.of else head
        if found != head or charge is None:
            raise damaged(path)
        self._take(head, digest, self.mask(charge) if head.of else mask, self._step(charge))

    def _step(self, head: Head) -> Step:
        """Return what a charge of the journal costs."""
        if head.cost is not None:
            return Step(head.increment, head.cost, None)
        costs = np.empty(self.people)
        path = self.folder.costs_at(head.seq)
        if read_numbers(path, costs).hex() != head.costs:
            raise damaged(path)
        return Step(head.increment, None, costs)

    def _tidy(self) -> None:
        """Remove what the newest balances make up for: older ones, and costs of charges that nobody will give back."""
        for seq in [each for each in self.folder.balances if each < self._at]:
            self.folder.remove(self.folder.balances_at(seq))
        self.folder.balances = {self._at}
        for seq in [each for each in self._costs if each <= self._at and each not in self._needed]:
            self.folder.remove(self.folder.costs_at(seq))
            del self._costs[seq]

    def _taken_along(self) -> dict[str, Any]:
        problem = "Balances in a folder cannot be copied or pickled: what is charged to the copy would be lost."
        raise CannotShare(problem, "Open the folder where it is needed, in one place at a time.")

    def __repr__(self) -> str:
        return f"<balances of {self.binding.budget!r}>"
