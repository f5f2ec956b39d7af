"""Independent truth for the tests, in one place. Every result is a flint ball (or encloses the truth as one).

| what                                        | where                 | how                                            |
| ------------------------------------------- | --------------------- | ---------------------------------------------- |
| Gaussian, also heterogeneous                | truth_exact.py        | closed form                                    |
| randomized response, promises, histograms   | truth_exact.py        | binomial and multinomial sums                  |
| Laplace, truncated Laplace, bounded range   | truth_laplace.py      | residues, exact for any count                  |
| discrete Laplace, discrete Gaussian         | truth_lattice.py      | polynomial power, or inversion on the lattice  |
| single releases; brackets for any count     | truth_steps.py        | tails; connect-the-dots and merging in balls   |
| anything with a density, any count          | truth_contour.py      | saddle-point contour integral                  |
| Poisson-subsampled Gaussian                 | truth_subsampled.py   | its moment generating function for the contour |
"""

from tests.reference.truth_contour import GaussianLaw, LaplaceLikeLaw, PointsLaw, TruncatedGaussianLaw, contour
from tests.reference.truth_exact import gaussian, histograms, promise, randomized_response
from tests.reference.truth_laplace import bounded_range, laplace, laplace_like, truncated_laplace
from tests.reference.truth_lattice import by_inversion, by_power, discrete_gaussian, discrete_laplace, lattice
from tests.reference.truth_numbers import ball, ends, rational
from tests.reference.truth_steps import bracket, one, subsampled, two
from tests.reference.truth_subsampled import SubsampledGaussianLaw

__all__ = [
    "GaussianLaw",
    "LaplaceLikeLaw",
    "PointsLaw",
    "SubsampledGaussianLaw",
    "TruncatedGaussianLaw",
    "ball",
    "bounded_range",
    "bracket",
    "by_inversion",
    "by_power",
    "contour",
    "discrete_gaussian",
    "discrete_laplace",
    "ends",
    "gaussian",
    "histograms",
    "laplace",
    "laplace_like",
    "lattice",
    "one",
    "promise",
    "randomized_response",
    "rational",
    "subsampled",
    "truncated_laplace",
    "two",
]
