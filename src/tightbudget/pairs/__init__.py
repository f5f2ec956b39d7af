"""Dominating pairs: two distributions seen through their privacy loss."""
