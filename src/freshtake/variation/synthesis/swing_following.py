"""How the traits of all nodes follow from how far hands and feet swing.

With G how a swing changes with the traits, along the mean,

    traits' = traits + G' (G G')^-1 (swing - G traits)

which is the least change, in units of how far traits vary, that brings hands and feet as far as their nodes say; see
trait_kernels for how it is made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material
from freshtake.variation.synthesis.courses import Courses
from freshtake.variation.synthesis.dynamics import Dynamics
from freshtake.variation.synthesis.frame_kernels import Tables
from freshtake.variation.synthesis.leg_following import FootTables, mean_pose
from freshtake.variation.synthesis.swing_nodes import furthest, swing_numbers
from freshtake.variation.synthesis.traits import TRAITS

LEAST = 1e-9  # of the largest change of any swing: below it a swing follows from nothing


class SwingTables(NamedTuple):
    """How swings and traits belong together; traits are flat, (traits * nodes,)."""

    nodes: Ints  # (ends,): which nodes the swings are
    sizes: Floats  # (ends,): what one standard deviation of a swing is
    changes: Floats  # (ends, traits * nodes): G
    follows: Floats  # (traits * nodes, ends): G' (G G')^-1


def swings_along(dynamics: Dynamics, courses: Courses, material: Material, tables: Tables) -> SwingTables:
    """How swings change with the traits of all nodes: at the two phases where an end is furthest ahead and behind."""
    swings, traits = courses.body.swings, len(TRAITS)
    nodes, count = courses.smooth.shape[2], len(swings.joints)
    numbers = swing_numbers(swings, nodes)
    changes = np.zeros((count, traits, nodes))
    if count:
        phases, moves = furthest(swings, material, mean_pose(courses, material))
        for e in range(count):
            for phase, change in zip(phases[e], moves[e], strict=True):
                by_node = np.concatenate([change, np.zeros(nodes - len(change))])
                changes[e] += _read_traits(tables, int(phase)) * _before_legs_follow(tables.feet, int(phase), by_node)
    return swing_tables(numbers, dynamics.trait_sizes[0, numbers], changes.reshape(count, traits * nodes))


def _before_legs_follow(feet: FootTables, phase: int, change: Floats) -> Floats:
    """How something changes with the nodes (nodes,) from how it changes with the DOFs that legs have after following.

    The transpose of frame_kernels.follow_feet, foot after foot from the last.
    """
    out = change.copy()
    for e in reversed(range(len(feet.legs))):
        by_place = feet.follows[phase, e].T @ out[feet.legs[e]]
        np.subtract.at(out, feet.moving[e], feet.moves[phase, e].T @ by_place)
        out[feet.first + 3 * e : feet.first + 3 * e + 3] += by_place
        out[feet.travel] += feet.stride[phase, e] * by_place[0]
    return out


def _read_traits(tables: Tables, phase: int) -> Floats:
    """What one standard deviation of every trait adds at a whole phase, (traits, nodes); feet wait while they stand."""
    out, feet, last = tables.basis[:, phase].copy(), tables.feet, len(tables.mean) - 1
    for e in range(feet.held.shape[1]):
        there = phase + feet.held[phase, e]
        at = round(there % last if tables.cyclic else min(max(there, 0.0), last))
        foot_columns = slice(feet.first + 3 * e, feet.first + 3 * e + 3)
        out[:, foot_columns] = tables.basis[:, at, foot_columns]
    return out


def swing_tables(nodes: Ints, sizes: Floats, changes: Floats) -> SwingTables:
    """The least change of all traits that brings the swings to their values, from G."""
    inner = changes @ changes.T
    largest = float(np.abs(inner).max(initial=0.0))
    follows = np.linalg.solve(inner + (LEAST * largest + 1e-300) * np.eye(len(inner)), changes).T
    return SwingTables(nodes, sizes, np.ascontiguousarray(changes), np.ascontiguousarray(follows))
