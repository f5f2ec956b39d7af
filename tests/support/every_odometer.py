"""Odometers of every kind, made anew at each call."""

from collections.abc import Callable

from tightbudget import odometers as o

EVERY: list[Callable[[], o.Odometer]] = [
    lambda: o.BasicOdometer("0.01"),
    lambda: o.RogersOdometer("0.02", n=1000),
    lambda: o.LineOdometer("0.02", delta_for_steps="0.01", tight_at="1/3"),
    lambda: o.MixtureOdometer("0.02", delta_for_steps="0.01", tight_at=0.7),
    lambda: o.OneSidedMixtureOdometer("0.02", delta_for_steps="0.01"),
    lambda: o.StitchedOdometer("0.02", delta_for_steps="0.01", start=0.3),
    lambda: o.RenyiOdometer("0.02", delta_for_steps="0.01", orders=["4/3", 2, 5.5, 30], weights=[0.1, 0.2, 0.3, "2/5"]),
]
