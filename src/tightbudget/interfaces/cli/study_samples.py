"""Two samples of delays as the options of `tightbudget study timing` ask for them: read, checked, counted in cells."""

from pathlib import Path

from tightbudget.interfaces.cli.options import Usage
from tightbudget.research.studies import timing as delays

USUAL_CELLS = 16
MUCH_OUTSIDE = 0.2  # share of a sample beyond fixed edges that is worth a warning


def measured_samples(
    first: Path,
    second: Path,
    column: str,
    *,
    counts: bool,
    cells: int | None,
    edges: tuple[float, ...] | None,
    seed: int,
) -> delays.Measured:
    """Return the counts of either file in cells: as they are, in fixed ones, or in cells chosen by a part of them."""
    if cells is not None and edges is not None:
        raise Usage("Give --cells or fixed cells by --low, --high and --width, not both.")
    if counts and edges is not None:
        raise Usage("Leave out --low, --high and --width with --counts: counts have their cells already.")
    a, b = (delays.read(path, column) for path in _existing_sample_files(first, second))
    if counts:
        return delays.from_counts(a, b)
    return delays.measure(a, b, edges, cells=USUAL_CELLS if cells is None else cells, seed=seed)


def fixed_edges(low: float | None, high: float | None, width: float | None) -> tuple[float, ...] | None:
    """Return the edges of equal cells, None if none were asked for."""
    if low is None and high is None and width is None:
        return None
    if low is None or high is None or width is None:
        given = {"--low": low, "--high": high, "--width": width}
        missing = " and ".join(name for name, value in given.items() if value is None)
        raise Usage(f"Fixed cells take --low, --high and --width: add {missing}, or leave out all three.")
    return delays.regular_edges(low, high, width)


def outside_cells(measured: delays.Measured) -> str:
    """Return a warning if the two open cells beyond the edges hold so much that differences in there may be missed."""
    shares = [(counts[0] + counts[-1]) / sum(counts) for counts in (measured.a, measured.b)]
    if max(shares) <= MUCH_OUTSIDE:
        return ""
    return (
        f"{shares[0]:.0%} and {shares[1]:.0%} of the samples fall outside --low and --high, where all delays count as alike; "
        "an observer may tell more of them apart."
    )


def _existing_sample_files(*paths: Path) -> tuple[Path, ...]:
    """Return the paths, both of which are looked for before the first file is read."""
    for path in paths:
        if not path.exists():
            raise Usage(f"There is no file {str(path)!r}.")
    return paths
