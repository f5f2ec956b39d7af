"""One file for each layout that was ever published; none is changed afterwards."""
