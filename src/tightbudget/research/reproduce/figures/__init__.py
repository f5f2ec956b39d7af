"""One module a figure, or a group of figures of one kind; FIGURES is the order of the report."""

from tightbudget.research.reproduce.figures import (
    four_mechanisms,
    gauss_and_response,
    gauss_renyi,
    laplace_and_gauss,
    noise_curves,
    noise_growth,
    noise_needed,
    randomized_response,
    speed,
    truncated_gauss,
)
from tightbudget.research.reproduce.model import Figure

FIGURES: tuple[Figure, ...] = (
    truncated_gauss.FIGURE,
    gauss_and_response.FIGURE,
    noise_curves.FIGURE_3,
    speed.FIGURE,
    randomized_response.FIGURE,
    four_mechanisms.FIGURE,
    gauss_renyi.FIGURE,
    laplace_and_gauss.FIGURE,
    noise_growth.FIGURE_15,
    noise_curves.FIGURE_16,
    noise_growth.FIGURE_18,
    noise_curves.FIGURE_19,
    noise_curves.FIGURE_20,
    noise_curves.FIGURE_21,
    noise_needed.FIGURE,
)
