"""Check poses in one compiled pass; separate from kinematics, which reading files needs, because numba loads slowly."""

from __future__ import annotations

import math

from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import uncounted
from freshtake.numeric.rotations import ROUNDING, WRONG_LENGTH


@uncounted
def sound_poses(root: Floats, rotations: Floats) -> bool:
    """Return whether places (frames, 3) and rotations (frames, joints, 4) are poses; scale tiny errors of length away.

    The same bits as `motion.validation.frozen_quaternions`, which also reports what is wrong.
    """
    worst = 0.0
    for frame in range(root.shape[0]):
        for axis in range(3):
            if not math.isfinite(root[frame, axis]):
                return False
        for joint in range(rotations.shape[1]):
            off = abs(_length(rotations, frame, joint) - 1.0)
            if not off <= WRONG_LENGTH:
                return False
            worst = max(worst, off)
    if worst > ROUNDING:
        for frame in range(root.shape[0]):
            for joint in range(rotations.shape[1]):
                length = _length(rotations, frame, joint)
                for k in range(4):
                    rotations[frame, joint, k] /= length
    return True


@uncounted
def _length(rotations: Floats, frame: int, joint: int) -> float:
    w, x = rotations[frame, joint, 0], rotations[frame, joint, 1]
    y, z = rotations[frame, joint, 2], rotations[frame, joint, 3]
    return math.sqrt(w * w + x * x + y * y + z * z)
