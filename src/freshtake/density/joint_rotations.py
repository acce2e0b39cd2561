"""The kernels' poses as rotations of joints: what is given back beside the modes, so that lengths hold at every jump.

Positions of joints between two poses lie on no skeleton: limbs shrink, and turning joints onto them whips hands and
feet about. Rotations between two rotations are rotations. So synthesis carries those of its kernels.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.density.headings import own_rates
from freshtake.motion import Clip
from freshtake.motion.features import Start, decode, encode
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import mean

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

RATES = 3  # columns of the root's travel, which come first
FARTHEST = 2.6  # radians from a joint's mean; beyond, rotation vectors of near rotations may lie far apart


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

    `rates` (frames, 4) are those of synthesis, see headings.
    """
    values = np.concatenate([own_rates(rates, turning.layout.frame_time, swing), columns], axis=1)
    return turning.layout.decode(values, start or Start(), swing is not None, None, name)


def turned_poses(model: DensityModel, turning: Turning, columns: Floats) -> Floats:
    """The same poses as DOFs of the model's recipe; the root's travel is left at 0."""
    assert model.recipe is not None
    values = np.concatenate([np.zeros((len(columns), RATES)), columns], axis=1)
    clip = turning.layout.decode(values, Start(), False, None, "")
    return encode(model.recipe, clip, strict=False).values
