"""Privacy loss distributions on a grid: every pair has an upper and a lower discretisation (M5, M6)."""
