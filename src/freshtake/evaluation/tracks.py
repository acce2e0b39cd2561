"""Unpack clips and strokes into arrays, align them by time warps, and store the inputs that they are scored against.

A `Gallery` contains the inputs that a track is scored against, and caches results computed from them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from freshtake.evaluation.dofs import ClipDofs, Joints, body_joints, without_heading
from freshtake.motion import Clip, Stroke
from freshtake.motion.body.orientation import distances, unit_of
from freshtake.motion.body.roles import feet, hands, leg_length
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.dtw import accumulate, backtrack, cheapest
from freshtake.numeric.rotations import about_axis, rotate, to_matrix, twist_angle
from freshtake.variation.phase import read_linear

UP = 1
GROUND = (0, 2)


@dataclass(frozen=True)
class Layout:
    """Properties shared by all tracks of one evaluation.

    `size` is the unit of length for distances: the leg (root to the first toe) of a skeleton, the diagonal of a stroke.
    `unit_m`: metres per unit, if the takes state it or their body shows it. `feet` and `hands` are the numbers of such
    points; a stroke has none, and no `joints`.
    """

    kind: str
    size: float
    points: tuple[str, ...]
    feet: tuple[int, ...]
    hands: tuple[int, ...]
    limbs: tuple[int, ...]
    dofs: tuple[str, ...]
    scales: Floats
    joints: Joints | None = None
    unit_m: float | None = None

    @property
    def has_body(self) -> bool:
        """Whether there is a skeleton, with heading, height and (perhaps) feet."""
        return self.kind == "clip"


@dataclass(frozen=True, eq=False)
class Track:
    """One clip or stroke over time.

    `world` (frames, points, axes): positions, y up. `body`: the same without travel and heading. `turns`
    (frames, joints, 4): local rotations, the root's heading removed; for a stroke (frames, 0, 4). `features`
    (frames, 6 joints): the first two rows of every local rotation matrix, heading included. `dofs` (frames, dofs).
    """

    name: str
    frame_time: float
    world: Floats
    body: Floats
    turns: Floats
    features: Floats
    dofs: Floats

    def __len__(self) -> int:
        return len(self.world)

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (len(self) - 1) * self.frame_time

    def every(self, step: int) -> Track:
        """Return every step-th frame."""
        arrays = {name: getattr(self, name)[::step] for name in ("world", "body", "turns", "features", "dofs")}
        return replace(self, frame_time=self.frame_time * step, **arrays)

    def thirty(self) -> Track:
        """Return the track at about 30 frames per second, by halving the rate as often as needed (120 to 30)."""
        step = halvings(self.frame_time)
        return self if step == 1 else self.every(step)


def halvings(frame_time: float) -> int:
    """Return the step between frames that remain when the rate is halved to about 30 frames per second."""
    step = 1
    while frame_time * step < 0.017:
        step *= 2
    return step


def clip_layout(inputs: Sequence[Clip], space: ClipDofs) -> Layout:
    """Return the shared facts of clips; sizes come from the first input's skeleton."""
    skeleton = inputs[0].skeleton
    standing = foot_joints(skeleton)
    ends = sorted({j for foot in feet(skeleton) for j in foot.joints} | set(hands(skeleton)))
    return Layout(
        "clip", leg(skeleton), skeleton.names, standing, hands(skeleton), tuple(ends), space.names, space.scales,
        body_joints(skeleton), unit_of(inputs[0]),
    )  # fmt: skip


def foot_joints(skeleton: Skeleton) -> tuple[int, ...]:
    """Return for each foot the joint that stays planted longest: the toe, or the ankle if there is no toe."""
    return tuple(foot.ankle if foot.toe is None else foot.toe for foot in feet(skeleton))


def leg(skeleton: Skeleton) -> float:
    """Return the summed offsets from the root to the first foot joint; without feet, half the longest chain."""
    standing = foot_joints(skeleton)
    if not standing:
        return leg_length(skeleton)
    return max(float(skeleton.lengths()[skeleton.chain(standing[0])].sum()), 1e-12)


def clip_track(clip: Clip, dofs: Floats) -> Track:
    """Unpack a clip, y up, with its DOFs."""
    positions = clip.positions()
    back = about_axis(np.eye(3)[UP], -twist_angle(clip.rotations[:, 0], UP))
    return Track(
        name=clip.name or "unnamed",
        frame_time=clip.frame_time,
        world=positions,
        body=rotate(back[:, None], positions - positions[:, :1]),
        turns=without_heading(clip),
        features=to_matrix(clip.rotations)[:, :, :2].reshape(len(clip), -1),
        dofs=dofs,
    )


def stroke_layout(inputs: Sequence[Stroke]) -> Layout:
    """Return the shared facts of strokes; the size is the median diagonal of the inputs."""
    diagonals = [float(np.linalg.norm(np.ptp(stroke.points, axis=0))) for stroke in inputs]
    size = max(float(np.median(diagonals)), 1e-12)
    dimensions = inputs[0].dimensions
    return Layout("stroke", size, ("point",), (), (), (0,), dimensions, np.full(len(dimensions), 1.0 / size))


