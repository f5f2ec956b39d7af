"""Profiles of discretised privacy loss distributions, composed by FFT level by level (M4 to M7)."""
