"""Arithmetic with a stated error; knows no word of privacy.

Belongs here: directed rounding, logarithms, convolution, characteristic functions, searches, caches, and the bracket as
two numbers.
Elsewhere: anything that speaks of mechanisms, losses or epsilon.
"""
