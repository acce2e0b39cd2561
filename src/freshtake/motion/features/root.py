"""The root's rotation as heading and swing, about a reference orientation that may stand, lie or hang."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.features.angles import continuous_rotvec
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import (
    IDENTITY,
    about_axis,
    continuous,
    from_rotvec,
    inverse,
    multiply,
    rotate,
    shortest_arc,
)


def upright_reference(rotations: Sequence[Floats], up: int) -> Floats:
    """The smallest turn r (4,) that puts the body's mean vertical upright: a swimmer's lies flat, a walker's is none.

    It does not depend on heading, and with it q = T(heading) exp(swing) r has swings about zero. With z up the body is
    put upright as if y were up and then tilted, so that the same body has the same heading either way.
    """
    vertical = np.eye(3)[up]
    body = sum((rotate(inverse(q), vertical).sum(axis=0) for q in rotations), start=np.zeros(3))
    length = float(np.linalg.norm(body))
    if length < 1e-6 * sum(len(q) for q in rotations):
        return IDENTITY.copy()
    standing = shortest_arc(body / length, np.array([0.0, 1.0, 0.0]))
    return standing if up == 1 else multiply(about_axis([1.0, 0.0, 0.0], np.pi / 2), standing)


def split_heading(rotations: Floats, reference: Floats, up: int) -> tuple[Floats, Floats]:
    """Rotations (frames, 4) to heading (frames,) and swing (frames, 2): q = T(heading) exp(swing) reference.

    The swing has no part about the vertical, so two numbers hold it. Both are continuous; a swing may pass pi.
    With z up the second one is about -y: the same body has the same numbers with y up and with z up.
    """
    p = continuous(multiply(rotations, inverse(reference)))
    half = np.unwrap(np.arctan2(p[:, 1 + up], p[:, 0]), period=np.pi)
    half -= np.pi * np.round(half[0] / np.pi)
    heading = 2.0 * half
    swing = continuous_rotvec(multiply(about_axis(np.eye(3)[up], -heading), p)[:, None])[:, 0]
    return heading, np.delete(swing, up, axis=1) * _signs(up)


def join_heading(heading: Floats, swing: Floats, reference: Floats, up: int) -> Floats:
    """The inverse of `split_heading`."""
    vector = np.insert(swing * _signs(up), up, 0.0, axis=1)
    return multiply(multiply(about_axis(np.eye(3)[up], heading), from_rotvec(vector)), reference)


def _signs(up: int) -> Floats:
    """A quarter turn about x that brings y up to z brings z to -y."""
    return np.array([1.0, 1.0 if up == 1 else -1.0])
