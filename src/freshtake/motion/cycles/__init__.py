"""Motions that recur: finding cycles and repeated actions, cutting, and joining clips."""
