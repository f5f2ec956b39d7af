"""Thin faces of the library: parse, one call, show.

Belongs here: pictures, JSON shapes, and the command (`cli`).
Elsewhere: anything that computes a bound; figures of the papers (`research/reproduce`).
"""
