"""One thread: libraries that make more of them count the time of each, and the time one waits for another."""

import os
import sys

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


def in_one_thread() -> None:
    """Begin this program anew with one thread, unless it has one: a library reads the number when it is loaded."""
    if any(os.environ.get(name) != number for name, number in ONE_THREAD.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_THREAD})
