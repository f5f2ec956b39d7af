"""Claims of a paper grouped for readers: one claim has several readings, and a slip of the pen is no failure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tightbudget.research.reproduce.figures.vuvuzela_noise import READINGS
from tightbudget.research.reproduce.model import Claim
from tightbudget.research.reproduce.verdicts import CONFIRMED, REFUTED

HOLDS, MIXED, FAILS, SLIP, OPEN = "holds", "depends", "fails", "slip", "open"
GROUPS = {
    HOLDS: ("Hold", "Confirmed in every reading that can be judged."),
    MIXED: ("Depend on the reading", "Confirmed in one reading of the text, refuted in another that is not the paper's own."),
    FAILS: ("Fail in substance", "Refuted in the paper's own reading, or in every one that can be judged."),
    SLIP: ("Slips of the pen", "A number that the paper itself prints otherwise elsewhere."),
    OPEN: ("Cannot be checked", "What it would take is not public, or cannot be resolved."),
}


@dataclass
class Statement:
    """A statement of the paper with all its readings."""

    figure: str
    section: str
    text: str
    readings: list[Claim] = field(default_factory=list)

    @property
    def group(self) -> str:
        verdicts = {claim.verdict for claim in self.readings}
        if REFUTED in verdicts:
            if any(claim.slip for claim in self.readings):
                return SLIP
            return FAILS if self._fails_as_meant or CONFIRMED not in verdicts else MIXED
        return HOLDS if CONFIRMED in verdicts else OPEN

    @property
    def _fails_as_meant(self) -> bool:
        """Whether it is refuted in the reading that the paper itself gives: its pair of distributions, all of it."""
        own = [claim for claim in self.readings if claim.reading.partition(";")[0] == READINGS["published"]]
        return any(claim.verdict == REFUTED for claim in own)


def statements_of(claims: Iterable[tuple[str, Claim]]) -> list[Statement]:
    """Return statements with their readings together, from claims with the names of their figures."""
    found: dict[tuple[str, str], Statement] = {}
    for figure, claim in claims:
        key = (claim.section, claim.statement)
        found.setdefault(key, Statement(figure, claim.section, claim.statement)).readings.append(claim)
    return list(found.values())
