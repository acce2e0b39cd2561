"""Rows of synthesis to poses and motions: the eigenspace, what it leaves out, and travel over the ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.density.examples import rate_columns
from freshtake.density.headings import own_rates
from freshtake.density.joint_rotations import turned_clip, turned_poses
from freshtake.density.space import poses_of
from freshtake.methods.possible import possible
from freshtake.motion import Clip
from freshtake.motion.features import Start, decode, where_it_ends
from freshtake.numeric.arrays import Floats

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

PROVENANCE = "made by freshtake: density"


def dofs_of(model: DensityModel, rows: Floats, residuals: bool, before: Floats | None) -> Floats:
    """Rows (frames, DOFs) of the recipe: x = mean + V y, and what was left out."""
    out = mode_dofs(model, rows, residuals and model.turning is None, before)
    if residuals and model.turning is not None and model.recipe is not None:
        moving = rate_columns(model.recipe)
        columns = rows[:, model.modes + model.rates.shape[1] :]
        out[:, ~moving] = turned_poses(model, model.turning, columns)[:, ~moving]
    return out


def mode_dofs(model: DensityModel, rows: Floats, residuals: bool, before: Floats | None) -> Floats:
    """The same from mode weights, and positions that were left out."""
    d, r = model.modes, model.rates.shape[1]
    poses = poses_of(model.pca, model.scale, rows[:, :d])
    if residuals and rows.shape[1] > d + r:
        poses = poses + rows[:, d + r :]
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
        clip = turned_clip(model.turning, rows[:, d : d + r], rows[:, d + r :], _swing(model, before), start, name)
        return possible(clip).changed(provenance=PROVENANCE)
    values = mode_dofs(model, rows, residuals, before)
    if model.recipe is None:
        return values
    motion = decode(model.recipe, values, start=start, resume=before is not None, name=name)
    return possible(motion).changed(provenance=PROVENANCE) if isinstance(motion, Clip) else motion
