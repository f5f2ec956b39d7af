"""A child process that is killed, as by kill -9, when it has run so many lines of some files."""

import os
import signal
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any


def killed_at(line: int, prepare: Callable[[], Any], work: Callable[[Any], Any], folder: str) -> bool:
    """Do `work` on what `prepare` returns, in a forked child that dies at the n-th line of it in files of this folder.

    Return whether it got there.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # that there are threads
        child = os.fork()
    if child == 0:
        lines = 0

        def follow(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal lines
            if folder not in frame.f_code.co_filename:
                return None
            if event == "line":
                lines += 1
                if lines == line:
                    os.kill(os.getpid(), signal.SIGKILL)
            return follow

        try:
            prepared = prepare()
            sys.settrace(follow)
            work(prepared)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)
