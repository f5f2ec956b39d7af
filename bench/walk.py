"""Count how often a question changes package: `python bench/walk.py`. Calls from one package of ours into another."""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import tightbudget as tb

ROOT = Path(tb.__file__).parent


def package(frame: FrameType | None) -> str | None:
    """Return the package a frame's code lies in; None if it is not ours."""
    if frame is None:
        return None
    path = Path(frame.f_code.co_filename)
    if not path.is_relative_to(ROOT):
        return None
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else "tightbudget"


def crossings(act: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Return how many calls went from each package straight into each other one."""
    found: Counter[tuple[str, str]] = Counter()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            source, target = package(frame.f_back), package(frame)
            if source is not None and target is not None and source != target:
                found[source, target] += 1

    sys.setprofile(watch)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found


def epsilon() -> None:
    tb.parse("poisson(gaussian(sigma=4), q=0.01) * 65536").epsilon(delta=1e-6)


def spend() -> None:
    tb.filters.ZCDPFilter(epsilon=1, delta=1e-6).spend(tb.parse("gaussian(sigma=20)"))


def reproduce() -> None:
    """One figure of `tightbudget reproduce --quick`, without drawing it."""
    try:
        from tightbudget.research.reproduce import run
        from tightbudget.research.reproduce.figures import truncated_gauss
    except ImportError:  # as the package was before
        from tightbudget.reproduce import run
        from tightbudget.reproduce.figures import truncated_gauss
    with tempfile.TemporaryDirectory() as folder:
        run.run(Path(folder), True, lambda *_: b"", lambda *_: None, (truncated_gauss.FIGURE,))


def main() -> None:
    for act in (epsilon, spend, reproduce):
        found = crossings(act)
        print(f"{act.__name__}: {sum(found.values())} calls across {len(found)} borders")
        for (source, target), count in found.most_common(12):
            print(f"  {source:>12} -> {target:<12} {count}")


if __name__ == "__main__":
    main()
