"""Certified brackets for three compositions, and a picture of δ(ε). Run by `make demo`."""

import os
import time
from pathlib import Path

import tightbudget as tb
from tightbudget.interfaces import plot
from tightbudget.interfaces.refined import refined_curve

DP_SGD = tb.parse("poisson(gaussian(sigma=4), q=0.01) * 65536")
QUESTIONS = [
    ("DP-SGD", DP_SGD, 1e-6),
    (
        "different mechanisms",
        tb.Gaussian(sigma=80) * 512 + tb.Laplace(scale=200) * 100 + tb.Gaussian(sigma=30) * 64,
        1e-6,
    ),
    ("deep tail", tb.Gaussian(sigma=1000) * 10**6, 1e-60),
]
PICTURE = Path(__file__).resolve().parent.parent / "build" / "demo.png"


def main() -> None:
    print("Smallest ε: the true value is proven to lie in the bracket.")
    for what, composition, delta in QUESTIONS:
        start = time.perf_counter()
        epsilon = composition.epsilon(delta=delta)
        seconds = time.perf_counter() - start
        print(f"\n{what}: {composition}\n  ε in {epsilon} at δ = {delta:g}, in {seconds:.3f} s")
    PICTURE.parent.mkdir(exist_ok=True)
    start = time.perf_counter()
    PICTURE.write_bytes(picture())
    print(f"\nδ(ε) of {DP_SGD}, drawn in {time.perf_counter() - start:.2f} s, is in {os.path.relpath(PICTURE)}")


def picture() -> bytes:
    return plot.draw_curve(refined_curve(DP_SGD.curve()), str(DP_SGD))


if __name__ == "__main__":
    main()
