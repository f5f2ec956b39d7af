"""Dominating pairs: two distributions seen through their privacy loss, each an exact privacy loss distribution.

Belongs here: the masses of A and B by privacy loss (Gaussian, exponential, point masses, Poisson-subsampled), and what
is cut out of a pair.
Elsewhere: names and parameters of mechanisms (`mechanisms`); grids and composition (`engine`).
"""
