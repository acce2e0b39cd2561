"""Iterative motion warping: which frames of two styles belong together (Hsu 2005, §3)."""
