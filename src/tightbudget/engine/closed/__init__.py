"""Closed forms: privacy profiles that take no discretisation (M8, M21)."""
