"""Thin faces of the library: parse, one call, show."""
