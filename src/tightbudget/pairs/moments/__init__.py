"""Rényi moments of a pair, E_A e^{(a-1)L}: closed forms, and bounds from finitely many events (M10)."""
