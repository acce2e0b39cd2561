"""Contacts as similar motion has them: where a foot of the nearest examples stands, it should stand here too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from freshtake.motion.body import Foot
from freshtake.motion.clip import Clip
from freshtake.motion.contacts import ContactSettings, joint_contacts
from freshtake.motion.pose_space import distances, pose_points, usual_facing
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats

NEIGHBORS = 5
BLOCK = 4096  # frames that are compared at a time


class ContactGallery(NamedTuple):
    """Poses of examples (poses, dimensions), which foot joints stand in them, and how headings are measured."""

    poses: Floats
    flags: Floats
    facing: Floats


def contact_gallery(
    examples: Sequence[Clip], settings: ContactSettings | None = None, standing: Sequence[Foot] | None = None
) -> ContactGallery:
    """The examples' poses with their contacts; `standing` names the feet where guesses are wrong."""
    for example in examples[1:]:
        require_compatible(examples[0].skeleton, example.skeleton)
    facing = usual_facing(examples[0])
    found = [joint_contacts(example, settings=settings, standing=standing) for example in examples]
    poses = np.concatenate([pose_points(example, facing) for example in examples])
    return ContactGallery(poses, np.concatenate(found).astype(np.float64), facing)


def likely_contacts(clip: Clip, examples: Sequence[Clip] | ContactGallery) -> Floats:
    """(frames, foot joints), 0 to 1: the share of each frame's nearest example poses in which that joint stands.

    Poses are compared with their velocities, without travel and heading; near ones count more. A foot that slides in
    the clip is found by this, where its own speed would say that it does not stand.
    """
    gallery = examples if isinstance(examples, ContactGallery) else contact_gallery(examples)
    points = pose_points(clip, gallery.facing)
    blocks = [_shares(points[k : k + BLOCK], gallery) for k in range(0, len(points), BLOCK)]
    return np.concatenate(blocks)


def _shares(points: Floats, gallery: ContactGallery) -> Floats:
    apart = distances(points, gallery.poses)
    count = min(NEIGHBORS, len(gallery.poses))
    near = np.argpartition(apart, count - 1, axis=1)[:, :count]
    gaps = np.take_along_axis(apart, near, axis=1)
    typical = np.median(gaps, axis=1, keepdims=True)
    weights = 1.0 / (gaps**2 + (0.1 * typical + 1e-12) ** 2)
    return np.asarray((weights[..., None] * gallery.flags[near]).sum(axis=1) / weights.sum(axis=1)[:, None])
