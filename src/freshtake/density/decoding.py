"""Rows of synthesis to poses and motions: the eigenspace, rotations of joints, and travel over the ground.

Positions of joints between two poses lie on no skeleton: limbs shrink, and turning joints onto them whips hands and
feet about. Rotations between two rotations are rotations, so synthesis carries those of its kernels. A root's heading
swings with every step, and jumps between moments of unequal swing would add up to a drift, so rates are carried along a
heading without the swing, and the swing next to them as part of the pose.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.density.examples import rate_columns
from freshtake.density.space import poses_of
from freshtake.motion import Clip
from freshtake.motion.features import Start, decode, encode, where_it_ends
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import mean

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

COLUMNS = 4  # forward, sideways, turn, swing
RATES = 3  # columns of the root's travel, which come first
FARTHEST = 2.6  # radians from a joint's mean; beyond, rotation vectors of near rotations may lie far apart
PROVENANCE = "made by freshtake: density"


def smooth_rates(rates: Floats, frame_time: float, period: float) -> Floats:
    """Rates (frames, 3) in the root's own heading to rates in the smooth one, and the swing in radians: (frames, 4)."""
    if rates.shape[1] == 0:
        return rates
    steps = rates[:, 2] * frame_time
    heading = np.concatenate([[0.0], np.cumsum(steps[1:])])
    smooth = _smoothed(heading, period)
    swing = heading - smooth
    out = np.empty((len(rates), COLUMNS))
    travel = (rates[1:, 0] + 1j * rates[1:, 1]) * np.exp(1j * swing[:-1])
    out[1:, 0], out[1:, 1] = travel.real, travel.imag
    out[1:, 2] = np.diff(smooth) / frame_time
    out[:1, :3] = out[1:2, :3] if len(out) > 1 else rates[:1]
    out[:, 3] = swing
    return out


def own_rates(rates: Floats, frame_time: float, before: float | None = None) -> Floats:
    """The inverse: (frames, 3) in the root's own heading. `before` is the swing of the frame before the first."""
    if rates.shape[1] == 0:
        return rates
    swing = rates[:, 3]
    last = np.concatenate([[swing[0] if before is None else before], swing[:-1]])
    travel = (rates[:, 0] + 1j * rates[:, 1]) * np.exp(-1j * last)
    return np.stack([travel.real, travel.imag, rates[:, 2] + (swing - last) / frame_time], axis=1)


def _smoothed(heading: Floats, period: float) -> Floats:
    """Without what repeats with the cycle: the mean over a period, or a straight line beside a sine."""
    frames = len(heading)
    # A run of three periods or more is averaged over one period; shorter ones are fitted as a whole.
    if frames >= 3.0 * period:
        reach = max(round(period), 1)
        padded = np.pad(heading, reach, mode="reflect", reflect_type="odd")
        window = np.full(reach, 1.0 / reach)
        twice = np.convolve(np.convolve(padded, window), window)
        start = 2 * reach - 1
        return np.asarray(twice[start : start + frames])
    times = np.arange(frames, dtype=np.float64)
    turns = 2.0 * np.pi * times / period
    columns = [np.ones(frames), times, np.sin(turns), np.cos(turns), np.sin(2.0 * turns), np.cos(2.0 * turns)]
    basis = np.stack(columns if frames >= period else columns[:2], axis=1)
    found, *_ = np.linalg.lstsq(basis, heading, rcond=None)
    return np.asarray(basis[:, :2] @ found[:2])


class Turning(NamedTuple):
    """A layout of angles, and the kernels in it without the root's travel (kernels, columns)."""

    layout: ClipLayout
    columns: Floats


def turning_of(model: DensityModel) -> Turning | None:
    """The kernels as rotations; None where they have none, where joints go all the way round, or positions are asked.

    The paper's own search and noise act on the modes, so there poses are those of the modes.
    """
    layout = None if model.recipe is None else model.recipe.layout
    if not isinstance(layout, ClipLayout) or layout.angles != "positions" or layout.moving:
        return None
    if model.residuals.shape[1] == 0 or model.settings.method == "paper" or model.settings.noise > 0.0:
        return None
    clips = recorded(model)
    reference = mean(np.concatenate([clip.rotations for clip in clips]))
    angles = ClipLayout(
        layout.skeleton, "expmap", layout.root, False, layout.frame_time, layout.up, layout.unit_m, reference,
        layout.upright,
    )  # fmt: skip
    columns = np.concatenate([angles.encode(clip)[0][:, RATES:] for clip in clips])
    vectors = columns[:, angles.root_width - RATES :].reshape(len(columns), -1, 3)
    if float(np.linalg.norm(vectors, axis=-1).max(initial=0.0)) > FARTHEST:
        return None
    return Turning(angles, columns)


