"""The evaluation of "Tight on Budget?" (Meiser and Mohammadi 2018) computed again, with a verdict on each claim."""
