"""Characters of files: motions of a model retargeted onto a skinned body, in metres with y up."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.crowd.characters import LEG, Body, MadeMotion, sized, upright_clip
from freshtake.errors import FormatError
from freshtake.formats.gltf.rig import character_rig
from freshtake.formats.rig import Rig
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.limbs import Limb, learn_limbs
from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.body.size import unit_of
from freshtake.motion.edit import scaled, with_up
from freshtake.motion.playback import Playback
from freshtake.numeric.rotations import IDENTITY
from freshtake.variation.model import VariationModel
from freshtake.workflows.motion_retargeting import Onto, onto_character

STEADY = 1e-4  # metres by which joints other than the travelling one may move on their parents


class Character(NamedTuple):
    """A body that motions of one model are put onto, and how many times as far it walks as the model's own."""

    onto: Onto
    body: Body
    ratio: float
    legs: tuple[Limb, ...]

    def rig(self) -> Rig | None:
        """Joints, bind pose and meshes of the file, in metres; None of files without a skin."""
        if not self.onto.gltf:
            return None
        filed = character_rig(self.onto.path, as_filed(self.onto.clip))[1]
        unit = _unit(self.onto.clip)
        if unit == 1.0:
            return filed
        meshes = tuple(mesh._replace(vertices=unit * mesh.vertices) for mesh in filed.meshes)
        return replace(filed, translations=unit * filed.translations, meshes=meshes)

    def put(self, made: MadeMotion, own: Body, fps: float) -> MadeMotion:
        """A motion on this body; root and travel are then its own."""
        playback = None
        if made.travel.any():
            playback = Playback(made.travel, len(made.root) / fps, loop=True)
        source = Clip(
            sized(own.skeleton, own.scale), 1.0 / fps, made.root, made.rotations, name="motion", unit_m=1.0,
            playback=playback,
        )  # fmt: skip
        clip = _on_its_root(_put(self.onto, source), self.onto.path)
        return MadeMotion(clip.root, clip.rotations, self.ratio * made.travel, made.tries, made.verdict)


@lru_cache(maxsize=8)
def _onto(path: Path, model: Path) -> Onto:
    # One for each model: the rest pose of a source is that of the first clip that is put on.
    return onto_character(path)


def character_of(path: Path, model: VariationModel, body: Body, model_path: Path) -> Character:
    """The character of a file for motions of a model; refused where they cannot be put onto it."""
    onto = _onto(path, model_path)
    example = upright_clip(model.decode(model.material.values[0]), body)
    made = _on_its_root(_put(onto, example), path)
    new = Body(made.skeleton, 1.0, IDENTITY.copy(), "y")
    ratio = leg_length(made.skeleton) / leg_length(example.skeleton)
    if onto.ways:
        ratio = onto.ways[0][1].transfer.leg_ratio * _unit(onto.clip)
    return Character(onto, new, float(ratio), tuple(limb for limb in learn_limbs([made]) if limb.is_leg))


def _unit(clip: Clip) -> float:
    unit = unit_of(clip)
    return LEG / leg_length(clip.skeleton) if unit is None else unit


def _put(onto: Onto, clip: Clip) -> Clip:
    """A clip on the character, in metres with y up."""
    made = onto.put(clip)
    if made is clip:  # its own joints: in the character's order, and as large
        order = [clip.skeleton.index(name) for name in onto.clip.skeleton.names]
        target = scaled(with_up(onto.clip, "y"), _unit(onto.clip))
        ratio = leg_length(target.skeleton) / leg_length(clip.skeleton)
        return clip.changed(skeleton=target.skeleton, root=ratio * clip.root, rotations=clip.rotations[:, order])
    return scaled(with_up(as_filed(made), "y"), _unit(made))


def _on_its_root(clip: Clip, path: Path) -> Clip:
    """A clip whose joint 0 travels, where a joint below it did: all others keep their places on their parents."""
    if clip.joint_translations is None:
        return clip
    still = clip.changed(joint_translations=None)
    away = clip.positions() - still.positions()
    body = pelvis(clip.skeleton)
    moved = still.changed(root=clip.root + away[:, body])
    below = _below(clip.skeleton, body)
    if np.abs(moved.positions()[:, below] - clip.positions()[:, below]).max() > STEADY:
        raise FormatError(path, "joints of this character move against their parents, and crowds hold rotations only")
    return moved


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    return [k for k in range(len(skeleton)) if joint in skeleton.chain(k)]
