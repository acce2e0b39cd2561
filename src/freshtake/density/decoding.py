"""The eigenspace of all classes (Okwechime 2008, §3.2 and §4.4, eq. 1-2), and decoding of synthesized rows.

Joint positions interpolated between two poses do not fit the skeleton: limbs shrink, and rotating joints to match them
makes hands and feet whip. A mean of two rotations is a rotation, so synthesis mixes the rotations of its kernels. A
root's heading sways with every step, and jumps between moments of unequal sway would accumulate to a drift, so travel
is measured along a heading without the sway, and the sway is a separate column of the pose.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.density.examples import Material, rate_columns
from freshtake.density.settings import Settings
from freshtake.motion import Clip
from freshtake.motion.body.orientation import ADULT_LEG
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Start, decode
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.point_features import PointLayout
from freshtake.motion.verdict import require_unflung
from freshtake.numeric.arrays import Floats, rounded
from freshtake.numeric.pca import Pca, fit, project, restore
from freshtake.numeric.rotations import mean

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

RATES = 3  # columns of the root's travel, which come first
FARTHEST = 2.6  # radians from a joint's mean; beyond, rotation vectors of similar rotations may be far apart


def eigenspace(material: Material, settings: Settings) -> Pca:
    """Fit mean, modes and variances over all frames of all classes: Okwechime 2008, eq. 1, modes by energy fraction."""
    rows = np.concatenate([x for runs in material.poses for x in runs]) * material.scale
    count = None if settings.modes is None else min(settings.modes, *rows.shape)
    pca = fit(rows, count=count, energy=None if count is not None else settings.energy)
    return Pca(rounded(pca.mean), rounded(pca.modes), rounded(pca.variances), float(np.float32(pca.total)))


def weights_of(pca: Pca, scale: Floats, poses: Floats) -> Floats:
    """Return y = V^T (x - mean) (frames, modes): Okwechime 2008, eq. 2."""
    return project(pca, poses * scale)


def poses_of(pca: Pca, scale: Floats, weights: Floats) -> Floats:
    """Return x = mean + V y (frames, DOFs): Okwechime 2008, §4.1, step 5."""
    return restore(pca, weights) / scale


def position_errors(material: Material, pca: Pca) -> dict[str, float]:
    """Return the error of the eigenspace by class: the mean distance of joints or markers from the originals.

    It is in centimetres for motions with a body (if the file names no unit, derived from the leg length), in the
    examples' unit for plain arrays.
    """
    factor = centimetres(material)
    out = {}
    for name, runs in zip(material.classes, material.poses, strict=True):
        # A mean over about 5000 frames is accurate enough, and decoding all frames is slow.
        before = np.concatenate(runs)
        before = before[:: max(len(before) // 5000, 1)]
        after = poses_of(pca, material.scale, weights_of(pca, material.scale, before))
        out[name] = factor * float(_apart(material, before, after))
    return out


def centimetres(material: Material) -> float:
    """Return centimetres per unit of length; 1 for plain arrays."""
    layout = None if material.recipe is None else material.recipe.layout
    if not isinstance(layout, ClipLayout | PointLayout):
        return 1.0
    if layout.unit_m is not None:
        return 100.0 * float(layout.unit_m)
    if isinstance(layout, ClipLayout):
        return 100.0 * ADULT_LEG / max(leg_length(layout.skeleton), 1e-12)
    rows = np.concatenate([x for runs in material.poses for x in runs])
    points = rows.reshape(len(rows), -1, 3)
    tall = float(np.ptp(points[..., "xyz".index(layout.up)], axis=1).mean())
    return 100.0 * 2.0 * ADULT_LEG / max(tall, 1e-12)


def _apart(material: Material, before: Floats, after: Floats) -> float:
    recipe = material.recipe
    layout = None if recipe is None else recipe.layout
    if isinstance(layout, PointLayout):
        return float(np.linalg.norm((before - after).reshape(len(before), -1, 3), axis=-1).mean())
    if not isinstance(layout, ClipLayout) or recipe is None:
        return float(np.sqrt(np.mean((before - after) ** 2)))
    places = []
    for poses in (before, after):
        rows = np.zeros((len(poses), len(recipe.kept)))
        rows[:, ~rate_columns(recipe)] = poses
        places.append(layout.points(recipe.fill(rows))[:, layout.skeleton.body()])
    return float(np.linalg.norm(places[0] - places[1], axis=-1).mean())


def smooth_rates(rates: Floats, frame_time: float, period: float) -> Floats:
    """Convert rates (frames, 3) from the root's heading to the smooth one, with the sway in radians: (frames, 4)."""
    if rates.shape[1] == 0:
        return rates
    steps = rates[:, 2] * frame_time
    heading = np.concatenate([[0.0], np.cumsum(steps[1:])])
    smooth = _smoothed(heading, period)
    sway = heading - smooth
    # Four columns: forward, sideways, turn, sway.
    out = np.empty((len(rates), 4))
    travel = (rates[1:, 0] + 1j * rates[1:, 1]) * np.exp(1j * sway[:-1])
    out[1:, 0], out[1:, 1] = travel.real, travel.imag
    out[1:, 2] = np.diff(smooth) / frame_time
    out[:1, :3] = out[1:2, :3] if len(out) > 1 else rates[:1]
    out[:, 3] = sway
    return out


