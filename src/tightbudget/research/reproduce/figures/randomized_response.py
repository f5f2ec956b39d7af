"""Figure 11: randomised response, the published buckets against KOV, Rényi and concentrated privacy."""

from collections.abc import Mapping, Sequence

from tightbudget.classic import cdp, kov, moments_accountant, renyi_dp
from tightbudget.mechanisms import RandomizedResponse
from tightbudget.research.published import tree_pair
from tightbudget.research.reproduce.figures.two_views import TwoViews
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number
from tightbudget.research.reproduce.sources import bucket_number, classic_epsilon, epsilon_grid
from tightbudget.research.reproduce.verdicts import (
    bracket_ends,
    bracket_in_verdict,
    bracket_ratio,
    exact_ends,
    verdict_on_both,
    verdict_within,
)

MECHANISM, ROUNDS, DELTA = RandomizedResponse(0.51), 512, 1e-4
BOUNDS = ((kov, 1), (moments_accountant, 3), (renyi_dp, 4), (cdp, 2))
VIEWS = TwoViews(MECHANISM, ROUNDS, DELTA, BOUNDS)


def compute_figure(quick: bool) -> Data:
    n, composition = bucket_number(quick), MECHANISM * ROUNDS
    epsilons = epsilon_grid(1.0, 60.0, 21 if quick else 60)
    left = VIEWS.left(composition, epsilons, epsilons[:: 2 if quick else 4], n, floor=1e-8)
    right = VIEWS.right(quick, n, ceiling=300.0)
    facts = {
        "ours": bracket_ends(composition.epsilon(DELTA, rtol=1e-5)),
        "buckets": bracket_ends(tree_pair(composition, n).epsilon(DELTA)),
        **{bound.name: exact_ends(classic_epsilon(bound, composition, DELTA)) for bound, _ in BOUNDS},
    }
    return Data([left, right], facts)


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    ours, buckets = facts["ours"], facts["buckets"]
    old, tight, concentrated, best = (facts[bound.name] for bound in (moments_accountant, renyi_dp, cdp, kov))
    where = f"ε at δ = {DELTA:g}, r = {ROUNDS}"
    return [
        Claim(
            "5.5",
            "Privacy buckets clearly lead to tighter bounds than CDP and RDP",
            f"{where}: buckets {bracket_in_verdict(buckets, 4)}, CDP {concentrated[1]:.4g}, RDP {old[1]:.4g}",
            verdict_on_both(
                verdict_within(bracket_ratio(concentrated, exact_ends(buckets[1])), 1.02),
                verdict_within(bracket_ratio(old, exact_ends(buckets[1])), 1.02),
            ),
        ),
        Claim(
            "5.5",
            "CDP yields tighter bounds than RDP, since the translation to ADP is tighter",
            f"{where}: CDP {concentrated[1]:.4g}, RDP {old[1]:.4g}",
            verdict_within(bracket_ratio(old, concentrated), 1.0 + 1e-9),
            "RDP translated as in the paper (moments accountant)",
        ),
        Claim(
            "5.5",
            "CDP yields tighter bounds than RDP, since the translation to ADP is tighter",
            f"{where}: CDP {concentrated[1]:.4g}, RDP {tight[1]:.4g}",
            verdict_within(bracket_ratio(tight, concentrated), 1.0 + 1e-9),
            "RDP translated as is known today",
        ),
        Claim(
            "5.8",
            "For randomised response, KOV is tight",
            f"{where}: KOV {best[1]:.6g}, our bracket {bracket_in_verdict(ours, 6)}",
            verdict_within(bracket_ratio(best, exact_ends(ours[0])), 1.0 - 1e-4, 1.001),
        ),
        Claim(
            "5.8",
            "In all cases the bounds derived from the privacy buckets are tight",
            f"{where}: upper / lower {bracket_in_verdict(exact_ends(buckets[1] / buckets[0]), 6)}",
            verdict_within(exact_ends(buckets[1] / buckets[0]), 1.0, 1.01),
            "randomised response, within 1 % of ε",
        ),
    ]


FIGURE = Figure(
    "figure-11",
    "Figure 11: randomised response with p = 0.51",
    "Left: δ over e^ε after 512 compositions. Right: e^ε over the compositions. KOV is exact here and lies on our band.",
    VIEWS.figure_settings,
    compute_figure,
    claims,
)
