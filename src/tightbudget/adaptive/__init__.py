"""Fully adaptive composition: filters, odometers and individual filters, and the exact amounts they count in."""