def root_rates(rates: Floats, frame_time: float, before: float | None = None) -> Floats:
    """Convert back to rates (frames, 3) in the root's heading. `before` is the sway of the frame before the first."""
    if rates.shape[1] == 0:
        return rates
    sway = rates[:, 3]
    last = np.concatenate([[sway[0] if before is None else before], sway[:-1]])
    travel = (rates[:, 0] + 1j * rates[:, 1]) * np.exp(-1j * last)
    return np.stack([travel.real, travel.imag, rates[:, 2] + (sway - last) / frame_time], axis=1)


def _smoothed(heading: Floats, period: float) -> Floats:
    """Remove the cyclic part, by averaging over a period or by fitting a line plus a sine."""
    frames = len(heading)
    # A run of three periods or more is averaged over one period; shorter runs are fitted.
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
    coefficients, *_ = np.linalg.lstsq(basis, heading, rcond=None)
    return np.asarray(basis[:, :2] @ coefficients[:2])


class Turning(NamedTuple):
    """A layout of angles, and the kernels in it without the root's travel (kernels, columns)."""

    layout: ClipLayout
    columns: Floats


def turning_of(model: DensityModel) -> Turning | None:
    """Return the kernels as rotations; None if they have none, if joints make full turns, or for the paper's method.

    The paper's search acts on the modes, so its poses are decoded from the modes.
    """
    layout = None if model.recipe is None else model.recipe.layout
    if not isinstance(layout, ClipLayout) or layout.angles != "positions" or layout.moving:
        return None
    if model.residuals.shape[1] == 0 or model.settings.method == "paper":
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
    """Convert the runs of kernels back to clips, each at the origin."""
    assert model.recipe is not None
    rows = np.concatenate([model.weights, model.rates, model.residuals], axis=1)
    values = mode_dofs(model, rows, True, None)
    edges = [0, *model.run_stops.tolist()]
    motions = [decode(model.recipe, values[a:b]) for a, b in pairwise(edges)]
    return [clip for clip in motions if isinstance(clip, Clip)]


def feet_of(model: DensityModel, rows: Floats) -> tuple[Floats, Floats]:
    """Return views of the contacts (see planting) and heights of foot joints in rows, (frames, foot joints) each."""
    contacts, heights = np.hsplit(rows[:, rows.shape[1] - model.foot_columns.shape[1] :], 2)
    return contacts, heights


def mode_dofs(model: DensityModel, rows: Floats, residuals: bool, before: Floats | None) -> Floats:
    """Return rows (frames, DOFs) of the recipe, from mode weights and residual positions: x = mean + V y + residual."""
    d, r = model.modes, model.rates.shape[1]
    poses = poses_of(model.pca, model.scale, rows[:, :d])
    if residuals and model.residuals.shape[1]:
        poses = poses + rows[:, d + r : d + r + model.residuals.shape[1]]
    if model.recipe is None:
        return poses
    out = np.empty((len(rows), len(model.recipe.kept)))
    moving = rate_columns(model.recipe)
    out[:, ~moving] = poses
    out[:, moving] = _rates_of(model, rows, before)
    return out


def _rates_of(model: DensityModel, rows: Floats, before: Floats | None) -> Floats:
    """Return the rates (frames, 0 or 3) of rows in the root's heading; `before` is the row before the first."""
    d, r = model.modes, model.rates.shape[1]
    sway = None if before is None or r == 0 else float(before[d + r - 1])
    return root_rates(rows[:, d : d + r], model.frame_time, sway)


def decoded(
    model: DensityModel, rows: Floats, residuals: bool, start: Start | None, before: Floats | None, name: str
) -> Any:
    """Return a motion of the examples' kind; a skeleton keeps its bone lengths."""
    if residuals and model.turning is not None:
        first = model.modes + model.rates.shape[1]
        columns = rows[:, first : first + model.turning.columns.shape[1]]
        values = np.concatenate([_rates_of(model, rows, before), columns], axis=1)
        motion: Any = model.turning.layout.decode(values, start or Start(), before is not None, None, name)
    else:
        values = mode_dofs(model, rows, residuals, before)
        if model.recipe is None:
            return require_unflung(values)
        motion = decode(model.recipe, values, start=start, resume=before is not None, name=name)
    if not isinstance(motion, Clip):
        return require_unflung(motion, resumed=before is not None)
    if model.knows_contacts and model.planting_model is not None:
        # The body of every frame is raised or lowered until its feet have the mixed heights on average.
        joints = [joint for foot in model.planting_model.feet for joint in foot.joints]
        levels = motion.positions()[:, joints, motion.up_index]
        root = motion.root.copy()
        root[:, motion.up_index] += (feet_of(model, rows)[1] - levels).mean(axis=1)
        motion = motion.changed(root=root)
    return require_unflung(motion, resumed=before is not None).changed(provenance="made by freshtake: density")
