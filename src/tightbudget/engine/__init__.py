"""The engine: two-sided bounds on the hockey-stick divergence of a composition of dominating pairs.

Belongs here: everything from a composition of pairs to a bracket.
Elsewhere: what one pair is (`pairs`); arithmetic that knows nothing of privacy (`numerics`).

refine           picks routes to a bracket, tries them, keeps the narrowest (M9)
closed           closed forms: normal noise, repeated Laplace noise, one step
spectral         the characteristic function at few frequencies (M19)
levels           discretised privacy loss distributions, composed by FFT level by level (M4 to M7)
large_losses     rare large losses taken apart (M20)
discretisation   one pair on a grid of losses: connect the dots for the upper end, merge for the lower (M5, M6)
"""
