"""What planting learns before it starts: limbs and their ranges, heights of the floor, contacts of examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Limb, Mapping, learn_limbs, limb_feet
from freshtake.motion.body.roles import Foot, leg_length, pelvis
from freshtake.motion.clip import Clip
from freshtake.motion.planting.contact_kernels import feet_in_body
from freshtake.motion.planting.contact_labels import ContactGallery, contact_gallery, nearest_contacts
from freshtake.motion.planting.contacts import ContactSettings, joint_contacts
from freshtake.motion.planting.rig import Bones, PelvisFrame, make_bones
from freshtake.motion.planting.settings import PlantSettings
from freshtake.motion.skeleton import Skeleton, require_compatible
from freshtake.numeric.arrays import Floats

# Synthesized feet may slide while they stand: looser limits than for recorded motion.
SLIDING = ContactSettings(height_on=0.07, height_off=0.11, speed_on=0.5, speed_off=0.85, bridged=0.08)
# What stands in recorded motion: a foot that shuffles along the floor is no contact.
STILL = ContactSettings(speed_on=0.2, speed_off=0.35)


@dataclass(frozen=True, eq=False)
class PlantingModel:
    """Learned from examples by `learn_planting`, used for any number of clips and streams of the same kind.

    `floor` is the height at which each foot joint stands, `heels` (legs,) the height of each heel (None: that of the
    toe); `gallery` is None where a clip was its own example.
    """

    skeleton: Skeleton
    frame_time: float
    up: str
    limbs: tuple[Limb, ...]
    floor: Floats
    gallery: ContactGallery | None = None
    finding: ContactSettings | None = None
    heels: Floats | None = None

    @cached_property
    def legs(self) -> tuple[Limb, ...]:
        """The limbs that stand."""
        return tuple(limb for limb in self.limbs if limb.is_leg)

    @property
    def below(self) -> Floats:
        """(legs,): how far the ankle of a flat foot is above its toe."""
        return np.array([max(heights[0] - heights[-1], 0.0) for heights in self._floors()])

    @property
    def soles(self) -> Floats:
        """(legs, 2): the heights of heel and toe when they stand."""
        soles = np.array([[heights[-1], heights[-1]] for heights in self._floors()]).reshape(-1, 2)
        if self.heels is not None:
            soles[:, 0] = self.heels
        return soles

    def _floors(self) -> list[Floats]:
        """The floor's heights, foot by foot."""
        return np.split(self.floor, np.cumsum([len(foot.joints) for foot in self.feet])[:-1]) if self.feet else []

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """The feet that can stand, in the order of contact columns."""
        return limb_feet(self.limbs, self.skeleton)

    @cached_property
    def bones(self) -> Bones:
        """The legs as plain arrays."""
        return make_bones(self.skeleton, self.legs)

    @cached_property
    def pelvis_depth(self) -> int:
        """Where the pelvis is on the way from the root to a foot."""
        return len(self.skeleton.chain(pelvis(self.skeleton))) - 1

    def feet_in_body(self, clip: Clip) -> Floats:
        """(frames, legs, 6): ankle and toe from the pelvis in leg lengths, heading removed."""
        out = np.empty((len(clip), len(self.legs), 6))
        offsets = self.skeleton.offsets[None] if clip.joint_translations is None else clip.joint_translations
        body = PelvisFrame(self.pelvis_depth, "xyz".index(self.up), leg_length(self.skeleton), self.facing)
        offsets, root, rotations = (np.ascontiguousarray(part) for part in (offsets, clip.root, clip.rotations))
        feet_in_body(self.bones, body, offsets, root, rotations, out)
        return out

    @property
    def facing(self) -> Floats:
        """The rotation of the pelvis from which headings are measured."""
        assert self.gallery is not None
        return self.gallery.facing

    def example_contacts(self, clip: Clip) -> Floats:
        """(frames, foot joints): where joints of an example stand, 0 or 1."""
        return joint_contacts(clip, settings=self.finding or STILL, standing=self.feet).astype(np.float64)

    def contacts(self, clip: Clip) -> Floats:
        """Contacts, 0 to 1: (frames, foot joints) by the nearest example poses, else (frames, feet) by the clip."""
        if not self.feet:
            return np.zeros((len(clip), 0))
        if self.gallery is not None:
            return nearest_contacts(clip, self.gallery)
        by_joint = joint_contacts(clip, floor=self.floor, settings=self.finding or SLIDING, standing=self.feet)
        joints = [len(foot.joints) for foot in self.feet]
        parts = np.split(by_joint, np.cumsum(joints)[:-1], axis=1)
        return np.stack([part.any(axis=1) for part in parts], axis=1).astype(np.float64)

    def check(self, clip: Clip) -> None:
        """Refuse a clip with another skeleton or vertical axis than the examples."""
        require_compatible(self.skeleton, clip.skeleton, "the example", "the clip")
        if clip.up != self.up:
            raise UsageError("the clip and its examples have different vertical axes: turn one of them first")


def learn_planting(
    examples: Sequence[Clip],
    *,
    floor: npt.ArrayLike | None = None,
    mapping: Mapping | None = None,
    finding: ContactSettings | None = None,
) -> PlantingModel:
    """Learn from clips whose feet stand as they should; `mapping` names joints of limbs, `finding` tunes contacts."""
    if not examples:
        raise UsageError("planting learns from at least one clip")
    first = examples[0]
    limbs = learn_limbs(examples, mapping)
    feet = limb_feet(limbs, first.skeleton)
    gallery = contact_gallery(examples, finding or STILL, feet) if feet else None
    heights = _floor(examples, feet, floor, finding)
    return PlantingModel(first.skeleton, first.frame_time, first.up, limbs, heights, gallery, finding)


def own_planting_model(
    clip: Clip,
    *,
    floor: npt.ArrayLike | None = None,
    mapping: Mapping | None = None,
    finding: ContactSettings | None = None,
) -> PlantingModel:
    """A clip as its own example: ranges of its joints, contacts by its own heights and speeds.

    Feet that sink in now and then would make the floor too low, so it lies half a band below where they mostly stand.
    """
    limbs = learn_limbs([clip], mapping)
    feet = limb_feet(limbs, clip.skeleton)
    heights = _floor([clip], feet, floor, finding)
    if floor is None and feet:
        standing = joint_contacts(clip, settings=finding or SLIDING, standing=feet)
        positions = clip.positions()[..., clip.up_index]
        below = 0.5 * PlantSettings.band * leg_length(clip.skeleton)
        for column, joint in enumerate(j for foot in feet for j in foot.joints):
            if standing[:, column].any():
                usual = float(np.median(positions[standing[:, column], joint]))
                heights[column] = max(heights[column], usual - below)
    return PlantingModel(clip.skeleton, clip.frame_time, clip.up, limbs, heights, None, finding)


def _floor(
    clips: Sequence[Clip], feet: Sequence[Foot], floor: npt.ArrayLike | None, finding: ContactSettings | None
) -> Floats:
    """Heights as given, one or one for each joint; else a low percentile over all clips together."""
    joints = [joint for foot in feet for joint in foot.joints]
    if floor is None:
        heights = np.concatenate([clip.positions()[:, joints, clip.up_index] for clip in clips])
        return np.asarray(np.percentile(heights, (finding or ContactSettings()).floor_percentile, axis=0))
    try:
        given = np.asarray(floor, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape not in ((), (1,), (len(joints),)) or not np.isfinite(given).all():
        raise UsageError(f"the floor must be one height or one for each of the {len(joints)} foot joints")
    return np.array(np.broadcast_to(given, (len(joints),)))
