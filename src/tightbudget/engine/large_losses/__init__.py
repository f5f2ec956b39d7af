"""Compositions whose rare large losses are followed apart from the rest (M20).

Belongs here: the split of events by whether, and how often, a step loses more than a ceiling.
Elsewhere: the pairs of small and of large losses (`pairs/below.py`, `pairs/above.py`).
"""
