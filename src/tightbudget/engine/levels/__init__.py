"""Profiles of discretised privacy loss distributions, composed by FFT level by level (M4 to M7).

Belongs here: the plan of levels, carrying it out by FFT, and reading delta off the result.
Elsewhere: discretising one pair (`engine/discretisation`); convolution of plain sequences (`numerics/convolve.py`).
"""
