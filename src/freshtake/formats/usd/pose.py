"""Joints of a UsdSkel skeleton over time: taken as they are where nothing scales, else by way of world matrices.

Vectors are rows in USD: a matrix (4, 4) has its translation in the last row, and a chain reads from left to right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from freshtake.formats.scale_free import composed, nearest_rotations, scale_free
from freshtake.formats.usd.library import pxr
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_matrix, multiply, normalize, rotate

_ONE = 1e-6  # scales that differ from 1 by less are 1
_STILL = 1e-6  # of the body's size: what single precision leaves of a joint that does not move


class StagePose(NamedTuple):
    """The skeleton prim, its joints, and the animation prim that moves it (None: the rest pose)."""

    prim: Any
    paths: list[str]
    parents: list[int]
    rest: Floats
    source: Any


class ClipPose(NamedTuple):
    """Translations (frames, joints, 3; the root's in the world), rotations, rest offsets, whether joints move."""

    translations: Floats
    rotations: Floats
    offsets: Floats
    moving: bool


class _Local(NamedTuple):
    """Local translations, rotations (w x y z) and scales, (frames, joints, ...)."""

    translations: Floats
    rotations: Floats
    scales: Floats
    still: bool  # whether no translation is animated


def local_matrices(world: Floats, parents: list[int]) -> Floats:
    """World matrices (joints, 4, 4) against those of the parents."""
    out = world.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            out[joint] = world[joint] @ np.linalg.pinv(world[parent])
    return out


def clip_pose(stage: StagePose, codes: Floats) -> ClipPose:
    """The pose at every time code, everything above the skeleton folded into the root."""
    local = _local(stage, codes)
    above = _above(stage, codes)
    plain = np.abs(local.scales - 1.0).max() < _ONE and _rigid(above)
    rest = _split(stage.rest)
    offsets = rest.translations
    if plain and np.abs(rest.scales - 1.0).max() < 1e-4:
        turns = from_matrix(above[:, :3, :3].swapaxes(-1, -2))
        translations, rotations = local.translations.copy(), local.rotations.copy()
        if np.array_equal(above[:, :3, :3], np.broadcast_to(np.eye(3), (len(codes), 3, 3))):
            translations[:, 0] = local.translations[:, 0] + above[:, 3, :3]
        else:
            translations[:, 0] = rotate(turns, local.translations[:, 0]) + above[:, 3, :3]
            rotations[:, 0] = multiply(turns, rotations[:, 0])
        if local.still:
            translations[:, 1:] = offsets[1:]
        return ClipPose(translations, rotations, offsets, _moves(translations, offsets))
    translations, rotations = _by_matrices(_composed(local), above, stage.parents)
    at_rest, _ = _by_matrices(stage.rest[None], above[:1], stage.parents)
    return ClipPose(translations, rotations, at_rest[0], _moves(translations, at_rest[0]))


def _moves(translations: Floats, offsets: Floats) -> bool:
    size = float(np.abs(offsets[1:]).max(initial=0.0))
    return bool(np.abs(translations[:, 1:] - offsets[1:]).max(initial=0.0) > _STILL * size)


def _local(stage: StagePose, codes: Floats) -> _Local:
    """The animation's joints at the codes; joints that it lacks stay at rest."""
    rest = _split(stage.rest)
    frames = len(codes)
    arrays = [np.repeat(values[None], frames, axis=0) for values in rest]
    if stage.source is None:
        return _Local(arrays[0], arrays[1], arrays[2], True)
    animation = pxr().UsdSkel.Animation(stage.source)
    listed = [str(joint) for joint in animation.GetJointsAttr().Get() or []]
    places = {path: k for k, path in enumerate(stage.paths)}
    known = [k for k, path in enumerate(listed) if path in places]
    into = [places[listed[k]] for k in known]
    attributes = (animation.GetTranslationsAttr(), animation.GetRotationsAttr(), animation.GetScalesAttr())
    for number, (attribute, width) in enumerate(zip(attributes, (3, 4, 3), strict=True)):
        varies = len(attribute.GetTimeSamples()) > 1
        for frame, code in enumerate(codes if varies else codes[:1]):
            value = attribute.Get(float(code))
            values = np.zeros(0) if value is None else np.array(value, dtype=np.float64)
            if values.shape != (len(listed), width) or not np.isfinite(values).all():
                break
            values = values[:, [3, 0, 1, 2]] if width == 4 else values
            arrays[number][frame if varies else slice(None), into] = values[known]
    lengths = np.linalg.norm(arrays[1], axis=-1, keepdims=True)
    turned = np.where(lengths > 1e-9, normalize(np.where(lengths > 1e-9, arrays[1], 1.0)), [1.0, 0.0, 0.0, 0.0])
    return _Local(arrays[0], turned, arrays[2], len(attributes[0].GetTimeSamples()) < 2)


class _Split(NamedTuple):
    translations: Floats
    rotations: Floats
    scales: Floats


def _split(matrices: Floats) -> _Split:
    """Matrices as translation, rotation and scale along the axes."""
    linear = matrices[..., :3, :3]
    scales = np.linalg.norm(linear, axis=-1)
    return _Split(matrices[..., 3, :3].copy(), nearest_rotations(linear.swapaxes(-1, -2)), scales)


def _above(stage: StagePose, codes: Floats) -> Floats:
    """From the skeleton to the world, (frames, 4, 4)."""
    lib = pxr()
    cache = lib.UsdGeom.XformCache()
    out = np.empty((len(codes), 4, 4))
    for frame, code in enumerate(codes):
        cache.SetTime(float(code))
        out[frame] = np.array(cache.GetLocalToWorldTransform(stage.prim))
    return np.nan_to_num(out)


def _rigid(matrices: Floats) -> bool:
    linear = matrices[:, :3, :3]
    return bool(np.abs(linear @ linear.swapaxes(-1, -2) - np.eye(3)).max() < _ONE and (np.linalg.det(linear) > 0).all())


def _composed(local: _Local) -> Floats:
    out = np.zeros((*local.translations.shape[:2], 4, 4))
    for axis in range(3):  # a scaled axis, turned
        unit = np.zeros(3)
        unit[axis] = 1.0
        out[..., axis, :3] = rotate(local.rotations, np.broadcast_to(unit, local.translations.shape))
        out[..., axis, :3] *= local.scales[..., axis, None]
    out[..., 3, :3], out[..., 3, 3] = local.translations, 1.0
    return out


def _by_matrices(local: Floats, above: Floats, parents: list[int]) -> tuple[Floats, Floats]:
    """Translations and rotations by way of world matrices."""
    return scale_free(composed(local.swapaxes(-1, -2), parents, above.swapaxes(-1, -2)), parents)
