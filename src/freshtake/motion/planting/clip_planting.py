"""`plant`: a whole clip with its feet on the floor and its pins met."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import Mapping
from freshtake.motion.clip import Clip
from freshtake.motion.pins import Pin, check_pins
from freshtake.motion.planting.contact_labels import checked_labels, spread_labels
from freshtake.motion.planting.contacts import ContactSettings
from freshtake.motion.planting.pinning import pinned_clip, pinned_root
from freshtake.motion.planting.planter import NO_LEGS, Planter, PlanterState
from freshtake.motion.planting.planting_model import PlantingModel, learn_planting, own_planting_model
from freshtake.motion.planting.reporting import Planted
from freshtake.motion.planting.rig import PlantedFrames, empty_frames, fresh_memory
from freshtake.motion.planting.settings import PlantSettings
from freshtake.numeric.arrays import Floats


def plant(
    clip: Clip,
    contacts: npt.ArrayLike | None = None,
    *,
    pins: Sequence[Pin] = (),
    examples: PlantingModel | Sequence[Clip] = (),
    floor: npt.ArrayLike | None = None,
    mapping: Mapping | None = None,
    finding: ContactSettings | None = None,
    settings: PlantSettings | None = None,
    careful: bool | None = None,
) -> Planted:
    """Hold feet where they stand and bring pinned joints to their places (Lau 2009, §7).

    `contacts` (frames, feet) or (frames, foot joints), 0 to 1, say when feet stand; by default they are found: in the
    nearest poses of `examples` where these are given, else in the clip itself. `careful` leaves feet alone that step or
    that the body does not stand on, whatever the contacts say; by default only where contacts are found. `floor`
    gives the standing height of every foot joint, or one for all; default: that of the examples or of the clip. Ranges
    and hinges of the joints are learned from the same clips. For many clips, give what `learn_planting` learned as
    `examples`; floor, mapping and finding are then its own.
    """
    check_pins(pins, clip)
    if isinstance(examples, PlantingModel):
        base = examples
    elif len(examples):
        base = learn_planting(examples, floor=floor, mapping=mapping, finding=finding)
    else:
        base = own_planting_model(clip, floor=floor, mapping=mapping, finding=finding)
    base.check(clip)
    if not base.feet and contacts is not None:
        raise UsageError(NO_LEGS)
    labels = checked_labels(base.contacts(clip) if contacts is None else contacts, len(clip), base.feet)
    planter = _planter(
        base, settings or PlantSettings(), clip.frame_time, contacts is None if careful is None else careful
    )
    led = pinned_root(clip, pins)
    out = planted_frames(planter, led, labels)
    planted = (
        _changed(led, out)
        if out.contact_strengths.any() or out.missed.any() or (out.rotations != led.rotations).any()
        else led
    )
    planted = pinned_clip(planted, base, pins)
    return Planted(planted, clip, base, out, tuple(pins))


@lru_cache(maxsize=16)
def _planter(base: PlantingModel, settings: PlantSettings, frame_time: float, careful: bool) -> Planter:
    """Planters hold the body as plain arrays, which many clips share."""
    return Planter(base, settings, frame_time, careful)


def planted_frames(planter: Planter, clip: Clip, labels: Floats) -> PlantedFrames:
    """A clip is a stream that is fed at once."""
    legs = len(planter.base.legs)
    frames = empty_frames(len(clip), len(clip.skeleton), legs)
    frames.root[:], frames.rotations[:] = clip.root, clip.rotations
    frames.strength[:] = spread_labels(labels, planter.base.feet)
    offsets = clip.skeleton.offsets[None] if clip.joint_translations is None else clip.joint_translations
    counts = np.zeros(4, dtype=np.intp)
    state = PlanterState(frames, fresh_memory(legs), counts, np.ascontiguousarray(offsets))
    return planter.advance(state, True)


def _changed(clip: Clip, out: PlantedFrames) -> Clip:
    """The clip with the root and rotations that were found."""
    moved = clip.joint_translations
    if moved is None:
        return clip.with_own(out.root, out.rotations)
    moved = moved.copy()
    moved[:, 0] = out.root
    return clip.changed(root=out.root, rotations=out.rotations, joint_translations=moved)
