r"""Exact reference values for compositions of Laplace, truncated Laplace and bounded-range mechanisms.

In w = z + 1/2 the moment generating function E_A[e^{zL}; L < inf] of each of the three is of one form:

    M(w) = C [ e^{we} (kappa + 1/(2w)) + e^{-we} (kappa - 1/(2w)) ]

    Laplace          e = sensitivity/scale, kappa = 1,                     C = e^{-e/2} / 2
    truncated        kappa = 1 - e^{-(bound - sensitivity)/scale},         C = e^{-e/2} / (2 (1 - e^{-bound/scale}))
    bounded range    e = eta, kappa = 0,                                   C = 1 / (2 sinh(eta/2))

(atoms at +-e, density proportional to e^{x/2} between). Truncation leaves 1 - M(z=0) at loss +inf; if sensitivity >
bound the atoms vanish too: kappa = 0 and e = (2 bound - sensitivity)/scale. So

    delta_finite(eps) = 1/(2 pi i) int M^r e^{-z eps} / (z (1+z)) dz
                      = C^r e^{eps/2} sum_{j: y_j > 0} C(r,j) Res [ N_j(w) e^{w y_j} / (w^r (w^2 - 1/4)) ]

with y_j = (2j-r) e - eps, N_j = (kappa w + 1/2)^j (kappa w - 1/2)^{r-j} and the residues at w = 0, 1/2, -1/2: terms
with y_j < 0 close to the right, where there is no pole. The sum alternates, so the precision grows with r.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flint import arb, arb_poly, ctx
from tests.reference.truth_numbers import Number, ball, rational, sharpen


@dataclass(frozen=True)
class LaplaceLike:
    """The parameters of M(w), as functions evaluated at the working precision, and the mass at loss +inf."""

    e: Callable[[], arb]
    kappa: Callable[[], arb]
    scale: Callable[[], arb]
    infinite: Callable[[], arb]


def laplace(scale: Number, sensitivity: Number = 1) -> LaplaceLike:
    loss = rational(sensitivity) / rational(scale)
    return LaplaceLike(
        e=lambda: arb(loss),
        kappa=lambda: arb(1),
        scale=lambda: (-arb(loss) / 2).exp() / 2,
        infinite=lambda: arb(0),
    )


def bounded_range(eta: Number) -> LaplaceLike:
    return LaplaceLike(
        e=lambda: ball(eta),
        kappa=lambda: arb(0),
        scale=lambda: 1 / (2 * (ball(eta) / 2).sinh()),
        infinite=lambda: arb(0),
    )


def truncated_laplace(scale: Number, bound: Number, sensitivity: Number = 1) -> LaplaceLike:
    """Noise conditioned on [-bound, bound]; sensitivity < 2 bound."""
    b, c, shift = rational(scale), rational(bound), rational(sensitivity)
    if not 0 < shift < 2 * c:
        raise ValueError("the two supports do not overlap: delta is 1")
    whole = lambda: -(arb(-c / b)).expm1()  # noqa: E731
    wide = shift <= c
    return LaplaceLike(
        e=lambda: arb(shift / b if wide else (2 * c - shift) / b),
        kappa=lambda: -(arb((shift - c) / b)).expm1() if wide else arb(0),
        scale=lambda: (-arb(shift / b) / 2).exp() / (2 * whole()),
        infinite=lambda: _first_strip(c / b, shift / b) / whole(),
    )


def laplace_like(law: LaplaceLike, count: int, epsilon: Number) -> arb:
    """Return delta(epsilon) of the law composed with itself `count` times, epsilon >= 0."""

    def value() -> arb:
        keep = (1 - law.infinite()) ** count
        return (1 - keep) + _residues(law, count, ball(epsilon))

    certain = law.infinite().is_zero()
    with ctx.workprec(128):
        if certain and count * law.e() <= ball(epsilon):
            return arb(0)
    return sharpen(value, 192 + 4 * count)


def _residues(law: LaplaceLike, r: int, eps: arb) -> arb:
    e, kappa = law.e(), law.kappa()
    plus, minus = arb_poly([arb(1) / 2, kappa]), arb_poly([-arb(1) / 2, kappa])
    half, powers_of_two = arb(1) / 2, arb(2) ** r
    # 1/(w^2 - 1/4) = -4 sum (4 w^2)^i
    outer = arb_poly([-(arb(4) ** (1 + i // 2)) if i % 2 == 0 else arb(0) for i in range(r)])
    first = max(0, int(((eps / e + r) / 2).lower().floor().unique_fmpz()))
    inverse_factorials = [arb(1)]
    for i in range(1, r):
        inverse_factorials.append(inverse_factorials[-1] / i)
    total = arb(0)
    for j in range(first, r + 1):
        y = (2 * j - r) * e - eps
        if y <= 0:
            continue
        series = (plus**j * minus ** (r - j) * outer).coeffs()[:r]
        reversed_terms = [c * inverse_factorials[r - 1 - i] for i, c in enumerate(series)]
        at_zero = arb_poly(reversed_terms[::-1] if len(series) == r else _padded(reversed_terms, r))(y)
        at_half = powers_of_two * plus(half) ** j * minus(half) ** (r - j) * (y / 2).exp()
        at_minus = -((-1) ** r) * powers_of_two * plus(-half) ** j * minus(-half) ** (r - j) * (-y / 2).exp()
        term = arb.bin_uiui(r, j) * (at_zero + at_half + at_minus)
        total += term if y > 0 else term.union(arb(0))
    return total * law.scale() ** r * (eps / 2).exp()


def _padded(terms: list[arb], r: int) -> list[arb]:
    return (terms + [arb(0)] * (r - len(terms)))[::-1]


def _first_strip(c: object, shift: object) -> arb:
    """Laplace(1) mass of [-c, -c + shift), where only the first distribution lives."""
    c, edge = arb(c), arb(shift) - arb(c)
    if edge <= 0:
        return (edge.exp() - (-c).exp()) / 2
    return 1 - (-edge).exp() / 2 - (-c).exp() / 2
