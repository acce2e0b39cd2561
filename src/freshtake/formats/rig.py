"""A character as any scene format takes it: joints without scale, their bind pose, and meshes in the bind pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.playback import Playback
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.kinematics import WorldPose, forward
from freshtake.numeric.rotations import IDENTITY

_STILL = 1e-6  # of the body's size: a joint that stays this near to its bind translation does not move


class Material(NamedTuple):
    """What a mesh is painted with: a name and a colour (linear red, green, blue)."""

    name: str
    color: tuple[float, float, float]


class RigMesh(NamedTuple):
    """Triangles in the world of the bind pose; `joints` and `weights` (vertices, k) say what carries a vertex."""

    name: str
    vertices: Floats
    faces: npt.NDArray[np.int64]
    normals: Floats | None
    coordinates: Floats | None  # (vertices, 2), v upwards
    joints: npt.NDArray[np.int64]
    weights: Floats
    materials: tuple[Material, ...]
    face_materials: npt.NDArray[np.int64]  # (faces,): which material


@dataclass(frozen=True, eq=False)
class Rig:
    """Joints, parents first, with local translations (joints, 3) and rotations (joints, 4) of the bind pose."""

    names: tuple[str, ...]
    parents: Ints
    translations: Floats
    rotations: Floats
    tips: tuple[EndSite, ...] = ()
    meshes: tuple[RigMesh, ...] = ()

    def bind(self) -> WorldPose:
        """Places (joints, 3) and rotations (joints, 4) of the bind pose in the world."""
        pose = forward(self.parents, self.translations[None], self.rotations[None])
        return WorldPose(pose.positions[0], pose.rotations[0])

    def tip_names(self) -> list[str]:
        """A name for every tip that is no joint's and no other tip's."""
        taken, out = set(self.names), []
        for site in self.tips:
            wanted = name = site.name or f"{self.names[site.joint]}_end"
            number = 1
            while name in taken:
                number += 1
                name = f"{wanted}_{number}"
            taken.add(name)
            out.append(name)
        return out


class RigMotion(NamedTuple):
    """One clip on a rig: local rotations (frames, joints, 4) and translations (frames, joints, 3)."""

    name: str
    frame_time: float
    rotations: Floats
    translations: Floats
    playback: Playback | None

    def moving(self, rig: Rig) -> list[int]:
        """The joints that leave their bind translation; the root always counts."""
        size = float(np.abs(rig.translations).max()) or 1.0
        shifts = np.abs(self.translations - rig.translations).max(axis=(0, 2))
        return [joint for joint in range(len(rig.names)) if joint == 0 or shifts[joint] > _STILL * size]


def rig_of(skeleton: Skeleton) -> Rig:
    """The bare joints of a skeleton: no rotation in the bind pose, no mesh."""
    rotations = np.tile(IDENTITY, (len(skeleton), 1))
    return Rig(skeleton.names, skeleton.parents, skeleton.offsets, rotations, skeleton.end_sites)


def motion_on(clip: Clip, name: str, order: list[int] | None = None) -> RigMotion:
    """A clip's joints in the order of a rig: `order` has, for every joint of the rig, the joint of the clip."""
    rotations, translations = clip.rotations, clip.local_translations()
    if order is not None:
        rotations, translations = rotations[:, order], translations[:, order]
    return RigMotion(name, clip.frame_time, rotations, translations, clip.playback)
