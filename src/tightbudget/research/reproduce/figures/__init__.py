"""One module a figure, or a group of figures of one kind; FIGURES is the order of the report.

Belongs here: for each figure its settings, what is computed, and the paper's claims about it.
Elsewhere: drawing and judging (`research/reproduce`).
"""

from tightbudget.research.reproduce.figures import (
    four_mechanisms,
    gauss_and_response,
    gauss_renyi,
    laplace_and_gauss,
    randomized_response,
    speed,
    truncated_gauss,
    vuvuzela_curves,
    vuvuzela_growth,
    vuvuzela_least_noise,
)
from tightbudget.research.reproduce.model import Figure

FIGURES: tuple[Figure, ...] = (
    truncated_gauss.FIGURE,
    gauss_and_response.FIGURE,
    vuvuzela_curves.FIGURE_3,
    speed.FIGURE,
    randomized_response.FIGURE,
    four_mechanisms.FIGURE,
    gauss_renyi.FIGURE,
    laplace_and_gauss.FIGURE,
    vuvuzela_growth.FIGURE_15,
    vuvuzela_curves.FIGURE_16,
    vuvuzela_growth.FIGURE_18,
    vuvuzela_curves.FIGURE_19,
    vuvuzela_curves.FIGURE_20,
    vuvuzela_curves.FIGURE_21,
    vuvuzela_least_noise.FIGURE,
)
