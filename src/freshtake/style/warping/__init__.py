"""Iterative motion warping: find the frames of two styles that belong together (Hsu 2005, §3)."""
