"""Files of individual budgets: amounts for each person, and who may take part. Both are as private as the records."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tightbudget.adaptive.amounts import binary_up, exact
from tightbudget.errors import InvalidParameter
from tightbudget.interfaces.cli.files import write_all
from tightbudget.interfaces.cli.options import Usage

AMOUNTS = (".npy", ".txt", ".csv")
MASKS = (".npy", ".txt", ".csv")


def amounts_typed(text: str) -> str | NDArray[np.float64]:
    """Return one amount for all, exactly as it was typed, or those in a file: .npy, or text with one on each line."""
    path = Path(text)
    if path.suffix.lower() not in AMOUNTS:
        return text
    try:
        if path.suffix.lower() == ".npy":
            return np.load(path, allow_pickle=False)  # type: ignore[no-any-return]
        lines = path.read_text(encoding="utf-8").split()
    except (ValueError, EOFError):
        raise InvalidParameter("AMOUNTS", text, "a file of numbers: .npy, or text with one on each line") from None
    return np.array([_amount_on_line(number, line) for number, line in enumerate(lines, start=1)])


def _amount_on_line(number: int, line: str) -> float:
    """Return the float that is no less than what is written; inf leaves a person out."""
    try:
        return binary_up(exact("amount", line)) if line != "inf" else float("inf")
    except InvalidParameter:  # what stands there is private, too
        raise Usage(f"AMOUNTS has no number from 0, nor inf, on line {number}. Nobody was charged.") from None


def write_mask(path: Path, mask: NDArray[np.bool_]) -> None:
    """Write who may take part: an array of truth values, or a line with 1 or 0 for each. Others may not read it."""
    if path.suffix.lower() == ".npy":
        file = io.BytesIO()
        np.save(file, mask, allow_pickle=False)
        content = file.getvalue()
    else:
        content = b"".join(b"1\n" if one else b"0\n" for one in mask.tolist())
    with _for_the_owner_alone():
        write_all({path: content})


@contextmanager
def _for_the_owner_alone() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
