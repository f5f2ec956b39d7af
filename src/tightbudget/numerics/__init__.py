"""Arithmetic with a stated error; knows no word of privacy."""