def recorded(model: DensityModel) -> list[Clip]:
    """The runs of kernels as clips again, each at the origin."""
    assert model.recipe is not None
    rows = np.concatenate([model.weights, model.rates, model.residuals], axis=1)
    values = model.mode_dofs(rows)
    edges = [0, *model.run_stops.tolist()]
    found = [decode(model.recipe, values[a:b]) for a, b in pairwise(edges)]
    return [clip for clip in found if isinstance(clip, Clip)]


def turned_clip(
    turning: Turning, rates: Floats, columns: Floats, swing: float | None, start: Start | None, name: str
) -> Clip:
    """Columns of `Turning` as a clip; `swing` is that of the frame before, which stood at `start`, where there was one.

    `rates` (frames, 4) are those of synthesis, see `smooth_rates`.
    """
    values = np.concatenate([own_rates(rates, turning.layout.frame_time, swing), columns], axis=1)
    return turning.layout.decode(values, start or Start(), swing is not None, None, name)


def turned_poses(model: DensityModel, turning: Turning, columns: Floats) -> Floats:
    """The same poses as DOFs of the model's recipe; the root's travel is left at 0."""
    assert model.recipe is not None
    values = np.concatenate([np.zeros((len(columns), RATES)), columns], axis=1)
    clip = turning.layout.decode(values, Start(), False, None, "")
    return encode(model.recipe, clip, strict=False).values


def dofs_of(model: DensityModel, rows: Floats, residuals: bool, before: Floats | None) -> Floats:
    """Rows (frames, DOFs) of the recipe: x = mean + V y, and what was left out."""
    out = mode_dofs(model, rows, residuals and model.turning is None, before)
    if residuals and model.turning is not None and model.recipe is not None:
        moving = rate_columns(model.recipe)
        out[:, ~moving] = turned_poses(model, model.turning, model.detail(rows))[:, ~moving]
    return out


def mode_dofs(model: DensityModel, rows: Floats, residuals: bool, before: Floats | None) -> Floats:
    """The same from mode weights, and positions that were left out."""
    d, r = model.modes, model.rates.shape[1]
    poses = poses_of(model.pca, model.scale, rows[:, :d])
    if residuals and model.residuals.shape[1]:
        poses = poses + rows[:, d + r : d + r + model.residuals.shape[1]]
    if model.recipe is None:
        return poses
    out = np.empty((len(rows), len(model.recipe.kept)))
    moving = rate_columns(model.recipe)
    out[:, ~moving] = poses
    out[:, moving] = own_rates(rows[:, d : d + r], model.frame_time, _swing(model, before))
    return out


def _swing(model: DensityModel, before: Floats | None) -> float | None:
    """The swing of the hips in the row before."""
    last = model.modes + model.rates.shape[1] - 1
    return None if before is None or model.rates.shape[1] == 0 else float(before[last])


def rows_end(model: DensityModel, rows: Floats, start: Start, before: Floats | None) -> Start:
    """Where the last of some rows stands, given where they start."""
    if model.recipe is None:
        return start
    values = mode_dofs(model, rows, False, before)
    return where_it_ends(model.recipe, values, start=start, resume=before is not None)


def decoded(
    model: DensityModel, rows: Floats, residuals: bool, start: Start | None, before: Floats | None, name: str
) -> Any:
    """A motion of the examples' kind; a skeleton keeps its lengths."""
    if residuals and model.turning is not None:
        d, r = model.modes, model.rates.shape[1]
        motion: Any = turned_clip(
            model.turning, rows[:, d : d + r], model.detail(rows), _swing(model, before), start, name
        )
    else:
        values = mode_dofs(model, rows, residuals, before)
        if model.recipe is None:
            return require_unflung(values)
        motion = decode(model.recipe, values, start=start, resume=before is not None, name=name)
    if not isinstance(motion, Clip):
        return require_unflung(motion)
    if model.knows_contacts:
        motion = at_mixed_height(model, motion, model.foot_heights(rows))
    return require_unflung(motion).changed(provenance=PROVENANCE)


def at_mixed_height(model: DensityModel, clip: Clip, heights: Floats) -> Clip:
    """Raise or lower the body of every frame so that its feet are at these heights (frames, foot joints) on average."""
    assert model.planting_model is not None
    joints = [joint for foot in model.planting_model.feet for joint in foot.joints]
    levels = clip.positions()[:, joints, clip.up_index]
    root = clip.root.copy()
    root[:, clip.up_index] += (heights - levels).mean(axis=1)
    return clip.changed(root=root)
