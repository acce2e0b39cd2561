"""How a take differs from the mean: traits, which hold from its first frame to its last, and the rest.

d_i(phase) = sum_q trait_qi basis_qi(phase) + size_i(phase) rest_i(phase)

The traits of a node are its posture (an offset), its extent (how far it follows its own mean course) and its timing
(how far it runs ahead or behind). The rest changes within the take.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.variation.synthesis.common_phase import read_at
from freshtake.variation.synthesis.courses import Courses, smoothed

TRAITS = ("posture", "extent", "timing")
TIMING = TRAITS.index("timing")
POINTS = 17  # at which sizes are kept
SMOOTH = 0.05  # share of a take over which sizes are smoothed
LEAST = 0.3  # of a node's mean size: how small it may get where takes agree


class Split(NamedTuple):
    """Deviations of the examples from their mean, taken apart; sizes are those of a further take."""

    basis: Floats  # (traits, phases, nodes), mean square 1 over phases, or 0
    traits: Floats  # (examples, traits, nodes) in units of their sizes
    rest: Floats  # (examples, phases, nodes), likewise
    trait_sizes: Floats  # (traits, nodes)
    sizes: Floats  # (POINTS, nodes)


def trait_basis(mean: Floats, cyclic: bool) -> Floats:
    """1, the mean course and its slope, made orthogonal node by node: (traits, phases, nodes)."""
    whole = mean[:-1] if cyclic else mean
    even = smoothed(whole, SMOOTH * len(whole), cyclic)  # slopes of what is quick would jerk
    slope = 0.5 * (np.roll(even, -1, axis=0) - np.roll(even, 1, axis=0)) if cyclic else np.gradient(even, axis=0)
    shapes: list[Floats] = []
    for shape in (np.ones_like(whole), whole, slope):
        left = shape.copy()
        for other in shapes:
            left -= other * (other * left).mean(axis=0)
        size = np.sqrt((left * left).mean(axis=0))
        usable = size > 1e-6 * np.sqrt((shape * shape).mean(axis=0)) + 1e-300
        shapes.append(np.where(usable, left / np.where(usable, size, 1.0), 0.0))
    out = np.stack(shapes)
    return np.concatenate([out, out[:, :1]], axis=1) if cyclic else out


def split_deviations(courses: Courses) -> Split:
    """Traits and rest of all examples, each in units of how far a further take is expected to deviate.

    A further take differs from the mean of L others by more than takes differ from their own mean: (1 + 1/L) times
    their variance. Traits do so; the rest has the size that it has in the takes, where what is quick counts.
    """
    examples, last = len(courses.smooth), -1 if courses.cyclic else None
    mean = courses.mean
    deviations, basis = courses.smooth - mean, trait_basis(mean, courses.cyclic)
    further = np.sqrt((1.0 + 1.0 / examples) / max(examples - 1, 1))
    traits = np.einsum("epn,qpn->eqn", deviations[:, :last], basis[:, :last]) / len(mean[:last])
    rest = deviations - np.einsum("eqn,qpn->epn", traits, basis)
    trait_sizes = further * np.sqrt((traits * traits).sum(axis=0))
    spread = np.sqrt((rest * rest).sum(axis=0) / max(examples - 1, 1))
    sizes = _profile(spread[:last], courses.cyclic)
    usual = sizes_at(sizes, len(mean))
    traits = traits / np.maximum(trait_sizes, 1e-12)
    return Split(basis, traits, rest / np.maximum(usual, 1e-12), trait_sizes, sizes)


def _profile(spread: Floats, cyclic: bool) -> Floats:
    """A smooth curve through sizes (phases, nodes) with the same mean square, at POINTS places."""
    smooth = smoothed(spread, SMOOTH * len(spread), cyclic)
    smooth = np.maximum(smooth, LEAST * smooth.mean(axis=0))
    smooth *= np.sqrt((spread * spread).mean(axis=0) / np.maximum((smooth * smooth).mean(axis=0), 1e-300))
    if cyclic:
        smooth = np.concatenate([smooth, smooth[:1]])
    return np.maximum(read_at(smooth, np.linspace(0.0, len(smooth) - 1.0, POINTS)), 0.0)


def sizes_at(sizes: Floats, phases: int) -> Floats:
    """Sizes (POINTS, nodes) read at `phases` phases: (phases, nodes)."""
    return np.maximum(read_at(sizes, np.linspace(0.0, len(sizes) - 1.0, phases)), 0.0)
