"""Traits from standard normal values, compiled: tied as the network says, spread evenly, and following their swings."""

from __future__ import annotations

import math

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled, uncounted
from freshtake.variation.synthesis.swing_following import SwingTables


@compiled
def tie_traits(columns: Floats, swings: SwingTables, drawn: Floats, out: Floats) -> None:
    """Knots of traits (knots, traits, nodes) from as many standard normal values.

    `columns` (traits, nodes, nodes) are the roots of `Dynamics`, transposed. Of normal draws one in twenty lies two
    standard deviations off and leaves the range of a few takes: tied values are spread evenly over +-sqrt(3) standard
    deviations, which has the same variance.
    """
    missing = np.empty(len(swings.nodes))
    for k in range(len(drawn)):
        _tie(columns, drawn[k], out[k])
        follow_swings(swings, out[k], missing)


@uncounted
def _tie(columns: Floats, drawn: Floats, out: Floats) -> None:
    traits, nodes = out.shape
    for q in range(traits):
        row, block = out[q], columns[q]
        for i in range(nodes):
            row[i] = 0.0
        for j in range(nodes):
            value, column = drawn[q, j], block[j]
            for i in range(nodes):
                row[i] += column[i] * value
        for i in range(nodes):
            row[i] = math.sqrt(3.0) * math.erf(row[i] / math.sqrt(2.0))


@uncounted
def follow_swings(tables: SwingTables, traits: Floats, missing: Floats) -> None:
    """Change traits (traits, nodes) so that hands and feet swing as far as their nodes say; `missing` is for work."""
    count, nodes = traits.shape
    for e in range(len(tables.nodes)):  # the posture of a node that is constant is its value
        missing[e] = traits[0, tables.nodes[e]] * tables.sizes[e]
        for q in range(count):
            for i in range(nodes):
                missing[e] -= traits[q, i] * tables.changes[e, q * nodes + i]
    for q in range(count):
        for i in range(nodes):
            for e in range(len(tables.nodes)):
                traits[q, i] += missing[e] * tables.follows[q * nodes + i, e]
