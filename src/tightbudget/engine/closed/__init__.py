"""Closed forms: privacy profiles that take no discretisation (M8, M21).

Belongs here: delta of Gaussian noise, of repeated Laplace noise and of one step by a formula or a plain sum.
Elsewhere: whatever composes on a grid (`engine/spectral`, `engine/levels`).
"""
