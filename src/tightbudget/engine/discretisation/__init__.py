"""Privacy loss distributions on a grid: every pair has an upper and a lower discretisation (M5, M6).

Belongs here: one pair put on a grid from above (spread, connect the dots) and from below (merge), tilted lists of
masses, truncated tails.
Elsewhere: composing such lists (`engine/levels`, `engine/spectral`).
"""
