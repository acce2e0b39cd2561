# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion: a moving skeleton as plain arrays, as sent to and received from the child process."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .rotations import quaternion_matrices


@dataclass(frozen=True)
class Motion:
    """Joints, parents first, in motion space (z up).

    `offsets` (joints, 3) are positions relative to the parents at rest, `root` (frames, 3) is the position of joint 0,
    `rotations` (frames, joints, 4; w x y z) are relative to the parents, and the identity at rest. `translations`
    (frames, joints, 3) replaces the offsets if joints move relative to their parents. `tips` are the ends of last
    bones: joint, offset, name. `about` is stored with an Action.
    """

    name: str
    fps: float
    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: np.ndarray
    root: np.ndarray
    rotations: np.ndarray
    translations: np.ndarray | None = None
    tips: tuple[tuple[int, tuple[float, ...], str], ...] = ()
    loop: bool = False
    about: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.root)

    def world(self, frames: slice = slice(None)) -> tuple[np.ndarray, np.ndarray]:
        """Return positions (frames, joints, 3) and rotations (frames, joints, 3, 3) of all joints."""
        turns = quaternion_matrices(self.rotations[frames])
        places = np.empty(turns.shape[:-1])
        for joint, parent in enumerate(self.parents):
            if parent < 0:
                places[:, joint] = self.root[frames]
                continue
            local = self.offsets[joint] if self.translations is None else self.translations[frames, joint]
            shift = np.broadcast_to(local, (len(places), 3))
            places[:, joint] = places[:, parent] + np.einsum("fij,fj->fi", turns[:, parent], shift)
            turns[:, joint] = turns[:, parent] @ turns[:, joint]
        return places, turns

    def scaled(self, factor: float) -> Motion:
        """Return the motion with all lengths multiplied by a factor."""
        moved = None if self.translations is None else self.translations * factor
        tips = tuple((joint, tuple(factor * length for length in way), name) for joint, way, name in self.tips)
        return replace(self, offsets=self.offsets * factor, root=self.root * factor, translations=moved, tips=tips)

    def named(self, name: str) -> Motion:
        """Return the same motion under another name."""
        return replace(self, name=name)

    def moved(self, x: float, y: float, turn: float) -> Motion:
        """Return the motion rotated about the vertical axis through the origin, then moved along the ground."""
        cos, sin = np.cos(turn), np.sin(turn)
        root = self.root @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]) + (x, y, 0.0)
        rotations = self.rotations.copy()
        rotations[:, 0] = products(np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)]), rotations[:, 0])
        return replace(self, root=root, rotations=rotations)

    def after(self, end: Motion) -> tuple[float, float, float]:
        """Return arguments of `moved` that make this motion begin at the position and heading where another ends."""
        # Only the part about the vertical axis of the rotation from our first frame to their last is a change of
        # heading.
        w, _, _, z = products(end.rotations[-1, 0], self.rotations[0, 0] * (1.0, -1.0, -1.0, -1.0))
        turn = 2.0 * float(np.arctan2(z, w))
        x, y, _ = end.root[-1] - self.moved(0.0, 0.0, turn).root[0]
        return float(x), float(y), turn


def products(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the product of quaternions a b (w x y z): b rotates first, then a."""
    w, v, u, t = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return np.concatenate([w * u - np.sum(v * t, -1, keepdims=True), w * t + u * v + np.cross(v, t)], axis=-1)
