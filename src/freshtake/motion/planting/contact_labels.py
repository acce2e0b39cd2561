"""Contacts as they are given, by hand, by a classifier or found here, as flags for the points of every foot.

Contacts as similar motion has them: where a foot of the nearest examples stands, it should stand here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.pose_space import distances, pose_points, usual_facing
from freshtake.motion.body.roles import Foot
from freshtake.motion.clip import Clip
from freshtake.motion.planting.contacts import ContactSettings, joint_contacts
from freshtake.motion.skeleton import require_compatible
from freshtake.numeric.arrays import Floats

NEIGHBORS = 5
BLOCK = 4096  # frames that are compared at a time


def checked_labels(contacts: npt.ArrayLike, frames: int, feet: Sequence[Foot]) -> Floats:
    """Contacts (frames, feet) or (frames, foot joints) as numbers from 0 to 1."""
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
    return labels


def spread_labels(labels: Floats, feet: Sequence[Foot]) -> Floats:
    """Flags of feet or of foot joints as (frames, feet, 2), of heel and toe; what has no toe stands on its ankle."""
    if not feet:
        return np.zeros((len(labels), 0, 2))
    if labels.shape[1] == len(feet):
        return np.repeat(labels[:, :, None], 2, axis=2)
    columns, start = [], 0
    for foot in feet:
        columns.append((start, start + len(foot.joints) - 1))
        start += len(foot.joints)
    return np.asarray(labels[:, columns])


def named_labels(contacts: Mapping[str, Floats], frames: int, feet: Sequence[Foot], names: Sequence[str]) -> Floats:
    """Contacts by the names of feet or foot joints as columns; names that are not given stand nowhere.

    A value is one number per frame, or intervals (n, 2) of first frame and frame after the last. A toe's name
    makes all columns those of single joints; else a name stands for the foot as a whole.
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
    """Poses of examples (poses, dimensions), which foot joints stand in them, and how headings are measured."""

    poses: Floats
    labels: Floats
    facing: Floats


def contact_gallery(
    examples: Sequence[Clip], settings: ContactSettings | None = None, standing: Sequence[Foot] | None = None
) -> ContactGallery:
    """The examples' poses with their contacts; `standing` names the feet where guesses are wrong."""
    for example in examples[1:]:
        require_compatible(examples[0].skeleton, example.skeleton)
    facing = usual_facing(examples[0])
    contacts = [joint_contacts(example, settings=settings, standing=standing) for example in examples]
    poses = np.concatenate([pose_points(example, facing) for example in examples])
    return ContactGallery(poses, np.concatenate(contacts).astype(np.float64), facing)


def nearest_contacts(clip: Clip, examples: Sequence[Clip] | ContactGallery) -> Floats:
    """(frames, foot joints), 0 to 1: the share of each frame's nearest example poses in which that joint stands.

    Poses are compared with their velocities, without travel and heading; near ones count more. A foot that slides in
    the clip is found by this, where its own speed would say that it does not stand.
    """
    gallery = examples if isinstance(examples, ContactGallery) else contact_gallery(examples)
    points = pose_points(clip, gallery.facing)
    blocks = [_shares(points[k : k + BLOCK], gallery) for k in range(0, len(points), BLOCK)]
    return np.concatenate(blocks)


def _shares(points: Floats, gallery: ContactGallery) -> Floats:
    all_distances = distances(points, gallery.poses)
    count = min(NEIGHBORS, len(gallery.poses))
    near = np.argpartition(all_distances, count - 1, axis=1)[:, :count]
    gaps = np.take_along_axis(all_distances, near, axis=1)
    typical = np.median(gaps, axis=1, keepdims=True)
    weights = 1.0 / (gaps**2 + (0.1 * typical + 1e-12) ** 2)
    return np.asarray((weights[..., None] * gallery.labels[near]).sum(axis=1) / weights.sum(axis=1)[:, None])
