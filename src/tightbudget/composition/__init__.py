"""Many pairs into one: what to compute, with which step, window and tilt, and doing it."""
