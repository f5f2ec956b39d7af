"""Rényi moments of a pair, E_A e^{(a-1)L}: closed forms, and bounds from finitely many events (M10).

Belongs here: E_A e^{(a-1)L} of one pair, and rho and mu that hold at every order.
Elsewhere: sums over a composition, and conversions to epsilon (`divergences`).
"""
