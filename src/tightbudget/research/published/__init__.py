"""Privacy buckets as published: Meiser and Mohammadi, "Tight on Budget?" (2018), with its slips corrected (M11).

Belongs here: bucket lists, composition trees and their readings under the paper's own names.
Elsewhere: this package's own engine (`engine`); the paper's figures (`research/reproduce`).

leaves       embed, laplace, truncated_laplace, gauss, truncated_gauss, sgd, randomized_response, histograms
trees        Leaf, Compose, Square; power and joined build them with adaptive squaring
readings     delta_without_ec (Definition 5), delta_with_ec (Definition 9), delta_low (Theorem 2)
bounds       TreePair (both directions); tree_pair makes one for any composition
"""

from tightbudget.pairs.base import Direction
from tightbudget.research.published.buckets import Buckets
from tightbudget.research.published.embeddings import (
    embed,
    fitting_log_factor,
    gauss,
    histograms,
    laplace,
    randomized_response,
    sgd,
    truncated_gauss,
    truncated_laplace,
)
from tightbudget.research.published.readings import delta_low, delta_with_ec, delta_without_ec, first_index
from tightbudget.research.published.squaring import FREE_INFTY_BUDGET, GROWTH, joined, power
from tightbudget.research.published.tree import Compose, Leaf, Square, Tree
from tightbudget.research.published.tree_pair import TreePair, tree_pair

__all__ = [
    "FREE_INFTY_BUDGET",
    "GROWTH",
    "Buckets",
    "Compose",
    "Direction",
    "Leaf",
    "Square",
    "Tree",
    "TreePair",
    "delta_low",
    "delta_with_ec",
    "delta_without_ec",
    "embed",
    "first_index",
    "fitting_log_factor",
    "gauss",
    "histograms",
    "joined",
    "laplace",
    "power",
    "randomized_response",
    "sgd",
    "tree_pair",
    "truncated_gauss",
    "truncated_laplace",
]
