"""Describe a character for any scene format: joints without scale, their bind pose, meshes, and clips on them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.formats.clip_sets import distinct
from freshtake.formats.files import SINGLE
from freshtake.formats.read_options import WriteOptions
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.clip import Playback
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.kinematics import WorldPose, forward, local_rotations
from freshtake.numeric.rotations import IDENTITY, from_matrix, inverse, rotate


def composed(local: Floats, parents: list[int], above: Floats | None = None) -> Floats:
    """Return world matrices (frames, joints, 4, 4) of local ones; `above` (frames, 4, 4) is what the root hangs on."""
    world = local.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            world[:, joint] = world[:, parent] @ world[:, joint]
        elif above is not None:
            world[:, joint] = above @ world[:, joint]
    return world


def scale_free(world: Floats, parents: list[int]) -> tuple[Floats, Floats]:
    """Return translations (frames, joints, 3; the root's in the world) and local rotations (frames, joints, 4)."""
    turned = nearest_rotations(world[..., :3, :3])
    translations = world[..., :3, 3].copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            from_parent = world[:, joint, :3, 3] - world[:, parent, :3, 3]
            translations[:, joint] = rotate(inverse(turned[:, parent]), from_parent)
    return translations, local_rotations(np.array(parents), turned)


def nearest_rotations(linear: Floats) -> Floats:
    """Return the rotations (..., 4) nearest to linear maps (..., 3, 3), without reflection."""
    u, _, vt = np.linalg.svd(np.nan_to_num(linear))
    mirrored = np.linalg.det(u @ vt) < 0
    u[mirrored, :, 2] *= -1.0
    return from_matrix(u @ vt)


GRAY = (0.8, 0.8, 0.8)  # of what has no material


class Material(NamedTuple):
    """What a mesh is painted with: a name, a colour (linear red, green, blue), and the bytes of its picture, if any."""

    name: str
    color: tuple[float, float, float]
    image: bytes | None = None


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
        """Return places (joints, 3) and rotations (joints, 4) of the bind pose in the world."""
        pose = forward(self.parents, self.translations[None], self.rotations[None])
        return WorldPose(pose.positions[0], pose.rotations[0])

    def tip_names(self) -> list[str]:
        """Return a name for every tip that is no joint's and no other tip's."""
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
        """Return the joints that leave their bind translation; the root always counts."""
        size = float(np.abs(rig.translations).max()) or 1.0
        shifts = np.abs(self.translations - rig.translations).max(axis=(0, 2))
        return [joint for joint in range(len(rig.names)) if joint == 0 or shifts[joint] > SINGLE * size]


def rig_of(skeleton: Skeleton) -> Rig:
    """Return the bare joints of a skeleton: no rotation in the bind pose, no mesh."""
    rotations = np.tile(IDENTITY, (len(skeleton), 1))
    return Rig(skeleton.names, skeleton.parents, skeleton.offsets, rotations, skeleton.end_sites)


def motion_on(clip: Clip, name: str, order: list[int] | None = None) -> RigMotion:
    """Return a clip's joints in the order of a rig: `order` has, for every joint of the rig, the joint of the clip."""
    rotations, translations = clip.rotations, clip.local_translations()
    if order is not None:
        rotations, translations = rotations[:, order], translations[:, order]
    return RigMotion(name, clip.frame_time, rotations, translations, clip.playback)


def on_rig(clips: list[Clip], options: WriteOptions) -> tuple[Rig, list[RigMotion]]:
    """Return the rig, and every clip on it under a unique name; joints of a character are matched by name."""
    names = distinct([clip.name or "clip" for clip in clips])
    if options.character is None:
        rig = rig_of(clips[0].skeleton)
        return rig, [motion_on(clip, name) for clip, name in zip(clips, names, strict=True)]
    from freshtake.formats.gltf.onto import matched
    from freshtake.formats.gltf.rig import character_rig

    source = Path(options.character)
    loaded, rig = character_rig(source, clips[0])
    motions = [
        motion_on(clip, name, matched(source, loaded.character, clip)) for clip, name in zip(clips, names, strict=True)
    ]
    return rig, motions
