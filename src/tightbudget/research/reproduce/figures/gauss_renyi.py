"""Figure 13: the Gauss mechanism against Rényi and concentrated privacy."""

import math
from collections.abc import Mapping, Sequence

from tightbudget.classic import kov, moments_accountant, renyi_dp, zcdp
from tightbudget.mechanisms import Gaussian
from tightbudget.research.published import tree_pair
from tightbudget.research.reproduce.figures.two_views import TwoViews
from tightbudget.research.reproduce.model import Claim, Data, Figure, Number
from tightbudget.research.reproduce.sources import bucket_number, by_buckets, classic_epsilon, epsilon_grid
from tightbudget.research.reproduce.verdicts import (
    bracket_ends,
    bracket_in_verdict,
    bracket_ratio,
    exact_ends,
    verdict_on_both,
    verdict_within,
)

MECHANISM, ROUNDS, DELTA = Gaussian(200.0 * math.sqrt(2.0)), 512, 1e-5
BOUNDS = ((kov, 1), (moments_accountant, 3), (renyi_dp, 4), (zcdp, 2))
VIEWS = TwoViews(MECHANISM, ROUNDS, DELTA, BOUNDS)


def compute_figure(quick: bool) -> Data:
    n, composition = bucket_number(quick), MECHANISM * ROUNDS
    epsilons = epsilon_grid(1.0, 1.8, 21 if quick else 81)
    left = VIEWS.left(composition, epsilons, epsilons[:: 2 if quick else 6], n, floor=1e-10, ceiling=2.0)
    right = VIEWS.right(quick, n, ceiling=2.5, y_log=False)
    facts = {
        "n": exact_ends(float(n)),
        "ours": bracket_ends(composition.epsilon(DELTA, rtol=1e-6)),
        "ours 2": bracket_ends((MECHANISM * 2).epsilon(DELTA, rtol=1e-6)),
        "kov 2": exact_ends(classic_epsilon(kov, MECHANISM * 2, DELTA)),
        "buckets": bracket_ends(tree_pair(composition, n).epsilon(DELTA)),
        **{bound.name: exact_ends(classic_epsilon(bound, composition, DELTA)) for bound, _ in BOUNDS},
    }
    return Data([left, right], facts)


def claims(facts: Mapping[str, Number]) -> Sequence[Claim]:
    where = f"ε at δ = {DELTA:g}, r = {ROUNDS}"
    buckets, old, tight, concentrated, best = (
        facts[name] for name in ("buckets", moments_accountant.name, renyi_dp.name, zcdp.name, kov.name)
    )
    early, late = bracket_ratio(facts["kov 2"], facts["ours 2"]), bracket_ratio(best, facts["ours"])
    return [
        Claim(
            "5.8",
            "Privacy buckets are tighter than RDP and CDP for the Gauss mechanism",
            f"{where}: buckets {bracket_in_verdict(buckets, 5)}, RDP {old[1]:.4g} (today's translation {tight[1]:.4g}), "
            f"CDP {concentrated[1]:.4g}",
            verdict_on_both(
                verdict_on_both(
                    verdict_within(bracket_ratio(old, exact_ends(buckets[1])), 1.0 + 1e-9),
                    verdict_within(bracket_ratio(tight, exact_ends(buckets[1])), 1.0 + 1e-9),
                ),
                verdict_within(bracket_ratio(concentrated, exact_ends(buckets[1])), 1.0 + 1e-9),
            ),
        ),
        Claim(
            "5.8",
            "CDP is significantly tighter than MA whenever it can be applied",
            f"{where}: MA / CDP = {bracket_in_verdict(bracket_ratio(old, concentrated), 4)}",
            verdict_within(bracket_ratio(old, concentrated), 1.05),
            "Gauss, at least 5 % of ε; MA translated as in the paper",
        ),
        Claim(
            "5.8",
            "CDP is significantly tighter than MA whenever it can be applied",
            f"{where}: Rényi DP / CDP = {bracket_in_verdict(bracket_ratio(tight, concentrated), 4)}",
            verdict_within(bracket_ratio(tight, concentrated), 1.05),
            "Gauss, at least 5 % of ε; Rényi DP translated as is known today",
        ),
        Claim(
            "5.8, Figure 13",
            "The KOV bound becomes inaccurate with an increasing number of compositions",
            f"KOV / our ε: {bracket_in_verdict(early, 4)} at r = 2, {bracket_in_verdict(late, 4)} at r = {ROUNDS}",
            verdict_within((late[0] / early[1], late[1] / early[0]), 1.2),
        ),
        Claim(
            "5.8",
            "In all cases the bounds derived from the privacy buckets are tight",
            f"{where}: buckets {bracket_in_verdict(buckets, 5)}, engine {bracket_in_verdict(facts['ours'], 7)}",
            by_buckets(verdict_within(exact_ends(buckets[1] / buckets[0]), 1.0, 1.05), facts["n"][0]),
            "Gauss, within 5 % of ε",
        ),
    ]


FIGURE = Figure(
    "figure-13",
    "Figure 13: Gauss against Rényi and concentrated privacy",
    'GS(0, 2·200²) against GS(1, 2·200²). "moments accountant" is the translation of 2018, "Rényi DP" the best known today.',
    VIEWS.figure_settings,
    compute_figure,
    claims,
)
