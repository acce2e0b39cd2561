"""Variants with goals: poses, places, a duration, a path on the ground."""
