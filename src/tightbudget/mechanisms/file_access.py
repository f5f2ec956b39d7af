"""Whether notation may name files: at home it may, and where strangers write it, it may not."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from tightbudget.errors import InvalidParameter

_FILES_ARE_READ: ContextVar[bool] = ContextVar("files_are_read", default=True)


@contextmanager
def without_files() -> Iterator[None]:
    """Refuse notation that names files for as long as this lasts: a service would read its own, for whoever asks.

    >>> from tightbudget import parse
    >>> with without_files():
    ...     parse('histograms("/etc/passwd")')
    Traceback (most recent call last):
        ...
    tightbudget.errors.InvalidParameter: histograms is '/etc/passwd', but must be two lists of numbers: ...
    """
    before = _FILES_ARE_READ.set(False)
    try:
        yield
    finally:
        _FILES_ARE_READ.reset(before)


def check_file_may_be_read(path: str | Path) -> None:
    """Raise InvalidParameter where files are not read; whether there is such a file is not said either."""
    if not _FILES_ARE_READ.get():
        allowed = "two lists of numbers: files are not read here"
        raise InvalidParameter("histograms", str(path), allowed, "Write histograms([6, 3, 1], [5, 3, 2]).")
