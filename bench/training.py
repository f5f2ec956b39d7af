"""Count a million steps of a training loop, and ask: the time of a step, and of a question after few and many.

python bench/training.py [steps]
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import tightbudget as tb

A = tb.Poisson(tb.Gaussian(1.1), q=0.004266666666666667)
B = tb.Poisson(tb.Gaussian(1.3), q=0.008533333333333334)
RUN: dict[str, Any] = {"examples": 60000, "batch": 256, "epochs": 20, "delta": 1e-5}


def counted(name: str, steps: int, step: Callable[[tb.Accountant, int], None]) -> tb.Accountant:
    accountant = tb.Accountant()
    start = time.process_time()
    for k in range(steps):
        step(accountant, k)
    took = time.process_time() - start
    print(f"{name:52} {took / steps * 1e6:8.2f} microseconds a step")
    return accountant


def asked(name: str, question: Callable[[], Any]) -> None:
    start = time.process_time()
    answer = question()
    print(f"{name:52} {(time.process_time() - start) * 1e3:8.1f} ms   {answer}")


def main(steps: int) -> None:
    (A * 3).epsilon(1e-5)  # what is loaded at the first question
    counted("noise_multiplier and sample_rate", steps, lambda made, k: made.step(noise_multiplier=1.1, sample_rate=0.01))
    counted("notation", steps, lambda made, k: made.step("poisson(gaussian(sigma=1.1), q=0.01)"))
    many = counted("a mechanism", steps, lambda made, k: made.step(A))
    both = counted("two that alternate", steps, lambda made, k: made.step(B if k % 2 else A))
    few = counted("a mechanism, a thousand times", 1000, lambda made, k: made.step(A))
    for name, made in (("a thousand equal steps", few), ("all equal steps", many), ("all that alternate", both)):
        asked(f"epsilon after {name}", lambda made=made: made.epsilon(1e-5))
    asked("would_exceed after a thousand", lambda: few.would_exceed(A, epsilon=2, delta=1e-5))
    asked("remaining after a thousand", lambda: few.remaining(A, epsilon=2, delta=1e-5))
    asked("dpsgd", lambda: tb.dpsgd(**RUN, noise_multiplier=1.1))
    asked("dpsgd to a target", lambda: tb.dpsgd(**RUN, target_epsilon=2))


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 10**6)
