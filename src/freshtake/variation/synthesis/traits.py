"""How a take differs from the mean: traits, which hold from its first frame to its last, and the rest.

d_i(phase) = sum_q trait_qi basis_qi(phase) + size_i(phase) rest_i(phase)

The traits of a node are its posture (an offset), its extent (how far it follows its own mean course) and its timing
(how far it runs ahead or behind). The rest changes within the take.

Extent and timing are read off slopes: of a take that drifts slowly, its mean course explains nothing, but values along
a few steps would follow it by chance. Rest and trait would then cancel in the takes, and add up in what is drawn.
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


def trait_readers(basis: Floats, cyclic: bool) -> Floats:
    """Weights (traits, phases, nodes) by which deviations sum to traits; a cycle's last phase is not there.

    Extent and timing leave a rest of the least slopes, posture one of mean 0.
    """
    phases, quick = basis.shape[1], basis[1:]
    slopes = np.roll(quick, -1, axis=1) - quick if cyclic else np.diff(quick, axis=1)
    before, after = (np.roll(slopes, 1, axis=1), slopes) if cyclic else (_padded(slopes, 1), _padded(slopes, 0))
    inner = np.einsum("qpn,rpn->nqr", slopes, slopes)
    least = 1e-12 * np.trace(inner, axis1=1, axis2=2)[:, None, None] + 1e-300
    weights = np.linalg.solve(inner + least * np.eye(len(quick)), (before - after).transpose(2, 0, 1)).transpose(
        1, 2, 0
    )
    posture = 1.0 / phases - np.einsum("qn,qpn->pn", quick.mean(axis=1), weights)
    return np.concatenate([posture[None], weights])


def _padded(slopes: Floats, front: int) -> Floats:
    """With one phase more, in front or at the end."""
    return np.pad(slopes, ((0, 0), (front, 1 - front), (0, 0)))


def split_deviations(courses: Courses) -> Split:
    """Traits and rest of all examples, each in units of how far a further take is expected to deviate.

    A further take differs from the mean of L others by more than takes differ from their own mean: (1 + 1/L) times
    their variance. Traits do so; the rest has the size that it has in the takes, where what is quick counts.
    """
    examples, last = len(courses.smooth), -1 if courses.cyclic else None
    mean = courses.mean
    deviations, basis = courses.smooth - mean, trait_basis(mean, courses.cyclic)
    further = np.sqrt((1.0 + 1.0 / examples) / max(examples - 1, 1))
    traits = np.einsum("epn,qpn->eqn", deviations[:, :last], trait_readers(basis[:, :last], courses.cyclic))
    rest = deviations - np.einsum("eqn,qpn->epn", traits, basis)
    trait_sizes = further * np.sqrt((traits * traits).sum(axis=0))
    variance = (rest * rest).sum(axis=0) / max(examples - 1, 1)
    sizes = _profile(variance[:last], examples, courses.cyclic)
    usual = sizes_at(sizes, len(mean))
    traits = traits / np.maximum(trait_sizes, 1e-12)
    return Split(basis, traits, rest / np.maximum(usual, 1e-12), trait_sizes, sizes)


def _profile(variance: Floats, examples: int, cyclic: bool) -> Floats:
    """Sizes at POINTS places from variances (phases, nodes): as uneven along the phase as so few takes can prove.

    A variance that is the same at all phases varies from phase to phase by 2 / (L - 1) of its square where it is
    measured on L takes, all the more where one take deviates more than others. What lies beyond is believed.
    """
    smooth = smoothed(variance, SMOOTH * len(variance), cyclic)
    relative = smooth / np.maximum(smooth.mean(axis=0), 1e-300)
    uneven, chance = relative.var(axis=0), 2.0 / max(examples - 1, 1)
    believed = np.maximum(uneven - chance, 0.0) / (1.0 + chance) / np.maximum(uneven, 1e-12)
    sizes = np.sqrt(variance.mean(axis=0) * (1.0 + believed * (relative - 1.0)))
    if cyclic:
        sizes = np.concatenate([sizes, sizes[:1]])
    return np.maximum(read_at(sizes, np.linspace(0.0, len(sizes) - 1.0, POINTS)), 0.0)


def sizes_at(sizes: Floats, phases: int) -> Floats:
    """Sizes (POINTS, nodes) read at `phases` phases: (phases, nodes)."""
    return np.maximum(read_at(sizes, np.linspace(0.0, len(sizes) - 1.0, phases)), 0.0)
