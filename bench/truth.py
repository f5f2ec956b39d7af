"""True answers of the cases by other means than any accountant's, good to 13 digits. No grids of losses, no FFT.

Gaussian: the closed form. Randomized response: the binomial sum. Laplace: the exact finite sum below. Subsampled
Gaussian: the contour integral below. All in mpmath at 40 digits or more.
`python bench/truth.py [NAME]...` compares with cases.py.

Contour: with M(z) = E exp(z L), L the privacy loss under P,
    delta(e) = (1 / 2 pi i) int M(z) exp(-z e) / (z (z + 1)) dz
along Re z = c > 0. The trapezoidal rule converges geometrically there; its step is halved until 9 digits agree, which
means 18 at the last step.
"""

import math
import sys
from collections.abc import Callable, Sequence
from functools import partial

import mpmath as mp

from calibrations import CALIBRATIONS, Calibration
from cases import CASES, DEFECTS, Question, Step

mp.mp.dps = 40
Delta = Callable[[mp.mpf], mp.mpf]


def gaussian_delta(mu: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    upper = mp.ncdf(mu / 2 - epsilon / mu)
    return upper - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def response_delta(step: Step, epsilon: mp.mpf) -> mp.mpf:
    """k of n answers are truthful under P: the loss is (2k - n) log(p / (1 - p))."""
    n, p = step.count, mp.mpf(step.p) if step.kind == "randomized_response" else 1 / (1 + mp.exp(-mp.mpf(step.epsilon)))
    total = mp.mpf(0)
    for k in range(n + 1):
        here, there = p**k * (1 - p) ** (n - k), p ** (n - k) * (1 - p) ** k
        total += mp.binomial(n, k) * max(mp.mpf(0), here - mp.exp(epsilon) * there)
    return total


def laplace_delta(step: Step, epsilon: mp.mpf) -> mp.mpf:
    r"""Exact sum of residues.

    With u = 1/scale and w = z + 1/2,  M(z) = exp(-u/2) (cosh(u w) + sinh(u w) / (2 w)). The binomial expansion of M**n
    gives terms exp((2 i - n) u w) (1 + 1/(2w))**i (1 - 1/(2w))**(n-i); divided by w**2 - 1/4, those with 0 < i < n have
    their only pole at w = 0. A term with exponent (2 i - n) u - e <= 0 contributes nothing.
    """
    n, u = step.count, 1 / mp.mpf(step.scale)
    with mp.workdps(3 * n // 2 + 60):  # the terms of the inner sum cancel to about 2**-2n
        u, epsilon, total = 1 / mp.mpf(step.scale), mp.mpf(epsilon), mp.mpf(0)
        for i in range(n // 2, n):
            exponent = (2 * i - n) * u - epsilon
            if exponent > 0 and i > 0:
                total += mp.binomial(n, i) * _residue_at_zero(i - 1, n - i - 1, n, exponent)
        top = n * u - epsilon  # i = n alone: 4 (2w+1)**(n-1) / ((2w)**n (2w-1)) exp(top w)
        if top > 0:
            total += 2 * mp.exp(top / 2) * mp.mpf(2) ** (n - 1)  # residue at w = 1/2
            total -= _residue_of_top(n, top)
        return +(total * mp.exp(-n * u / 2 + epsilon / 2) / mp.mpf(2) ** n)


def _residue_at_zero(plus: int, minus: int, n: int, exponent: mp.mpf) -> mp.mpf:
    """Coefficient of w**(n-1) in 4 (2w+1)**plus (2w-1)**minus exp(exponent w) / 2**n."""
    half = exponent / 2  # in x = 2w the exponential is exp(half x), and w**(n-1) = x**(n-1) / 2**(n-1)
    terms, power = mp.mpf(0), mp.mpf(1)
    exponential = [power := power * half / j if j else power for j in range(n)]
    for degree, coefficient in enumerate(_product(plus, minus)):
        terms += coefficient * exponential[n - 1 - degree]
    return 2 * terms


def _product(plus: int, minus: int) -> list[int]:
    """Coefficients of (x + 1)**plus (x - 1)**minus, by the recurrence its logarithmic derivative gives."""
    # (x**2 - 1) f' = ((plus + minus) x + minus - plus) f, after multiplying out (plus (x - 1) + minus (x + 1)).
    degree = plus + minus
    f = [(-1) ** minus]
    for k in range(degree):
        before = f[k - 1] if k else 0
        f.append(((k - 1 - degree) * before - (minus - plus) * f[k]) // (k + 1))
    return f


def _residue_of_top(n: int, exponent: mp.mpf) -> mp.mpf:
    """Minus the residue at w = 0 of 4 (2w+1)**(n-1) exp(exponent w) / ((2w)**n (2w-1))."""
    half, power, total = exponent / 2, mp.mpf(1), mp.mpf(0)
    exponential = [power := power * half / j if j else power for j in range(n)]
    running = 0  # coefficients of (1 + x)**(n-1) / (1 - x) are partial sums of binomials
    for degree in range(n):
        running += int(mp.binomial(n - 1, degree))
        total += running * exponential[n - 1 - degree]
    return 2 * total


def subsampled_deltas(steps: Sequence[Step], epsilon_guess: mp.mpf) -> tuple[Delta, Delta]:
    """delta(epsilon) of the removing and of the adding direction, accurate near the guess."""
    return tuple(_contour(steps, sign, epsilon_guess) for sign in (+1, -1))


def _contour(steps: Sequence[Step], sign: int, guess: mp.mpf) -> Delta:
    tables = [_loss_table(step) for step in steps]

    def log_moment(z: mp.mpc) -> mp.mpc:
        total = mp.mpc(0)
        for step, table in zip(steps, tables, strict=True):
            tilt = z + 1 if sign > 0 else -z
            total += step.count * mp.log(mp.fsum(weight * mp.exp(tilt * loss) for weight, loss in table))
        return total

    def height(c: float) -> mp.mpf:
        return mp.re(log_moment(mp.mpf(c))) - c * guess - mp.log(mp.mpf(c) * (c + 1))

    some = [2.0**k for k in range(-8, 7)] if len(steps) == 1 else [4.0, 6.0, 8.0]
    c = min(some, key=height)  # any c > 0 is right; the lowest is the quickest
    spacing, floor = min(mp.mpf(c) / 10, mp.mpf("0.3")), height(c) - 2.303 * 24
    for _ in range(8):  # a heavy right tail (small sigma) needs a finer step than the pole at 0 does
        nodes = _nodes(log_moment, c, spacing, floor + c * guess)
        coarse, fine = _trapezoid(nodes[::2], 2 * spacing, guess), _trapezoid(nodes, spacing, guess)
        # The error falls like exp(-2 pi c / spacing), so agreement to 9 digits at the double step means 18 at the step.
        if abs(coarse / fine - 1) < 1e-9:
            return partial(_trapezoid, nodes, spacing)
        spacing /= 2
    raise ArithmeticError(f"contour not converged: {coarse} against {fine}")


def _nodes(log_moment: Callable, c: float, spacing: mp.mpf, floor: mp.mpf) -> list[tuple[mp.mpc, mp.mpc]]:
    nodes: list[tuple[mp.mpc, mp.mpc]] = []
    while not nodes or mp.re(nodes[-1][1]) > floor:
        z = mp.mpc(c, len(nodes) * spacing)
        nodes.append((z, log_moment(z) - mp.log(z * (z + 1))))
    return nodes


def _trapezoid(nodes: list[tuple[mp.mpc, mp.mpc]], spacing: mp.mpf, epsilon: mp.mpf) -> mp.mpf:
    values = [mp.re(mp.exp(log_value - z * epsilon)) for z, log_value in nodes]
    return (values[0] / 2 + mp.fsum(values[1:])) * spacing / mp.pi


def _loss_table(step: Step) -> list[tuple[mp.mpf, mp.mpf]]:
    """Weights and log(1 - q + q exp((2x - 1) / (2 sigma**2))) on trapezoidal nodes for x ~ N(0, sigma**2)."""
    sigma, q = mp.mpf(step.sigma), mp.mpf(step.q)
    spacing, reach = sigma / 8 * min(mp.mpf(1), sigma), 70  # the tilt moves the mass up to x = c + 1
    first, last = int(-14 * sigma / spacing), int((14 * sigma + reach) / spacing)
    table = []
    for i in range(first, last + 1):
        x = i * spacing
        weight = spacing * mp.npdf(x, 0, sigma)
        table.append((weight, mp.log(1 - q + q * mp.exp((2 * x - 1) / (2 * sigma**2)))))
    return table


def delta_of(question: Question, guess: mp.mpf) -> Delta:
    steps, kinds = question.steps, {step.kind for step in question.steps}
    if kinds == {"gaussian"}:
        return partial(gaussian_delta, mp.sqrt(mp.fsum(step.count / mp.mpf(step.sigma) ** 2 for step in steps)))
    if kinds == {"poisson"}:
        both = subsampled_deltas(steps, guess)
        return lambda epsilon: max(delta(epsilon) for delta in both)
    (step,) = steps
    return partial(laplace_delta if step.kind == "laplace" else response_delta, step)


def answer(question: Question, guess: float) -> float:
    """The true epsilon or delta; `guess` is a nearby epsilon, to place the contour and start the search."""
    delta = delta_of(question, mp.mpf(guess))
    if question.wanted == "delta":
        return float(delta(mp.mpf(question.at)))
    if question.at == 0:  # asked of pure mechanisms only, where it is the largest loss
        return float(mp.fsum(step.count * mp.log(mp.mpf(step.p) / (1 - mp.mpf(step.p))) for step in question.steps))
    target = mp.log(mp.mpf(question.at))
    return float(mp.findroot(lambda e: mp.log(delta(e)) - target, (guess, guess * 0.9999), tol=1e-32, verify=False))


def calibrated(case: Calibration) -> float:
    """The value at which delta at the target's epsilon is the target's delta; of counts the last one that keeps it."""
    epsilon, target = mp.mpf(case.epsilon), mp.log(mp.mpf(case.delta))

    def excess(value: mp.mpf) -> mp.mpf:
        return mp.log(delta_of(case.question(value), epsilon)(epsilon)) - target

    if case.whole:
        return next(count for count in range(int(case.truth) + 2, 0, -1) if excess(count) <= 0)
    return float(mp.findroot(excess, (case.truth, case.truth * 0.9999), tol=1e-28, verify=False))


def main(names: list[str]) -> None:
    for case in (*CASES, *DEFECTS):
        if (names and case.name not in names) or not math.isfinite(case.truth):
            continue  # infinite needs no check, and nan says that this method has no answer
        known = case.truth if case.question.wanted == "epsilon" else case.question.at
        value = answer(case.question, known)
        print(f"{case.name:24} stored {case.truth!r:24} computed {value!r:24}", flush=True)
    for case in CALIBRATIONS:
        if not names or case.name in names:
            print(f"{case.name:24} stored {case.truth!r:24} computed {calibrated(case)!r:24}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
