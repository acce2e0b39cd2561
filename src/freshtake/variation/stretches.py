"""Find the phases of a clip, and express clip and Gaussian in the same columns along a stretch to be redrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features.angles import Path
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.tempo import FASTEST_PACE, SLOWEST_PACE
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.curves import gaussian_filter1d
from freshtake.variation.deviations import KNOTS
from freshtake.variation.phase import (
    ALIGNMENT,
    PACE,
    Trajectory,
    mean_of,
    read_at,
    steadied,
    turn_per_cycle,
    warp_onto,
)

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


def clip_layout_of(model: VariationModel) -> ClipLayout:
    """Return the model's clip layout; raise a UsageError for other kinds of motion."""
    layout = model.material.layout
    if layout is None or model.takes.trajectory is None:
        raise UsageError("only clips of a body can be partly redrawn: this model was learned from something else")
    return layout


class Track(NamedTuple):
    """The Gaussian of takes along consecutive integer phases."""

    first: int  # the first of these phases
    mean: Floats  # (phases, columns): positions and headings instead of the root's speeds
    deltas: Floats  # (takes, phases, columns): each take's difference from the mean
    sizes: Floats  # (phases, columns): standard deviations of the prior
    log_pace: Floats  # (takes, phases): how much slower than the mean each take is there


