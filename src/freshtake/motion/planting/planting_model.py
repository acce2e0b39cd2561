"""Learn what planting needs in advance: limbs and their ranges, floor heights, contacts of examples.

Contacts may also be given, by hand or by a classifier, or taken from the nearest frames of the examples.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Limb, LimbNames, learn_limbs, limb_feet
from freshtake.motion.body.orientation import distances, pose_points, usual_facing
from freshtake.motion.body.roles import Foot, leg_length
from freshtake.motion.clip import Clip
from freshtake.motion.planting.contacts import (
    RECORDED,
    SYNTHESIZED,
    PlantSettings,
    contact_mask,
    floor_heights,
    joint_contacts,
)
from freshtake.motion.planting.rig import Bones
from freshtake.motion.skeleton import Skeleton, require_compatible
from freshtake.numeric.arrays import Floats

LINKS = 2  # most links in the chain of a joint


def make_bones(skeleton: Skeleton, limbs: tuple[Limb, ...]) -> Bones:
    """Return the limbs as arrays."""
    paths = [skeleton.chain(limb.points[-1]) for limb in limbs]
    longest = max((len(path) for path in paths), default=1)
    path = np.full((len(limbs), longest), -1, dtype=np.intp)
    at = np.full((len(limbs), 4), -1, dtype=np.intp)
    ends = np.zeros((len(limbs), 2), dtype=np.intp)
    reference, basis = np.zeros((len(limbs), 2, LINKS, 4)), np.zeros((len(limbs), 2, LINKS, 3, 3))
    low, high = np.zeros((len(limbs), 2, 3 * LINKS)), np.zeros((len(limbs), 2, 3 * LINKS))
    for number, limb in enumerate(limbs):
        path[number, : len(paths[number])] = paths[number]
        for k, joint in enumerate((limb.upper, limb.middle, *limb.points)):
            at[number, k] = paths[number].index(joint)
        for k, chain in enumerate((limb.base, limb.ankle)):
            if chain is not None:
                count = len(chain.reference)
                ends[number, k] = count
                reference[number, k, :count], basis[number, k, :count] = chain.reference, chain.basis
                low[number, k, : 3 * count], high[number, k, : 3 * count] = chain.low, chain.high
    hinge = np.array([limb.hinge for limb in limbs]).reshape(-1, 3)
    reach = np.array([limb.reach for limb in limbs]).reshape(-1, 2)
    upright = np.array([limb.is_leg for limb in limbs], dtype=np.intp)
    return Bones(path, at, hinge, reach, upright, ends, reference, basis, low, high)


def checked_labels(contacts: npt.ArrayLike, frames: int, feet: Sequence[Foot]) -> Floats:
    """Return contacts (frames, feet) or (frames, foot joints) as numbers from 0 to 1, (frames, feet, 2): heel and toe.

    A foot without a toe touches the floor with its ankle.
    """
    joints = sum(len(foot.joints) for foot in feet)
    try:
        labels = np.array(contacts, dtype=np.float64)
    except (TypeError, ValueError):
        labels = np.empty(0)
    if labels.ndim != 2 or len(labels) != frames or labels.shape[1] not in (len(feet), joints):
        shape = " x ".join(map(str, labels.shape))
        raise UsageError(
            f"contacts are {shape}, but the clip has {frames} frames: give {len(feet)} columns, one for each foot, "
            f"or {joints}, one for each ankle and toe"
        )
    if not (np.isfinite(labels).all() and labels.min(initial=0.0) >= 0.0 and labels.max(initial=0.0) <= 1.0):
        raise UsageError("contacts must be flags, or numbers from 0 (in the air) to 1 (on the floor)")
    if labels.shape[1] == len(feet):
        return np.repeat(labels[:, :, None], 2, axis=2)
    counts = np.array([len(foot.joints) for foot in feet], dtype=np.intp)
    toes = np.cumsum(counts) - 1
    return np.asarray(labels[:, np.stack([toes - counts + 1, toes], axis=1)])


def named_labels(contacts: Mapping[str, Floats], frames: int, feet: Sequence[Foot], names: Sequence[str]) -> Floats:
    """Return contacts by the names of feet or foot joints as columns; feet that are not named have no contacts.

    A value is one number per frame, or intervals (n, 2) of first frame and frame after the last. If a toe is named,
    each column is a single joint; otherwise a name means the entire foot.
    """
    by_foot = [foot.name for foot in feet]
    by_joint = [names[joint] for foot in feet for joint in foot.joints]
    unknown = [name for name in contacts if name not in by_foot and name not in by_joint]
    if unknown:
        raise UsageError(f"there is no foot {unknown[0]!r} for contacts; there are {', '.join(by_joint)}")
    columns = by_joint if any(name not in by_foot for name in contacts) else by_foot
    out = np.zeros((frames, len(columns)))
    for name, values in contacts.items():
        column = out[:, columns.index(name)]
        if values.ndim == 2:
            for start, stop in values.astype(int).tolist():
                if stop > frames:
                    raise UsageError(f"a contact of {name!r} ends at frame {stop}, but the clip has {frames} frames")
                column[start:stop] = 1.0
        elif len(values) != frames:
            raise UsageError(f"there are contacts of {name!r} for {len(values)} frames, but the clip has {frames}")
        else:
            column[:] = values
    return out


class ContactGallery(NamedTuple):
    """Poses of examples (poses, dimensions), their contacts (poses, foot joints), and the reference for headings."""

    poses: Floats
    labels: Floats
    facing: Floats


def contact_gallery(
    examples: Sequence[Clip], standing: Sequence[Foot] | None = None, labels: Floats | None = None
) -> ContactGallery:
    """Return the poses of clips with correctly planted feet, and their contacts.

    `standing` are the feet, if the guesses are wrong; `labels` (frames of all examples, foot joints) their contacts, if
    already known.
    """
    for example in examples[1:]:
        require_compatible(examples[0].skeleton, example.skeleton)
    facing = usual_facing(examples[0])
    if labels is None:
        contacts = [joint_contacts(example, settings=RECORDED, standing=standing) for example in examples]
        labels = np.concatenate(contacts).astype(np.float64)
    poses = np.concatenate([pose_points(example, facing) for example in examples])
    return ContactGallery(poses, labels, facing)


def nearest_contacts(clip: Clip, gallery: ContactGallery) -> Floats:
    """Return (frames, foot joints), 0 to 1: the share of the nearest example poses in which that joint is planted.

    Poses are compared with their velocities, without travel and heading; nearer poses count more. This finds contacts
    of feet that slide in the clip, although such feet are too fast for a contact.
    """
    points = pose_points(clip, gallery.facing)
    # Compare 4096 frames at a time to limit the memory for distances.
    blocks = [_shares(points[k : k + 4096], gallery) for k in range(0, len(points), 4096)]
    return np.concatenate(blocks)


def _shares(points: Floats, gallery: ContactGallery) -> Floats:
    all_distances = distances(points, gallery.poses)
    # Five similar poses outvote a single frame with a wrong label.
    count = min(5, len(gallery.poses))
    near = np.argpartition(all_distances, count - 1, axis=1)[:, :count]
    gaps = np.take_along_axis(all_distances, near, axis=1)
    typical = np.median(gaps, axis=1, keepdims=True)
    weights = 1.0 / (gaps**2 + (0.1 * typical + 1e-12) ** 2)
    return np.asarray((weights[..., None] * gallery.labels[near]).sum(axis=1) / weights.sum(axis=1)[:, None])


@dataclass(frozen=True, eq=False)
class PlantingModel:
    """The result of `learn_planting`, for any number of clips and streams of the same kind.

    `floor` (foot joints,) are the heights of planted foot joints; `gallery` is None if a clip was its only example.
    """

    skeleton: Skeleton
    frame_time: float
    up: str
    limbs: tuple[Limb, ...]
    floor: Floats
    gallery: ContactGallery | None = None

    @cached_property
    def legs(self) -> tuple[Limb, ...]:
        """The limbs whose ends can be planted."""
        return tuple(limb for limb in self.limbs if limb.is_leg)

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """The feet of the legs, in the order of contact columns."""
        return limb_feet(self.limbs, self.skeleton)

    @cached_property
    def bones(self) -> Bones:
        """The legs as plain arrays."""
        return make_bones(self.skeleton, self.legs)

    @cached_property
    def low(self) -> Floats:
        """The heights below which foot joints may have contacts."""
        return self.floor + RECORDED.height_on * leg_length(self.skeleton)

    def example_contacts(self, clip: Clip) -> Floats:
        """Return the contacts of an example, 0 or 1, (frames, foot joints)."""
        return joint_contacts(clip, settings=RECORDED, standing=self.feet).astype(np.float64)

    def contacts(self, clip: Clip) -> Floats:
        """Return contacts, 0 to 1: (frames, foot joints) by the nearest examples, else (frames, feet) from the clip."""
        if not self.feet:
            return np.zeros((len(clip), 0))
        if self.gallery is not None:
            return nearest_contacts(clip, self.gallery)
        return contact_mask(clip, floor=self.floor, settings=SYNTHESIZED, standing=self.feet).astype(np.float64)

    def check(self, clip: Clip) -> None:
        """Refuse a clip whose skeleton or vertical axis differs from the examples'."""
        require_compatible(self.skeleton, clip.skeleton, "the example", "the clip")
        if clip.up != self.up:
            raise UsageError("the clip and its examples have different vertical axes: turn one of them first")


