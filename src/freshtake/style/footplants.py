"""Classify annotations from the state: discriminant analysis with one Gaussian per class (Hsu 2005, §4.5)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Annotation:
    """A yes-or-no label of frames (a footplant or anything else): yes if direction · state is above the boundary."""

    name: str
    direction: Floats
    boundary: float

    def label(self, states: Floats) -> Bools:
        """Return the labels (frames,) of states (frames, features), without lag or lookahead."""
        return np.asarray(states @ self.direction > self.boundary)


def learn_annotation(
    name: str, states: Sequence[Floats], labels: Sequence[Bools], seen: Ints | None = None
) -> Annotation:
    """Find the direction that separates the classes best, and the point where their Gaussians are equally likely.

    The direction is S_w^-1 (m_yes - m_no): multiple discriminant analysis for two classes. Only the features `seen` are
    used: others may correlate with the label by chance.
    """
    every, yes = np.concatenate(states), np.concatenate(labels).astype(bool)
    if len(every) != len(yes):
        raise UsageError(f"{name} has {len(yes)} labels for {len(every)} frames")
    full_direction = np.zeros(every.shape[1])
    # With a single class, a zero direction and a boundary on one side give the same label for every state.
    if not 0 < int(yes.sum()) < len(yes):
        return Annotation(name, full_direction, -1.0 if yes.all() else 1.0)
    seen = np.arange(every.shape[1]) if seen is None else seen
    features = every[:, seen]
    means = [features[yes].mean(axis=0), features[~yes].mean(axis=0)]
    deviations = features - np.where(yes[:, None], means[0], means[1])
    scatter = deviations.T @ deviations / len(features)
    # Short clips cannot determine this many directions, so add a hundredth of the mean variance to each.
    scatter += 1e-2 * np.trace(scatter) / len(scatter) * np.eye(len(scatter))
    direction = np.linalg.solve(scatter, means[0] - means[1])
    direction /= max(float(np.linalg.norm(direction)), 1e-300)
    full_direction[seen] = direction
    return Annotation(name, full_direction, _boundary(features[yes] @ direction, features[~yes] @ direction))


def _boundary(yes: Floats, no: Floats) -> float:
    """Find the point between the two means where N(m1, s1) p1 = N(m0, s0) p0."""
    m1, m0 = float(yes.mean()), float(no.mean())
    v1, v0 = max(float(yes.var()), 1e-12), max(float(no.var()), 1e-12)
    prior = np.log(len(yes) / len(no))
    a, b = 0.5 / v0 - 0.5 / v1, m1 / v1 - m0 / v0
    c = 0.5 * m0**2 / v0 - 0.5 * m1**2 / v1 + prior + 0.5 * np.log(v0 / v1)
    # Equal variances make the quadratic a line; otherwise the second root is outside the means and irrelevant.
    roots = np.roots([a, b, c]) if abs(a) > 1e-12 else np.array([-c / b])
    inside = [float(r.real) for r in roots if abs(r.imag) < 1e-9 and m0 <= r.real <= m1]
    return inside[0] if inside else 0.5 * (m0 + m1)
