# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion: a moving skeleton as plain arrays, as it goes to the child process and comes back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .rotations import quaternion_matrices


@dataclass(frozen=True)
class Motion:
    """Joints, parents first, in motion space (z up).

    `offsets` (joints, 3) are the places on the parents at rest, `root` (frames, 3) is where joint 0 is, `rotations`
    (frames, joints, 4; w x y z) turn the joints against their parents and are none at rest. `translations` (frames,
    joints, 3) replaces the offsets where joints move against their parents. `tips` are ends of last bones:
    joint, offset, name. `about` is kept with an Action.
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
        """Places (frames, joints, 3) and rotations (frames, joints, 3, 3) of all joints."""
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
        """All lengths times a factor."""
        moved = None if self.translations is None else self.translations * factor
        tips = tuple((joint, tuple(factor * length for length in way), name) for joint, way, name in self.tips)
        return replace(self, offsets=self.offsets * factor, root=self.root * factor, translations=moved, tips=tips)

    def named(self, name: str) -> Motion:
        """The same motion under another name."""
        return replace(self, name=name)