def learn_planting(
    examples: Sequence[Clip],
    *,
    floor: npt.ArrayLike | None = None,
    mapping: LimbNames | None = None,
    labels: Floats | None = None,
) -> PlantingModel:
    """Learn a body and its feet from clips with correctly planted feet.

    `floor` gives the heights of planted feet, one for all or one per foot joint, by default the heights in the clips;
    `mapping` the names of the limbs' joints, if they are not recognized; `labels` (frames of all clips, foot joints)
    the contacts, 0 or 1, if already known.
    """
    if not examples:
        raise UsageError("planting needs at least one clip to learn from")
    first = examples[0]
    limbs = learn_limbs(examples, mapping)
    feet = limb_feet(limbs, first.skeleton)
    if labels is not None and labels.shape[1] != sum(len(foot.joints) for foot in feet):
        labels = None  # labels of other feet
    gallery = contact_gallery(examples, feet, labels) if feet else None
    heights = floor_heights(examples, feet, floor)
    return PlantingModel(first.skeleton, first.frame_time, first.up, limbs, heights, gallery)


def own_planting_model(
    clip: Clip, *, floor: npt.ArrayLike | None = None, mapping: LimbNames | None = None
) -> PlantingModel:
    """Learn from a clip as its only example: ranges of its joints, contacts from its heights and speeds.

    Feet that sometimes sink in would make the floor too low, so the floor is half a band below their usual height.
    """
    limbs = learn_limbs([clip], mapping)
    feet = limb_feet(limbs, clip.skeleton)
    heights = floor_heights([clip], feet, floor)
    if floor is None and feet:
        contacts = joint_contacts(clip, settings=SYNTHESIZED, standing=feet)
        levels = clip.positions()[:, [joint for foot in feet for joint in foot.joints], clip.up_index]
        below = 0.5 * PlantSettings.band * leg_length(clip.skeleton)
        for column in np.flatnonzero(contacts.any(axis=0)):
            usual = float(np.median(levels[contacts[:, column], column]))
            heights[column] = max(heights[column], usual - below)
    return PlantingModel(clip.skeleton, clip.frame_time, clip.up, limbs, heights)
