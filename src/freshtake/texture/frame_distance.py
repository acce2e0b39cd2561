"""Concatenated frames of several takes, their distances as published, and the cost of jumps (Sattler 2004, §2)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.numeric import pca as principal
from freshtake.numeric.arrays import Floats, Ints
from freshtake.texture.play_kernels import Frames


class Segments(NamedTuple):
    """Boundaries of the takes (takes + 1,), the cell of every take (takes,), and the cells' names."""

    bounds: tuple[int, ...]
    cell_of_take: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def frames(self) -> int:
        """The number of frames of all takes together."""
        return self.bounds[-1]

    def split(self, rows: Floats) -> list[Floats]:
        """Split rows by take."""
        return np.split(rows, self.bounds[1:-1])

    def takes(self) -> Ints:
        """Return the take of every frame (frames,)."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))

    def cells(self) -> Ints:
        """Return the cell of every frame (frames,)."""
        return np.asarray(np.array(self.cell_of_take, dtype=np.intp)[self.takes()])

    def successors(self) -> Ints:
        """Return each frame's successor (frames,); -1 for a take's last frame."""
        out = np.arange(1, self.frames + 1)
        out[np.array(self.bounds[1:]) - 1] = -1
        return out


def laid_out(lengths: Sequence[int], cells: Sequence[str]) -> Segments:
    """Concatenate takes of these lengths, each in the cell of the given name."""
    names = tuple(dict.fromkeys(cells))
    bounds = tuple(int(b) for b in np.concatenate([[0], np.cumsum(lengths)]))
    return Segments(bounds, tuple(names.index(cell) for cell in cells), names)


class Weights(NamedTuple):
    """Mode weights of all frames: `poses` (frames, c), `velocities` (frames, c*) about zero, not about their mean."""

    poses: Floats
    velocities: Floats


def weights_of(poses: Floats, velocities: Floats, count: int, velocity_count: int) -> Weights:
    """Compute separate principal components of positions and of velocities (Sattler 2004, §2.1)."""
    still = principal.fit(poses, count=min(count, *poses.shape))
    moving = principal.fit(velocities, count=min(velocity_count, *velocities.shape))
    return Weights(_never_empty(principal.project(still, poses)), _never_empty(velocities @ moving.modes.T))


def _never_empty(weights: Floats) -> Floats:
    return weights if weights.shape[1] else np.zeros((len(weights), 1))


def weight_distances(a: Floats, b: Floats) -> Floats:
    """Compute D_ij = sum_k |w_ik - w_jk| (Sattler 2004, eq. 2 and 5): of positions, or of velocities."""
    out = np.zeros((len(a), len(b)))
    # Add one mode at a time, because the differences of all modes would take c times the memory of the result.
    for k in range(a.shape[1]):
        out += np.abs(a[:, k, None] - b[None, :, k])
    return out


def mean_step(weights: Floats, successor: Ints) -> float:
    """Compute the mean distance from a frame to the next, s of Sattler 2004, §2.4.1; 1 if nothing moves."""
    onward = np.flatnonzero(successor >= 0)
    step = float(np.linalg.norm(weights[successor[onward]] - weights[onward], axis=1).mean()) if len(onward) else 0.0
    return step if step > 0.0 else 1.0


def ahead(values: Floats, segments: Segments) -> Floats:
    """Return every frame's successor, linearly extrapolated after a take's last frame."""
    out = np.roll(values, -1, axis=0)
    for first, stop in zip(segments.bounds[:-1], segments.bounds[1:], strict=True):
        out[stop - 1] = 2.0 * values[stop - 1] - values[max(stop - 2, first)]
    return out


def weighted_frames(weights: Weights, segments: Segments, frame_time: float, velocity_weight: float) -> Frames:
    """Weight positions and velocities for the cost of a jump, in mean frame steps.

    A difference of velocities counts as the distance it covers in a tenth of a second.
    """
    step = mean_step(weights.poses, segments.successors())
    here = weights.poses * ((1.0 - velocity_weight) / step)
    speed = weights.velocities * (velocity_weight * 0.1 / frame_time / step)
    # Differences are taken take by take, because a difference across a boundary is not movement.
    parts = segments.split(weights.poses)
    change = np.concatenate([np.gradient(x, axis=0) if len(x) > 1 else np.zeros_like(x) for x in parts])
    # The distance that the pose has moved since the start of its take.
    gone = np.concatenate([np.cumsum(np.linalg.norm(np.diff(x, axis=0, prepend=x[:1]), axis=1)) for x in parts])
    takes, bounds = segments.takes(), np.array(segments.bounds)
    return Frames(
        here, ahead(here, segments), speed, ahead(speed, segments), change, ahead(change, segments),
        takes, bounds[takes], bounds[takes + 1] - 1, gone / step,
    )  # fmt: skip


def matrix(frames: Frames) -> Floats:
    """Compute the costs (frames, frames) of jumps between all frames, for figures."""
    return np.stack([
        np.linalg.norm(frames.here - here, axis=1) + np.linalg.norm(frames.speed - speed, axis=1)
        for here, speed in zip(frames.ahead, frames.speed_ahead, strict=True)
    ])  # fmt: skip
