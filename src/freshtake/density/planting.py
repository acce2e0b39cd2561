"""Feet of synthesized motion: their contacts, mixed from the classes' contacts, and how they are kept in place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from freshtake.density.decoding import feet_of, recorded
from freshtake.motion import Clip
from freshtake.motion.planting import Planter, PlantingModel, PlantSettings
from freshtake.motion.planting.contacts import FLOOR_PERCENTILE, RECORDED, joint_contacts
from freshtake.numeric.arrays import Bools, Floats

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel

COMPLETE = 0.9  # fraction of a cycle: a shorter run does not close
FARTHEST = 0.25  # cycles: an edge of a contact farther away, or beyond the take, counts as this far away


def foot_columns(model: DensityModel) -> Floats:
    """Return contacts, then heights of foot joints for every kernel, (kernels, 2 foot joints).

    A contact is given as the time to its nearer edge in cycles, below 0 in the air. The weighted mean of several
    classes is above 0 between the weighted means of their edges, so the foot of a blend lands and lifts off between the
    times at which the classes' feet do. Heights are mixed because mixed rotations do not preserve them: between a bent
    knee and a straight one the leg is longer than the mean of both, and the foot would sink into the floor.
    """
    base = model.planting_model
    if base is None:
        return np.zeros((len(model.weights), 0))
    joints = foot_joints(base)
    contacts, heights = np.zeros((len(model.weights), len(joints))), np.zeros((len(model.weights), len(joints)))
    clips, spans = recorded(model), list(pairwise([0, *model.run_stops.tolist()]))
    for owner in range(len(model.classes)):
        mine = [(clip, a, b) for clip, (a, b) in zip(clips, spans, strict=True) if model.owners[a] == owner]
        for clip, a, b in mine:
            heights[a:b] = clip.positions()[:, joints, clip.up_index]
        # One floor per class: in a short run a foot may never touch the floor.
        floor = np.percentile(heights[model.owners == owner], FLOOR_PERCENTILE, axis=0)
        for clip, a, b in mine:
            down = joint_contacts(clip, floor=floor, settings=RECORDED, standing=base.feet)
            for column in range(len(joints)):
                contacts[a:b, column] = inside(down[:, column], float(model.limits[owner, 2]), model.cyclic[owner])
    return np.concatenate([contacts, heights], axis=1)


def foot_joints(base: PlantingModel) -> list[int]:
    """Return the joints of all feet in the order of contact columns."""
    return [joint for foot in base.feet for joint in foot.joints]


def row_contacts(model: DensityModel, rows: Floats) -> Floats:
    """Return the contacts of foot joints in rows of synthesis (frames, foot joints), 0 or 1.

    The height matters if a foot lands twice per cycle in one class and once in another, as in a skip and a walk: the
    mean of the classes' times would plant it while it hops.
    """
    assert model.planting_model is not None
    contacts, heights = feet_of(model, rows)
    return np.asarray((contacts > 0.0) & (heights < model.planting_model.low), dtype=np.float64)


def inside(down: Bools, period: float, cyclic: bool) -> Floats:
    """Return the time to the nearest edge of a contact in cycles of `period` frames: above 0 during the contact.

    A run of a cyclic class that is about a cycle long continues beyond its ends as it does a cycle away.
    """
    frames, cycle = np.arange(len(down)), min(round(period), len(down))
    closes = cyclic and cycle >= COMPLETE * period
    longer = np.concatenate([down[:cycle], down, down[-cycle:]]) if closes else down
    edges = np.flatnonzero(np.diff(longer.astype(np.int8))) + 0.5 - (cycle if closes else 0)
    after = np.searchsorted(edges, frames)
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])
    nearest = np.minimum(frames - bounds[after], bounds[after + 1] - frames)
    nearest = np.minimum(nearest, FARTHEST * period) / period
    return np.asarray(np.where(down, nearest, -nearest))


def planted_stream(
    frames: Iterator[tuple[Clip, Floats | None]], base: PlantingModel, settings: PlantSettings, *, has_contacts: bool
) -> Iterator[Clip]:
    """Yield planted clips, delayed by a constant number of frames; without contacts, they must have one frame each."""
    planter = Planter.learn(base, settings, careful=not has_contacts)
    state, before = planter.start(), None
    for clip, contacts in frames:
        if contacts is None:
            contacts = base.contacts(clip if before is None else _joined(before, clip))[-1:]
        before = clip
        state, ready = planter.feed(state, clip.root, clip.rotations, contacts)
        yield from clip.posed_frames(ready.root, ready.rotations)


def _joined(a: Clip, b: Clip) -> Clip:
    """Join two frames so that the second has a velocity."""
    return b.changed(root=np.concatenate([a.root, b.root]), rotations=np.concatenate([a.rotations, b.rotations]))
