"""Draw variants that meet goals: poses, positions, a duration, a path on the ground."""
