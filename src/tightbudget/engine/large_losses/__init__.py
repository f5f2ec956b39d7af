"""Compositions whose rare large losses are followed apart from the rest (M20)."""
