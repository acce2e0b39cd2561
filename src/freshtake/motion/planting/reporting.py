"""The report of a planting, measured on the clip that came out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freshtake.motion.clip import Clip
from freshtake.motion.contacts import runs
from freshtake.motion.limbs import Limb
from freshtake.motion.pins import Pin
from freshtake.motion.planting.channel import GRIP
from freshtake.motion.planting.results import PinResult, PlantedContact, PlantReport
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import angle_between

FIRM = 0.999


def make_report(
    before: Clip,
    after: Clip,
    limbs: Sequence[Limb],
    grips: Sequence[Floats],
    residuals: Sequence[Floats],
    pins: Sequence[Pin],
) -> PlantReport:
    """`grips` (frames, points) and `residuals` (frames,) of every limb."""
    positions = after.positions()
    turned = np.degrees(angle_between(before.rotations, after.rotations))
    contacts: list[PlantedContact] = []
    free, held = [np.zeros(0)], [np.zeros(0)]
    for limb, grip, residual in zip(limbs, grips, residuals, strict=True):
        contacts += _contacts(after, positions, limb, grip, residual)
        if limb.is_leg:
            joints = [*limb.turning, *limb.points[-1:]]
            standing = grip.max(axis=1) > GRIP
            free.append(turned[~standing][:, joints].ravel())
            held.append(turned[standing][:, joints].ravel())
    return PlantReport(
        tuple(contacts),
        tuple(_pin(after, positions, pin, before) for pin in pins),
        max((contact.residual for contact in contacts), default=0.0),
        float(np.linalg.norm(after.root - before.root, axis=1).max()),
        _mean(np.concatenate(free)),
        _mean(np.concatenate(held)),
    )


def _contacts(after: Clip, positions: Floats, limb: Limb, grip: Floats, residual: Floats) -> list[PlantedContact]:
    """Runs of firm grip of every point."""
    found = []
    for number in range(grip.shape[1]):
        joint = limb.points[number]
        for start, stop in runs(grip[:, number] >= FIRM):
            x, y, z = positions[start:stop, joint].mean(axis=0).tolist()
            missed = float(residual[start:stop].max())
            found.append(PlantedContact(after.skeleton.names[joint], start, stop, (x, y, z), missed))
    return found


def _pin(after: Clip, positions: Floats, pin: Pin, before: Clip) -> PinResult:
    """How far the joint is from the pin's place; from its mean there, where the pin names no place."""
    here = positions[pin.start : pin.stop, after.skeleton.index(pin.joint)]
    wanted = here.mean(axis=0) if pin.position is None else np.asarray(pin.position)
    return PinResult(pin, float(np.linalg.norm(here - wanted, axis=1).max()))


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else 0.0
