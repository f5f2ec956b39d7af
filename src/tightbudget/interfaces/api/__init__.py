"""The service: HTTP under /v1, with JSON shapes as the command prints them.

Belongs here: settings, routes, who may call them, limits of time, memory and rate, logs and metrics.
Elsewhere: JSON shapes (`interfaces/wire.py`); tokens and roles (`access`); pages (`interfaces/web`); budgets
(`ledger`).
"""
