"""Run something in another process: a forked child, or a new one that was given a pickle."""

import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any


def in_a_child(work: Callable[[], Any]) -> Any:
    """Return what `work` returns, or raises, in a forked child."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that there are threads
        child = os.fork()
    if child == 0:
        try:
            answer = work()
        except BaseException as problem:
            answer = problem
        os.write(writing, pickle.dumps((type(answer), str(answer)) if isinstance(answer, BaseException) else answer))
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answers:
        said = pickle.loads(answers.read())
    os.waitpid(child, 0)
    return said


def elsewhere(script: str, given: Any = None) -> str:
    """Return what a script prints in a new Python that reads `given` as a pickle from its standard input."""
    setup = "import pickle, sys\nimport tightbudget as tb\ngiven = pickle.load(sys.stdin.buffer)\n"
    command = [sys.executable, "-c", setup + script]
    return subprocess.run(command, input=pickle.dumps(given), capture_output=True, check=True, timeout=60).stdout.decode()