def track_along(model: VariationModel, phases: Floats) -> Track:
    """Return the Gaussian of takes along all integer phases needed for these phases (frames,)."""
    deviations = model.deviations
    last = len(deviations.takes.mean) - 1
    if not model.cyclic or (phases.min() >= 0.0 and phases.max() <= last):
        pace = deviations.takes.log_pace
        pace = np.concatenate([pace, pace[:, -1:]], axis=1)
        return Track(0, deviations.takes.mean, deviations.takes.deltas, deviations.all_sizes, pace - pace.mean(axis=0))
    takes, turn = model.closed, turn_per_cycle(model.takes)
    assert takes is not None and takes.trajectory is not None
    first = int(np.floor(phases.min())) - KNOTS
    grid = np.arange(first, int(np.ceil(phases.max())) + KNOTS + 1)
    index = np.mod(grid, last)
    deltas, steps = takes.deltas, takes.trajectory.path(takes.mean).ground
    turned = np.exp(1j * turn * (grid // last))
    along, apart = takes.mean[index], deltas[:, index]
    # steps add up to a path; deviations from it must return to zero, or they would accumulate over cycles
    places = np.concatenate([[0.0], np.cumsum(steps[index][:-1] * turned[:-1])])
    takes.trajectory.put(along, Path(places, takes.trajectory.path(along).heading + turn * (grid // last)))
    for delta, out in zip(deltas, apart, strict=True):
        path = takes.trajectory.path(delta)
        off = np.concatenate([[0.0], np.cumsum(path.ground[:last])])
        off = (off - off[-1] * np.linspace(0.0, 1.0, last + 1) - 0.5 * off[-1])[index]
        takes.trajectory.put(out, Path(off * turned, path.heading[index]))
    pace = takes.pace_deltas[:, np.minimum(index, takes.log_pace.shape[1] - 1)]
    return Track(first, along, apart, deviations.all_sizes[index], pace)


class Coded(NamedTuple):
    """A clip in the takes' columns."""

    rows: Floats  # (frames, columns): positions and headings instead of the root's speeds, facing like the takes
    columns: Floats  # (frames, all columns of the layout)
    at: Floats  # (frames,): phases, counted from the track's first phase
    trajectory: Trajectory  # which columns contain positions and headings
    kept: Ints  # the columns of the layout that are DOFs
    turn: float  # the clip's rotation relative to the takes, in radians


def coded_clip(model: VariationModel, clip: Clip, phases: Floats, track: Track, inside: slice) -> Coded:
    """Return a clip in the takes' columns, facing like them on average `inside` a stretch."""
    layout, at, mean = clip_layout_of(model), phases - track.first, track.mean
    recipe, trajectory = model.material.recipe, model.takes.trajectory
    assert recipe is not None and trajectory is not None
    columns, start = layout.encode(clip)
    path = layout.path(columns, start)
    apart = (path.heading - read_at(mean, at)[:, trajectory.columns[2]])[inside]
    turn = float(np.angle(np.exp(1j * apart).mean()))
    # Headings count full turns: the nearest mean direction alone would make the body spin back.
    turn += 2.0 * np.pi * round(float(apart.mean() - turn) / (2.0 * np.pi))
    rows = np.zeros((len(columns), mean.shape[1]))
    rows[:, : trajectory.dofs] = columns[:, recipe.kept]
    trajectory.put(rows, Path(path.ground * np.exp(-1j * turn), path.heading - turn))
    return Coded(rows, columns, at, trajectory, recipe.kept, turn)


def posed(layout: ClipLayout, clip: Clip, coded: Coded, rows: Floats) -> Clip:
    """Return rows of the takes' columns as a clip; columns that are not DOFs stay as in the clip."""
    columns = coded.columns.copy()
    columns[:, coded.kept] = rows[:, : coded.trajectory.dofs]
    path = coded.trajectory.path(rows)
    placed = Path(path.ground * np.exp(1j * coded.turn), path.heading + coded.turn)
    root, rotations, moved = layout.pose(columns, placed, clip.skeleton)
    if moved is None and clip.joint_translations is not None:
        moved = clip.joint_translations
    return clip.changed(root=root, rotations=rotations, joint_translations=moved)


STRIDES = np.arange(4)  # phases that a frame may advance by, from standing still to more than the fastest pace


def phases_of(model: VariationModel, clip: Clip) -> Floats:
    """Return the phase (frames,) of each frame of a clip of the movement, wherever it begins and ends.

    A clip that shows the movement from first to last phase is aligned like a take; any other, by the cheapest path
    through the phases. Phases of a cyclic motion increase through all cycles of a clip.
    """
    weights, frame_time = model.material.weights, model.frame_time
    rows, goal = model.encode(clip) * weights, mean_of(model.material.values, model.phase_frames) * weights
    candidates = [_cheapest_phases(model, rows, goal)]
    if SLOWEST_PACE < len(rows) / len(goal) < FASTEST_PACE:
        at = warp_onto(goal, rows, ALIGNMENT / frame_time)
        at = steadied(at[:, None], [rows], PACE / frame_time)[:, 0]
        candidates.append(np.interp(np.arange(float(len(rows))), at, np.arange(float(len(at)))))

    def distance(phases: Floats) -> float:
        at = np.mod(phases, len(goal) - 1.0) if model.cyclic else phases
        return float(((rows - read_at(goal, at)) ** 2).sum(axis=1).mean())

    return min(candidates, key=distance)


def strain_of(model: VariationModel, clip: Clip, phases: Floats) -> float:
    """Return a clip's distance from the mean motion over the entire body, in standard deviations: median over frames.

    Unseen takes score 1 to 4; clips of another movement usually more.
    """
    weights, moving = model.material.weights, model.material.pose_dofs
    at = np.mod(phases, len(model.phase_frames) - 1.0) if model.cyclic else phases
    mean = mean_of(model.material.values, model.phase_frames)
    away = ((model.encode(clip) - read_at(mean, at)) * weights)[:, moving]
    usual = (read_at(model.deviations.total_sizes, at) * weights)[:, moving]
    return float(np.median(np.sqrt((away**2).sum(axis=1) / np.maximum((usual**2).sum(axis=1), 1e-300))))


def _cheapest_phases(model: VariationModel, rows: Floats, goal: Floats) -> Floats:
    """Return phases (frames,) with free ends, by dynamic programming; `goal` is the weighted mean."""
    cycle = len(goal) - 1
    goal = goal[:cycle] if model.cyclic else goal
    cost = (rows**2).sum(axis=1)[:, None] - 2.0 * rows @ goal.T + (goal**2).sum(axis=1)
    # an unusual pace costs as much as the usual deviation of poses
    usual = ((model.deviations.total_sizes * model.material.weights) ** 2).sum(axis=1).mean()
    price = float(usual) * (STRIDES - 1.0) ** 2
    total, came = cost[0], np.zeros(cost.shape, dtype=np.int8)
    for t in range(1, len(cost)):
        before = np.stack([np.roll(total, k) for k in STRIDES]) + price[:, None]
        if not model.cyclic:
            for k in STRIDES:
                before[k, :k] = np.inf
        came[t] = before.argmin(axis=0)
        total = before.min(axis=0) + cost[t]
    at = int(total.argmin())
    steps = np.empty(len(cost))
    for t in range(len(cost) - 1, -1, -1):
        steps[t] = came[t, at] if t else at
        at = (at - int(came[t, at])) % cost.shape[1]
    path = np.cumsum(steps)
    # The cheapest path advances by integer phases, which would look like a stutter.
    smooth = gaussian_filter1d(path - np.arange(len(path)), PACE / (2.0 * model.frame_time), mode="nearest")
    pace = np.clip(np.diff(smooth) + 1.0, SLOWEST_PACE, FASTEST_PACE)
    smooth = np.concatenate([[0.0], np.cumsum(pace)])
    smooth += float((path - smooth).mean())
    return np.asarray(smooth if model.cyclic else np.clip(smooth, 0.0, float(cycle)))
