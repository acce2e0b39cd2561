"""How the joints of a leg follow from the place of its foot.

With J how the foot moves with the DOFs, S the variances of the leg's own DOFs, and R what linear movement leaves of
the examples, joints deviate so that the foot comes to its place:

    d' = d + S J' (J S J' + R)^-1 (place - J d)

Deviations of a foot change with the way it covers, not with the phase: a foot that stands keeps its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material
from freshtake.variation.synthesis.courses import Courses, along_phase
from freshtake.variation.synthesis.foot_nodes import PUSH, FootNodes, heading_columns, on_course, seen_from_root

ROOM = 4.0  # of the variance that linear movement leaves of the examples: variants go further than these do
QUICKEST = 2.0  # of the mean: how fast, against the phase, the deviation of a foot may change


class FootTables(NamedTuple):
    """Read at whole phases; numbers of DOFs are padded with 0, whose coefficients are 0."""

    first: int  # node of the first foot's first place
    travel: int  # node of the forward travel
    moving: Ints  # (feet, most): DOFs that move the foot
    legs: Ints  # (feet, most own): DOFs of the leg itself
    held: Floats  # (phases, feet): how far ahead in phase the deviation of a foot is taken from
    stride: Floats  # (phases, feet): how far forward a foot is for a unit of travel more
    offset: Floats  # (phases, feet, 3): mean place less the place in the mean pose
    moves: Floats  # (phases, feet, 3, most): J
    follows: Floats  # (phases, feet, most own, 3): S J' (J S J' + R)^-1


def foot_tables(courses: Courses, material: Material, sizes: Floats) -> FootTables:
    """All of it along the mean; `sizes` (phases, DOFs) is how far DOFs deviate."""
    feet, count = courses.body.feet, len(courses.body.feet.joints)
    phases, dofs = courses.smooth.shape[1], len(material.names)
    travel, first = dofs + 1, dofs + 1 + int(material.rates.sum())
    moving, legs = _padded(feet.moving), _padded(feet.legs)
    moves, follows = np.zeros((phases, count, 3, moving.shape[1])), np.zeros((phases, count, legs.shape[1], 3))
    if count == 0:
        empty = np.zeros((phases, 0))
        return FootTables(first, travel, moving, legs, empty, empty, np.zeros((phases, 0, 3)), moves, follows)
    pose = mean_pose(courses, material)
    jacobian = _derivatives(feet, material, pose)
    mean_places = courses.mean[:, first : first + 3 * count]
    offset = mean_places - along_phase(courses, _places_in(feet, material, pose).reshape(phases, -1))
    left = _left_open(courses, jacobian, first, travel)
    for e in range(count):
        leg_dofs, others = feet.legs[e], feet.moving[e]
        moves[:, e, :, : len(others)] = jacobian[:, e][:, :, others]
        leg_jacobian = jacobian[:, e][:, :, leg_dofs]
        spread = leg_jacobian * sizes[:, None, leg_dofs] ** 2
        across = spread @ leg_jacobian.transpose(0, 2, 1) + ROOM * left[:, e, :, None] * np.eye(3)
        follows[:, e, : len(leg_dofs)] = np.linalg.solve(across, spread).transpose(0, 2, 1)
    smooth = along_phase(courses, follows.reshape(phases, -1)).reshape(follows.shape)
    held = held_phases(courses, material, first, travel)
    return FootTables(
        first, travel, moving, legs, held, courses.stride.forward, offset.reshape(phases, count, 3), moves, smooth
    )


def _padded(numbers: tuple[Ints, ...]) -> Ints:
    out = np.zeros((len(numbers), max(map(len, numbers), default=0)), np.intp)
    for row, dofs in zip(out, numbers, strict=True):
        row[: len(dofs)] = dofs
    return out


def held_phases(courses: Courses, material: Material, first: int, travel: int) -> Floats:
    """(phases, feet): by how much the way that a foot has covered runs ahead of the phase, both counted in phases."""
    phases, smooth = courses.smooth.shape[1], courses.smooth
    out = np.zeros((phases, len(courses.body.feet.joints)))
    for e in range(len(courses.body.feet.joints)):
        place = smooth[..., first + 3 * e : first + 3 * e + 3].copy()
        place[..., 0] += courses.stride.forward[:, e] * (smooth[..., travel] - smooth[..., travel].mean())
        steps = np.diff(place, axis=1)
        steps[..., :2] += smooth[:, :1, travel : travel + 2] * material.frame_time
        speed = np.sqrt((steps**2).sum(axis=2).mean(axis=0))
        way = np.concatenate([[0.0], np.cumsum(np.minimum(speed, QUICKEST * speed.mean()))])
        out[:, e] = way / max(way[-1], 1e-300) * (phases - 1.0) - np.arange(phases)
    at = np.arange(phases, dtype=np.float64)[:, None]
    return np.clip(along_phase(courses, out), -at, phases - 1.0 - at)


def mean_pose(courses: Courses, material: Material) -> Floats:
    """The mean of the examples (phases, DOFs) with its detail; speeds are places."""
    out = courses.mean[:, : len(material.names)].copy()
    still = ~material.rates
    out[:, still] += courses.detail.mean(axis=0)[:, still]
    return np.asarray(out)


def _left_open(courses: Courses, jacobian: Floats, first: int, travel: int) -> Floats:
    """(phases, feet, 3): variance of what linear movement with the DOFs leaves of the examples' places."""
    count, dofs = len(courses.body.feet.joints), jacobian.shape[3]
    deviations = courses.smooth - courses.mean
    wanted = deviations[..., first : first + 3 * count].reshape(*deviations.shape[:2], count, 3).copy()
    wanted[..., 0] += courses.stride.forward * deviations[..., [travel]]
    missed = wanted - np.einsum("peid,lpd->lpei", jacobian, deviations[..., :dofs])
    square = (missed**2).sum(axis=0) / max(len(deviations) - 1, 1)
    near = along_phase(courses, square.reshape(len(square), -1)).reshape(square.shape)
    return np.asarray(np.maximum(near, square.mean(axis=0)) + 1e-12)


def _places_in(feet: FootNodes, material: Material, pose: Floats) -> Floats:
    """Places (rows, feet, 3) where the DOFs have these values, speeds being places."""
    columns = heading_columns(material)
    assert columns is not None
    return on_course(seen_from_root(feet.joints, material, pose), pose[:, list(columns)] * material.frame_time)


def _derivatives(feet: FootNodes, material: Material, pose: Floats) -> Floats:
    """(rows, feet, 3, DOFs) by central differences, all DOFs pushed at once."""
    moving = np.unique(np.concatenate(feet.moving))
    sizes = np.where(material.rates, PUSH / material.frame_time, PUSH)[moving]
    push = np.zeros((len(moving), 1, pose.shape[1]))
    push[np.arange(len(moving)), 0, moving] = sizes
    pushed = np.concatenate([pose + push, pose - push]).reshape(-1, pose.shape[1])
    up, down = _places_in(feet, material, pushed).reshape(2, len(moving), len(pose), len(feet.joints), 3)
    out = np.zeros((len(pose), len(feet.joints), 3, pose.shape[1]))
    out[..., moving] = ((up - down) / (2.0 * sizes[:, None, None, None])).transpose(1, 2, 3, 0)
    return out
