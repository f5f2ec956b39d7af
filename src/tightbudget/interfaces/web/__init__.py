"""The pages: explorer, budgets, and the papers.

Belongs here: what browsers are shown; templates in templates/, styles and scripts in static/.
Elsewhere: who may ask, limits and JSON (`interfaces/api`); all that is computed or decided (the rooms below).
"""
