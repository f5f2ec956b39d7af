"""Time the published buckets on the paper's own task: `python bench/published.py`.

Section 4.6: 100,000 buckets and 2^18 compositions took the authors 3 minutes and 57 seconds, 10,000 buckets and 2^9
compositions 1.2 seconds. Printed beside the times are the bracket and that of the engine.
"""

import time

import tightbudget as tb
from tightbudget import published

TASKS = [
    (tb.Gaussian(sigma=2000) * 2**18, 50_000, 0.8, 237.0),
    (tb.TruncatedGaussian(sigma=200 * 2**0.5, bound=2500) * 2**9, 5_000, 0.2, 1.2),
    (tb.Laplace(scale=200) * 2**9, 50_000, 0.3, None),
    (tb.RandomizedResponse(p=0.51) * 2**9, 50_000, 2.0, None),
    (tb.Poisson(tb.Gaussian(sigma=4), q=0.01) * 2**16, 50_000, 2.0, None),
]
RUNS = 3


def main() -> None:
    for composition, n, epsilon, authors in TASKS:
        times = []
        for _ in range(RUNS):
            start = time.perf_counter()
            pair = published.tree_pair(composition, n=n)
            answer = pair.delta(epsilon)
            times.append(time.perf_counter() - start)
        error = max(float(tree.buckets.error.max()) for tree in pair.trees)
        print(f"{composition}, {2 * n + 2} buckets, {len(pair.trees)} direction(s)")
        beside = f" (authors: {authors:g} s)" if authors is not None else ""
        print(f"    {min(times):.2f} s{beside}, booked rounding error {error:.1e}")
        print(f"    delta({epsilon:g}) in {answer}, engine {composition.delta(epsilon)}")


if __name__ == "__main__":
    main()
