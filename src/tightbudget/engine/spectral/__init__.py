"""Profiles read off the characteristic function of the privacy loss at few frequencies (M19)."""
