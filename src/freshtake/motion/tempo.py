"""How fast motion may be played, for every method: all limits of tempo, as factors of the usual one."""

from __future__ import annotations

# What a caller may ask for: a walk that is a third slower or two fifths faster still looks like a walk.
SLOWEST, FASTEST = 0.7, 1.4
# What a take or a class may do within itself, relative to its mean: beyond, its phase was lost.
SLOWEST_PACE, FASTEST_PACE = 0.4, 2.5
# Durations of cycles relative to the usual one: others hold half a cycle, or two.
SHORTEST_CYCLE, LONGEST_CYCLE = 0.6, 1.6
