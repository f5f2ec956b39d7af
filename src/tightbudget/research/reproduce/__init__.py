"""The evaluation of "Tight on Budget?" (Meiser and Mohammadi 2018) computed again, with a verdict on each claim.

Belongs here: the model of a figure, series from engine, buckets and theorems, verdicts, drawing, storing, the report.
Elsewhere: the figures themselves (`research/reproduce/figures`); pictures of a user's own answers (`interfaces`).
"""
