"""The unit of rounding."""

U = 2.0**-53
"""Largest relative error of one float64 operation (M1)."""
