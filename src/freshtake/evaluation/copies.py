"""How much is copied: frames that equal an input's or another variant's, and how far the nearest input pose is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts, at_working_rate, flat
from freshtake.evaluation.tracks import Track
from freshtake.motion.body.pose_space import distances
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.rotations import angle_between, to_matrix

EXACT = 1e-6  # radians; for strokes the same share of their size
TOLERANCES = {
    "copied": EXACT,
    "copied_001deg": np.radians(0.01),
    "copied_01deg": np.radians(0.1),
    "copied_1deg": np.radians(1.0),
}
FOLLOWING = np.radians(1.0)
NEAREST = 5
BLOCK = 4_000_000  # numbers of a distance matrix held at a time


def measure(gallery: Gallery, track: Track) -> Parts:
    """Copied shares, longest followed runs and nearest-input distance of one track."""
    nearest = nearest_difference(gallery, track)
    parts = {key: Part(float((nearest <= limit).mean()), len(track)) for key, limit in TOLERANCES.items()}
    exact, close = followed_runs(gallery, track)
    parts["longest_run"] = Part(float(exact))
    parts["longest_run_1deg"] = Part(float(close))
    near = 100.0 * nearest_pose(gallery, track)
    parts["nearest"] = Part(float(near.mean()), len(near))
    parts["nearest_max"] = Part(float(near.max()))
    return parts


def copied_from_others(gallery: Gallery, tracks: Sequence[Track]) -> list[Part]:
    """Per track the share of its frames that equal a frame of another of the tracks."""
    if len(tracks) < 2:
        return []
    rows, owners = [_rows(gallery, t) for t in tracks], [np.full(len(t), n) for n, t in enumerate(tracks)]
    everything, owner = np.concatenate(rows), np.concatenate(owners)
    turns = np.concatenate([_poses(gallery, t) for t in tracks])
    parts = []
    for number, track in enumerate(tracks):
        others = np.flatnonzero(owner != number)
        nearest = others[_nearest(rows[number], everything[others])]
        differences = difference(gallery, _poses(gallery, track), turns[nearest])
        parts.append(Part(float((differences <= EXACT).mean()), len(track)))
    return parts


def nearest_difference(gallery: Gallery, track: Track) -> Floats:
    """Per frame the difference to the most similar frame of the inputs."""
    nearest = _nearest(_rows(gallery, track), gallery.once(_input_rows))
    poses = np.concatenate([_poses(gallery, other) for other in gallery.inputs])
    return difference(gallery, _poses(gallery, track), poses[nearest])


def difference(gallery: Gallery, a: Floats, b: Floats) -> Floats:
    """Largest joint rotation (radians) between poses, frame by frame; of strokes the distance by size."""
    if gallery.layout.has_body:
        return np.asarray(angle_between(a, b).max(axis=1))
    return np.asarray(np.linalg.norm(a - b, axis=1) / gallery.layout.size)


def followed_runs(gallery: Gallery, track: Track) -> tuple[int, int]:
    """The most frames in a row that equal successive frames of one input: exactly, and within one degree."""
    exact, close = 0, 0
    for other in gallery.inputs:
        differences = pose_differences(gallery, track, other)
        exact = max(exact, longest_diagonal(differences <= EXACT))
        close = max(close, longest_diagonal(differences <= FOLLOWING))
    return exact, close


def pose_differences(gallery: Gallery, a: Track, b: Track) -> Floats:
    """(frames of a, frames of b): the largest joint rotation between each two poses."""
    if not gallery.layout.has_body:
        return distances(_poses(gallery, a), _poses(gallery, b)) / gallery.layout.size
    smallest = np.ones((len(a), len(b)))
    for joint in range(a.turns.shape[1]):
        np.minimum(smallest, np.abs(a.turns[:, joint] @ b.turns[:, joint].T), out=smallest)
    return np.asarray(2.0 * np.arccos(np.minimum(smallest, 1.0)))


def longest_diagonal(mask: Bools) -> int:
    """The longest run of true values along a diagonal (both indices growing)."""
    run, longest = np.zeros(mask.shape[1], dtype=np.intp), 0
    for row in mask:
        run = np.where(row, np.concatenate([[0], run[:-1]]) + 1, 0)
        longest = max(longest, int(run.max(initial=0)))
    return longest


def nearest_pose(gallery: Gallery, track: Track) -> Floats:
    """Per frame (30 a second) the mean joint distance, in sizes, to the nearest input pose without heading.

    The inputs count at their full rate. The five poses that are nearest by root mean square are compared by the mean.
    """
    poses = gallery.once(_input_bodies)
    slow = at_working_rate(gallery.layout, track).body
    all_distances = distances(flat(slow), flat(poses))
    count = min(NEAREST, len(poses))
    candidates = np.argpartition(all_distances, count - 1, axis=1)[:, :count]
    means = np.linalg.norm(slow[:, None] - poses[candidates], axis=-1).mean(axis=-1)
    return np.asarray(means.min(axis=1) / gallery.layout.size)


def _input_bodies(gallery: Gallery) -> Floats:
    return np.concatenate([track.body for track in gallery.inputs])


def _input_rows(gallery: Gallery) -> Floats:
    return np.concatenate([_rows(gallery, track) for track in gallery.inputs])


def _rows(gallery: Gallery, track: Track) -> Floats:
    """Poses as points whose distances grow with the differences: rotation matrices, or the stroke's points."""
    return flat(to_matrix(track.turns)[:, :, :2]) if gallery.layout.has_body else flat(track.world)


def _poses(gallery: Gallery, track: Track) -> Floats:
    return track.turns if gallery.layout.has_body else flat(track.world)


def _nearest(rows: Floats, others: Floats) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Row by row the number of the nearest other row, in blocks that bound the memory."""
    step = max(1, BLOCK // max(len(others), 1))
    blocks = [distances(rows[k : k + step], others).argmin(axis=1) for k in range(0, len(rows), step)]
    return np.concatenate(blocks)
