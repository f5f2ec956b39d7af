"""Fully adaptive composition: filters, odometers and individual filters, and the exact amounts they count in.

Belongs here: what filters and odometers share: exact amounts and ticks, the price of a step, states written down and
read back, locks.
Elsewhere: bounds for a composition fixed in advance (`engine`, `classic`); games that test filters (`research/games`).
"""
