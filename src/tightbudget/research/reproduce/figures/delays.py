"""Delays for the timing panel: measured, if the environment names a folder with measurements; otherwise synthetic."""

import hashlib
import os
from pathlib import Path

from tightbudget.errors import InvalidParameter
from tightbudget.research.studies import timing

VARIABLE = "TIGHTBUDGET_COVERUP"
CASE = "windows_periodic_clevo"  # the only measured set whose delays are not all but revealed by 512 observations
OTHERS = ("windows_loading_clevo", "mac_loading")
SAMPLES, SEED = 50_000, 1


def delays_description() -> str:
    """Return where the delays come from, as the figure says it."""
    return "CoverUp, Windows, periodic" if _delays_folder() else "SYNTHETIC delays"


def delays_fingerprint() -> str:
    """Return what a stored result depends on: the measured files' content, or the generator's arguments."""
    if not _delays_folder():
        return f"synthetic {SAMPLES} {SEED}"
    return " ".join(hashlib.sha256(path.read_bytes()).hexdigest() for case in delay_sets() for path in _delay_files(case))


def delay_sets() -> tuple[str, ...]:
    """Return the measured sets: the one shown in detail, then those of the others that are there."""
    return (CASE, *(case for case in OTHERS if (Path(_delays_folder()) / case).is_dir())) if _delays_folder() else ()


def measured_delays(case: str = CASE) -> timing.Measured:
    """Return the counts over 16 cells, chosen with a tenth of the samples that is then set aside."""
    if _delays_folder():
        active, passive = (timing.read(path) for path in _delay_files(case))
    else:
        active, passive = (timing.synthetic(SAMPLES, active=kind, seed=SEED) for kind in (True, False))
    return timing.measure(active, passive)


def _delays_folder() -> str:
    return os.environ.get(VARIABLE, "")


def _delay_files(case: str) -> tuple[Path, Path]:
    folder = Path(_delays_folder()) / case
    found = [sorted(folder.glob(f"{start}*.csv")) for start in ("with", "wo")]
    if any(len(paths) != 1 for paths in found):
        raise InvalidParameter(VARIABLE, str(folder), "a folder with one file with*.csv and one wo*.csv")
    return found[0][0], found[1][0]