def stroke_track(stroke: Stroke) -> Track:
    """Unpack an evenly timed stroke; its position on the page is left out of `body` and `dofs`."""
    centered = stroke.points - stroke.points.mean(axis=0)
    return Track(
        name=stroke.name or "unnamed",
        frame_time=stroke.frame_time,
        world=stroke.points[:, None],
        body=centered[:, None],
        turns=np.zeros((len(stroke), 0, 4)),
        features=centered,
        dofs=centered,
    )


STILL, STRAIGHT = 0.0, 2.0  # the symmetric form


def dtw_distances(pairs: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Return the distance between the row sequences of each pair."""
    return np.array([cheapest(distances(a, b), STILL, STRAIGHT) / (len(a) + len(b)) for a, b in pairs])


def dtw_path(a: Floats, b: Floats) -> Ints:
    """Return (steps, 2): matched frame numbers of a and b, from the first pair to the last."""
    cost = distances(a, b)
    return backtrack(cost, accumulate(cost, STILL, STRAIGHT), STILL, STRAIGHT)


def aligned_to(template: Floats, rows: Floats) -> Floats:
    """Return the rows resampled at the template's times: each of its frames is read at the mean of its matching rows.

    These positions form a staircase; it is smoothed by a short moving average (its ends kept), so that time runs
    evenly.
    """
    path = dtw_path(template, rows)
    sums = np.bincount(path[:, 0], weights=path[:, 1], minlength=len(template))
    places = sums / np.bincount(path[:, 0], minlength=len(template))
    reach = min(3, (len(places) - 1) // 2)
    if reach > 0:
        # Reflected through its ends, the staircase keeps its first and last position.
        before, after = 2 * places[0] - places[reach:0:-1], 2 * places[-1] - places[-2 : -reach - 2 : -1]
        padded = np.concatenate([before, places, after])
        places = np.convolve(padded, np.full(2 * reach + 1, 1.0 / (2 * reach + 1)), mode="valid")
    # Averaging may step back a little; time must not.
    places = np.clip(np.maximum.accumulate(places), 0, len(rows) - 1)
    return read_linear(rows, places)


def window_costs(costs: Floats, width: int) -> Floats:
    """Return, from frame costs C (n, m), the sums W[i, k] = C[i, k] + C[i+1, k+1] + ... over `width` frames.

    The shape is (n - width + 1, m - width + 1), empty if a track is shorter than the window.
    """
    rows, columns = costs.shape[0] - width + 1, costs.shape[1] - width + 1
    if rows <= 0 or columns <= 0:
        return np.zeros((max(rows, 0), max(columns, 0)))
    total = np.zeros((costs.shape[0] + 1, costs.shape[1] + 1))
    for i, row in enumerate(costs):
        # Sums along diagonals: a window is the difference between two sums.
        total[i + 1, 1:] = total[i, :-1] + row
    return total[width:, width:] - total[:rows, :columns]


def cheapest_windows(all_costs: list[Floats], width: int) -> Floats:
    """Return for each window of rows the lowest cost over all windows of columns; infinite if none fits."""
    rows = max(all_costs[0].shape[0] - width + 1, 0)
    best = np.full(rows, np.inf)
    for costs in all_costs:
        sums = window_costs(costs, width)
        if sums.size:
            best = np.minimum(best, sums.min(axis=1))
    return best


Result = TypeVar("Result")


class Part(NamedTuple):
    """One track's contribution to a figure: a set's figure is the weighted mean of its parts (or their largest)."""

    value: float
    weight: float = 1.0


Parts = dict[str, Part]


class Gallery:
    """Inputs at full rate and at 30 frames per second."""

    def __init__(self, layout: Layout, inputs: Sequence[Track]) -> None:
        self.layout = layout
        self.inputs = tuple(inputs)
        self.slow = tuple(at_working_rate(layout, track) for track in inputs)
        self._results: dict[Any, Any] = {}

    def once(self, find: Callable[..., Result], *arguments: Any) -> Result:
        """Return the result of `find` for this gallery and these arguments, computed on first use and cached."""
        key = (find, *arguments)
        if key not in self._results:
            self._results[key] = find(self, *arguments)
        result: Result = self._results[key]
        return result

    def of_inputs(self, find: Callable[[Gallery, Track], Result]) -> list[Result]:
        """Return the result of `find` for every input, computed on first use and cached."""
        return [self.once(find, track) for track in self.inputs]


def at_working_rate(layout: Layout, track: Track) -> Track:
    """Return clips at 30 frames per second, at which most figures are defined; strokes are unchanged."""
    return track.thirty() if layout.has_body else track


def flat(values: Floats) -> Floats:
    """Flatten to (frames, everything else)."""
    return values.reshape(len(values), -1)


def mean_of(parts: Sequence[Part]) -> float:
    """Return the weighted mean; NaN if nothing has weight."""
    usable = [part for part in parts if part.weight > 0 and np.isfinite(part.value)]
    total = sum(part.weight for part in usable)
    return float(sum(part.value * part.weight for part in usable) / total) if total > 0 else float("nan")


def largest_of(parts: Sequence[Part]) -> float:
    """Return the largest value; NaN if there are none."""
    values = [part.value for part in parts if np.isfinite(part.value)]
    return float(max(values)) if values else float("nan")
