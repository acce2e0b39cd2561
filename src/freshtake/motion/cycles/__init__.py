"""Recurring motions: find cycles and repeated actions, cut them, and join clips."""
