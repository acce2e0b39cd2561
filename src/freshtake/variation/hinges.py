"""Joints that turn about one axis in all examples, and keep to it in variants: knees do not bend sideways.

The DOFs of such a joint are an angle times a direction, and vary as if they were independent; what lies off the
direction is taken away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.motion.features.clip_features import ClipLayout
from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material

ALONG = 1e-4  # of its movement that may lie off a hinge's direction: what rounding and file formats leave


class Hinge(NamedTuple):
    """The columns of a joint's DOFs and the unit vector that they move along."""

    columns: Ints
    direction: Floats


def hinges_of(material: Material) -> tuple[Hinge, ...]:
    """All joints of a body that turn about one axis in the examples."""
    layout = None if material.recipe is None else material.recipe.layout
    if not isinstance(layout, ClipLayout) or layout.angles == "positions":
        return ()
    rows = np.concatenate(material.values)
    owners = [name.rpartition(".")[0] for name in material.names]
    root, hinges = layout.skeleton.names[0], []
    for joint in dict.fromkeys(owners):
        columns = np.array([k for k, owner in enumerate(owners) if owner == joint], np.intp)
        if joint == root or len(columns) < 2:
            continue
        _, sizes, directions = np.linalg.svd(rows[:, columns], full_matrices=False)
        if sizes[1] <= ALONG * sizes[0]:
            hinges.append(Hinge(columns, directions[0]))
    return tuple(hinges)


def on_hinges(hinges: tuple[Hinge, ...], rows: Floats) -> Floats:
    """Rows (frames, DOFs) whose hinged joints turn about their axes only."""
    if not hinges:
        return rows
    out = rows.copy()
    for size in {len(hinge.columns) for hinge in hinges}:
        alike = [hinge for hinge in hinges if len(hinge.columns) == size]
        columns, directions = np.stack([h.columns for h in alike]), np.stack([h.direction for h in alike])
        along = np.einsum("fhc,hc->fh", rows[:, columns], directions)
        out[:, columns] = along[..., None] * directions
    return out
