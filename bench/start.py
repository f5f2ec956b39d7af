"""CPU time of starting: what a program or a shell pays before the first number is computed."""

import importlib.util
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace

RUNS = 11
BARE = "import decimal, fractions, numpy, scipy.fft, scipy.special"  # all that `tb.Gaussian` loads and is not ours
QUESTION = ("epsilon", "gaussian(sigma=1)", "--delta", "1e-6")


@dataclass(frozen=True)
class Start:
    """One way to start, the least CPU time it took, None if it failed, and how often the bare imports it may take."""

    name: str
    arguments: tuple[str, ...]
    most: float | None = None
    seconds: float | None = None


def starts() -> list[Start]:
    """Return all that is measured, the bare imports that ours need second."""
    command = ("-m", "tightbudget")
    asked = [
        Start("python -c pass", ("-c", "pass")),
        Start(BARE, ("-c", BARE)),
        Start("import tightbudget", ("-c", "import tightbudget")),
        Start("import tightbudget as tb; tb.Gaussian", ("-c", "import tightbudget as tb; tb.Gaussian"), most=1.3),
        Start("tightbudget --version", (*command, "--version"), most=0.5),
        Start("tightbudget --help", (*command, "--help"), most=0.5),
        Start("tightbudget epsilon --help", (*command, "epsilon", "--help")),
        Start('tightbudget epsilon "gaussian(sigma=1)" --delta 1e-6', (*command, *QUESTION)),
    ]
    for peer in ("dp_accounting", "prv_accountant"):
        if importlib.util.find_spec(peer):
            asked.append(Start(f"import {peer}", ("-c", f"import {peer}")))
    return asked


def measure(runs: int = RUNS) -> list[Start]:
    """Return all with their times, taken in turns, so that a busy moment hits none alone."""
    asked = starts()
    times: list[list[float]] = [[] for _ in asked]
    with tempfile.TemporaryDirectory() as compiled:  # so that no run compiles what an installed package has compiled
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for turn in range(runs + 1):
            for one, found in zip(asked, times, strict=True):
                seconds = _cpu([sys.executable, *one.arguments], environment)
                if turn and seconds is not None:  # the first only compiles
                    found.append(seconds)
    return [replace(one, seconds=min(found, default=None)) for one, found in zip(asked, times, strict=True)]


def _cpu(command: list[str], environment: dict[str, str]) -> float | None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
