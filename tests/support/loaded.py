"""Which modules a program loads, in a Python of its own."""

import os
import subprocess
import sys

HEAVY = ("alembic", "cryptography", "matplotlib", "numpy", "rich", "scipy", "sqlalchemy")


def loaded_after(program: str, **environment: str) -> set[str]:
    """Return the modules that a fresh Python has loaded when the program is done."""
    shown = f"{program}\nimport sys; print('', *sys.modules, sep='\\n')"
    everything = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True, env=everything)
    return set(done.stdout.splitlines())


def rooms(loaded: set[str]) -> set[str]:
    """Return the parts of the package among the modules."""
    return {name.split(".")[1] for name in loaded if name.startswith("tightbudget.")}
