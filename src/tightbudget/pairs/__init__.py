"""Dominating pairs: two distributions seen through their privacy loss, each an exact privacy loss distribution."""
