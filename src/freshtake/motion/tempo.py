"""Tempo limits for every method, as factors of the usual tempo."""

# What a caller may request: a walk that is a third slower or two fifths faster still looks like a walk.
SLOWEST, FASTEST = 0.7, 1.4
# Variation within a take or class, relative to its mean: beyond this, its phase was lost.
SLOWEST_PACE, FASTEST_PACE = 0.4, 2.5
# Durations of cycles relative to the usual one: anything else is half a cycle, or two.
SHORTEST_CYCLE, LONGEST_CYCLE = 0.6, 1.6
