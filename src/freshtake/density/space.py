"""The combined eigenspace of all classes (Okwechime 2008, §3.2 and §4.4, eq. 1-2)."""

from __future__ import annotations

import numpy as np

from freshtake.density.examples import Material, rate_columns, rounded
from freshtake.density.settings import Settings
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.point_features import PointLayout
from freshtake.numeric.arrays import Floats
from freshtake.numeric.pca import Pca, fit, project, restore

LEG = 0.9  # metres, where a file does not say how long its unit is


def eigenspace(material: Material, settings: Settings) -> Pca:
    """Mean, modes and variances over all frames of all classes: Okwechime 2008, eq. 1, modes by share of energy."""
    rows = np.concatenate([x for runs in material.poses for x in runs]) * material.scale
    count = None if settings.modes is None else min(settings.modes, *rows.shape)
    found = fit(rows, count=count, energy=None if count is not None else settings.energy)
    return Pca(rounded(found.mean), rounded(found.modes), rounded(found.variances), float(np.float32(found.total)))


def weights_of(pca: Pca, scale: Floats, poses: Floats) -> Floats:
    """y = V^T (x - mean) (frames, modes): Okwechime 2008, eq. 2."""
    return project(pca, poses * scale)


def poses_of(pca: Pca, scale: Floats, weights: Floats) -> Floats:
    """x = mean + V y (frames, DOFs): Okwechime 2008, §4.1, step 5."""
    return restore(pca, weights) / scale


def position_errors(material: Material, pca: Pca) -> dict[str, float]:
    """Mean distance of joints (markers) from where they were, by class, from what the eigenspace leaves out.

    In centimetres for motions with a body (a unit that the file does not name is told from the leg's length), in the
    examples' own unit for plain arrays.
    """
    factor = centimetres(material)
    out = {}
    for name, runs in zip(material.classes, material.poses, strict=True):
        # A mean over about 5000 frames is as good as one over all, which would be decoded to rotations.
        before = np.concatenate(runs)
        before = before[:: max(len(before) // 5000, 1)]
        after = poses_of(pca, material.scale, weights_of(pca, material.scale, before))
        out[name] = factor * float(_apart(material, before, after))
    return out


def centimetres(material: Material) -> float:
    """Centimetres per unit of length; 1 for plain arrays."""
    layout = None if material.recipe is None else material.recipe.layout
    if not isinstance(layout, ClipLayout | PointLayout):
        return 1.0
    unit = layout.unit_m
    if unit is not None:
        return 100.0 * float(unit)
    if isinstance(layout, ClipLayout):
        return 100.0 * LEG / max(leg_length(layout.skeleton), 1e-12)
    rows = np.concatenate([x for runs in material.poses for x in runs])
    points = rows.reshape(len(rows), -1, 3)
    tall = float(np.ptp(points[..., "xyz".index(layout.up)], axis=1).mean())
    return 100.0 * 2.0 * LEG / max(tall, 1e-12)


def _apart(material: Material, before: Floats, after: Floats) -> float:
    layout = None if material.recipe is None else material.recipe.layout
    if isinstance(layout, PointLayout):
        return float(np.linalg.norm((before - after).reshape(len(before), -1, 3), axis=-1).mean())
    if not isinstance(layout, ClipLayout) or material.recipe is None:
        return float(np.sqrt(np.mean((before - after) ** 2)))
    places = [layout.points(_columns(material, rows)) for rows in (before, after)]
    joints = layout.skeleton.body()
    return float(np.linalg.norm(places[0][:, joints] - places[1][:, joints], axis=-1).mean())


def _columns(material: Material, poses: Floats) -> Floats:
    """All columns of the layout for poses that stand at the origin."""
    assert material.recipe is not None
    rows = np.zeros((len(poses), len(material.recipe.kept)))
    rows[:, ~rate_columns(material.recipe)] = poses
    return material.recipe.fill(rows)
