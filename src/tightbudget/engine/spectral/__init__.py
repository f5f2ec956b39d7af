"""Profiles read off the characteristic function of the privacy loss at few frequencies (M19).

Belongs here: the grid, the frequencies that matter, the characteristic function of the composed loss, and reading delta
off it.
Elsewhere: transforms of plain sequences (`numerics/characteristic.py`); composing the law itself (`engine/levels`).
"""
