"""The units of rounding."""

U = 2.0**-53
"""Largest relative error of one float64 operation (M1)."""

TINIEST = 2.0**-1074
"""The smallest float above 0: the absolute error of one operation whose result is denormal (M1)."""
