"""Variants that are asked for something: poses, places, a duration, a way over the ground."""
