"""Whether variants are more than interpolation: the share of their variance outside the inputs' affine span.

All tracks are laid on one normal time by dynamic time warping to the inputs' mean. A track is then one vector, and
so is each input; interpolations of the inputs, with any weights that sum to 1, fill an affine subspace. What of a
track's deviation from the mean input lies at right angles to it is out of reach of interpolation. Deviations along the
mean's own movement are left out of both: to first order they are differences in time, which alignment cannot remove
to better than a frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.evaluation.diversity import LONGEST
from freshtake.evaluation.gallery import Gallery, Part, Parts
from freshtake.evaluation.track_alignment import dtw_distances, laid_on
from freshtake.evaluation.tracks import Track
from freshtake.numeric.arrays import Floats

ROUNDS = 2


class Span(NamedTuple):
    """The inputs' mean (times, DOFs), which is the template, its direction of movement, and the inputs laid on it."""

    mean: Floats
    along: Floats
    aligned: Floats

    def deviations(self, rows: Floats) -> Floats:
        """Deviations (..., times, DOFs) from the mean, at right angles to its movement."""
        difference = rows - self.mean
        return np.asarray(difference - (difference * self.along).sum(axis=-1, keepdims=True) * self.along)


def measure(gallery: Gallery, track: Track) -> Parts:
    """Shares outside the span of constant weights, and of weights that may change from frame to frame."""
    if len(gallery.inputs) < 2:
        return {}
    return shares(gallery, laid_on(gallery.once(input_span).mean, _rows(gallery, track)))


def shares(gallery: Gallery, rows: Floats) -> Parts:
    """Both shares of rows on normal time; the second only where the inputs do not span every frame's whole space."""
    span = gallery.once(input_span)
    deviations = span.deviations(rows)
    total = float((deviations**2).sum())
    if total <= 0:
        return {}
    parts = {"outside_span": Part(_residual(gallery.once(_whole_basis), deviations.reshape(1, -1)) / total, total)}
    if rows.shape[1] >= len(span.aligned):
        parts["outside_frames"] = Part(_residual(gallery.once(_frame_bases), deviations) / total, total)
    return parts


def _residual(basis: Floats, deviations: Floats) -> float:
    """Summed squares of `deviations` (n, d) at right angles to the rows of its own basis (n, k, d)."""
    along = np.einsum("nkd,nd->nk", basis, deviations)
    return max(float((deviations**2).sum() - (along**2).sum()), 0.0)


def _whole_basis(gallery: Gallery) -> Floats:
    """Of the inputs' deviations as vectors over all times at once: (1, inputs, times x DOFs)."""
    span = gallery.once(input_span)
    return _orthonormal(span.deviations(span.aligned).reshape(1, len(span.aligned), -1))


def _frame_bases(gallery: Gallery) -> Floats:
    """Of the inputs' deviations at every time by itself: (times, inputs, DOFs)."""
    span = gallery.once(input_span)
    return _orthonormal(span.deviations(span.aligned).transpose(1, 0, 2))


def _orthonormal(directions: Floats) -> Floats:
    """Rows (n, k, d) of length 1 at right angles that span the same; 0 where there are fewer of them."""
    _, sizes, basis = np.linalg.svd(directions, full_matrices=False)
    is_used = sizes > 1e-9 * np.maximum(sizes[:, :1], 1e-300)
    return np.asarray(basis * is_used[..., None])


def input_span(gallery: Gallery) -> Span:
    """Start from the input that is nearest to the others, then average and lay on again."""
    rows = [_rows(gallery, track) for track in gallery.inputs]
    pairs = [(a, b) for a in rows for b in rows]
    summed_distances = dtw_distances(pairs).reshape(len(rows), len(rows)).sum(axis=1)
    template = rows[int(summed_distances.argmin())]
    aligned = np.stack([laid_on(template, r) for r in rows])
    for _ in range(ROUNDS):
        template = aligned.mean(axis=0)
        aligned = np.stack([laid_on(template, r) for r in rows])
    movement = np.gradient(template, axis=0)
    speed = np.linalg.norm(movement, axis=1, keepdims=True)
    return Span(template, movement / np.maximum(speed, 1e-12), aligned)


def _rows(gallery: Gallery, track: Track) -> Floats:
    """Weighed DOFs at full rate; of a track much longer than the inputs (a stream) the beginning."""
    longest = LONGEST * max(len(other) for other in gallery.inputs)
    return track.dofs[:longest] * gallery.layout.scales


def interpolation(gallery: Gallery, rng: np.random.Generator, count: int = 8) -> Parts:
    """The same shares of convex combinations of the inputs, which should be 0: what the method itself adds.

    The combinations are laid on the mean like any other track, so that errors of the alignment show.
    """
    span = gallery.once(input_span)
    all_shares = []
    for weights in rng.dirichlet(np.ones(len(span.aligned)), size=count):
        rows = np.einsum("k,ktd->td", weights, span.aligned)
        all_shares.append(shares(gallery, laid_on(span.mean, rows)))
    keys = set().union(*all_shares)
    return {key: Part(float(np.mean([f[key].value for f in all_shares if key in f]))) for key in sorted(keys)}
