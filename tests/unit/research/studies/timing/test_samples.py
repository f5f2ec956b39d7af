"""Files of samples, the synthetic ones, and the CoverUp measurements where they are at hand."""

import os
from pathlib import Path

import numpy as np
import pytest

import tightbudget as tb
from tightbudget.research.studies import timing
from tightbudget.research.studies.timing import read, synthetic


@pytest.mark.parametrize(
    ("text", "column", "values"),
    [
        ("1.5\n2\n", 0, [1.5, 2.0]),
        ("delay\n1.5\n2\n", 0, [1.5, 2.0]),
        ("delay\n1.5\n2\n", "delay", [1.5, 2.0]),
        ("time,delay\n1,10\n2,20\n", 1, [10.0, 20.0]),
        ("time,delay\n1,10\n2,20\n", "1", [10.0, 20.0]),
        ("time,delay\n1,10\n2,20\n", "delay", [10.0, 20.0]),
        ("1;10\n2;20\n", 1, [10.0, 20.0]),
        ("1\t10\n2\t20\n", 1, [10.0, 20.0]),
        ("1  10\n 2 20\n", 1, [10.0, 20.0]),
        ("1, 10\n2, 20\n", 1, [10.0, 20.0]),
        ("# measured on Monday\n\n1e3\n\n2e3\n", 0, [1000.0, 2000.0]),
        ("\ufeff1\r\n2\r\n", 0, [1.0, 2.0]),
        ("-1\n+2\n", 0, [-1.0, 2.0]),
    ],
)
def test_columns(tmp_path: Path, text: str, column: int | str, values: list[float]):
    file = tmp_path / "delays.csv"
    file.write_bytes(text.encode())
    assert read(file, column).tolist() == values


@pytest.mark.parametrize(
    ("content", "column", "said"),
    [
        (b"", 0, "at least one number"),
        (b"# nothing\n", 0, "at least one number"),
        (b"delay\n", 0, "below its heading"),
        (b"1O.5\n2\n3\n", 0, "line 1 of"),
        (b"O.5\n2\n3\n", 0, "line 1 of"),
        (b"1\ntwo\n3\n", 0, "line 2 of"),
        (b"1\nnan\n", 0, "line 2 of"),
        (b"1\ninf\n", 0, "line 2 of"),
        (b"1,2\n3\n", 1, "without column 1"),
        (b"1,2\n3,\n", 1, "line 2 of"),
        (b"1\n2\n", 1, "from 0 to 0"),
        (b"1\n2\n", "delay", "no heading"),
        (b"time,delay\n1,2\n", "dealy", "one of time, delay"),
        (b"1\n2\n", -1, "whole number"),
        (b"\x00\xff\xfe1\n", 0, "readable text file"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, column: int | str, said: str):
    file = tmp_path / "delays.csv"
    file.write_bytes(content)
    with pytest.raises(tb.InvalidParameter, match=said):
        read(file, column)


def test_no_such_file(tmp_path: Path):
    with pytest.raises(tb.InvalidParameter, match="readable text file"):
        read(tmp_path / "missing.csv")


def test_synthetic_delays_depend_on_the_seed_alone():
    delays = synthetic(1000, active=True, seed=5)
    assert np.array_equal(delays, synthetic(1000, active=True, seed=5))
    assert not np.array_equal(delays, synthetic(1000, active=True, seed=6))
    assert not np.array_equal(delays, synthetic(1000, active=False, seed=5))


def test_synthetic_delays_are_as_described():
    passive = synthetic(200_000, active=False, seed=1, base=100.0, spread=2.0, stalls=0.0)
    active = synthetic(200_000, active=True, seed=1, base=100.0, spread=2.0, stalls=0.0, extra=0.5)
    # gamma with shape 3 has mean sqrt(3) spread; six standard errors of 2 / sqrt(200,000) are 0.03
    assert abs(passive.mean() - 100.0 - 3**0.5 * 2.0) < 0.03
    assert abs(passive.std() - 2.0) < 0.03
    assert abs(active.mean() - passive.mean() - 0.5) < 0.05
    assert synthetic(200_000, active=False, seed=1, stalls=0.01).max() > 2000.0 + 60.0


@pytest.mark.parametrize(
    "arguments", [{"size": -1}, {"seed": -1}, {"seed": 0.5}, {"spread": 0.0}, {"extra": -1.0}, {"stalls": 2.0}, {"base": -1.0}]
)
def test_bad_synthetic(arguments: dict):
    with pytest.raises(tb.InvalidParameter):
        synthetic(**{"size": 10, "active": True, "seed": 0, **arguments})


COVERUP = os.environ.get("TIGHTBUDGET_COVERUP")
needs_coverup = pytest.mark.skipif(
    COVERUP is None, reason="TIGHTBUDGET_COVERUP names no folder with the CoverUp measurements, which are not ours to ship"
)


@needs_coverup
@pytest.mark.parametrize("name", ["windows_loading_clevo", "windows_periodic_clevo", "mac_loading"])
def test_coverup(name: str):
    folder = Path(COVERUP or "") / name
    with_extension, without = (read(next(iter(sorted(folder.glob(pattern))))) for pattern in ("with*.csv", "wo*.csv"))
    assert min(with_extension.size, without.size) > 5000
    measured = timing.measure(with_extension, without)
    model, truth = measured.plug_in(16).delta(1.0), measured.confidence_bounds(16).delta(1.0)
    assert 0.0 < truth.lower < model.lower <= model.upper < truth.upper < 1.0
    finer = timing.measure(with_extension, without, edges=timing.regular_edges(900.0, 2100.0, 2.0))
    assert max(finer.revealing) > 0.0  # single delays far out, hit by one of the two only
    assert finer.confidence_bounds(1).revealing > max(finer.revealing)
