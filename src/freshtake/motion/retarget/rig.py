"""Rig: a skeleton with the parts of its body, its rest pose and its feet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import Foot
from freshtake.motion.clip import Clip
from freshtake.motion.edit import tilt, with_up
from freshtake.motion.retarget.body_map import SIDES, BodyMap
from freshtake.motion.retarget.mapping import find_body
from freshtake.motion.retarget.rest import STATED, Rest, Stated, find_rest, zero_places
from freshtake.motion.retarget.transfer import leg
from freshtake.numeric.rotations import rotate

SHORTEST = 1e-3  # of the body's size: shorter legs do not count as legs


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton that motion is taken from or put onto: a clip of it, its parts and its rest pose."""

    clip: Clip
    body: BodyMap
    rest: Rest

    @cached_property
    def feet(self) -> tuple[Foot, ...]:
        """The feet of the map, left first."""
        names, joints = self.clip.skeleton.names, self.body.joints
        return tuple(
            Foot(names[joints[f"{side}_foot"][0]], joints[f"{side}_foot"][0], joints.get(f"{side}_toes", (None,))[0])
            for side in SIDES
        )


def make_rig(clip: Clip, stated: Stated | None = None, body: BodyMap | None = None, who: str = "the skeleton") -> Rig:
    """The parts and the rest pose of a clip's skeleton, found or given; `stated` is the file's own rest pose."""
    if body is None:
        body = _found_body(clip, stated, who)
    rig = Rig(clip, body, find_rest(clip, body, stated))
    if not leg(rig.rest, body) > SHORTEST * float(np.ptp(rig.rest.places, axis=0).max(initial=0.0)):
        raise UsageError(f"{who}: its legs have no length, so its size is unknown: check the skeleton's offsets")
    return rig


def _found_body(clip: Clip, stated: Stated | None, who: str) -> BodyMap:
    """By names, else by the shape of the rest pose, of the zero pose or of the first frame."""
    upright = with_up(clip, "y")
    zero = zero_places(clip.skeleton)
    poses = [zero] if stated is None else [stated.places, zero]
    poses = [turned for places in poses for turned in (places, rotate(tilt("z", "y"), places))]
    poses.append(upright.positions()[0])
    return find_body(clip.skeleton, poses, who)


def stands_on_zero(rig: Rig) -> bool:
    """Whether the rest pose of the file stands on height 0."""
    if rig.rest.how != STATED:
        return False
    lowest = float(rig.rest.places[:, 1].min()) / leg(rig.rest, rig.body)
    return -0.05 < lowest < 0.2


def ankle_height(rig: Rig, grounded: bool) -> float:
    """The mean height of the ankles at rest, above height 0 or above the lowest point of the feet."""
    rest = rig.rest
    ankles = [foot.ankle for foot in rig.feet]
    height = float(rest.places[ankles, 1].mean())
    if grounded:
        return height
    below = [joint for ankle in ankles for joint in rest.skeleton.descendants(ankle)]
    points = [rest.places[below]] + [
        (rest.places[site.joint] + rotate(rest.turns[site.joint], np.asarray(site.offset)))[None]
        for site in rest.skeleton.end_sites if site.joint in below
    ]  # fmt: skip
    return height - float(np.concatenate(points)[:, 1].min())


def toe_drop(rig: Rig) -> float:
    """How far toes are below ankles at rest, the mean of both feet; 0 without toes."""
    return float(np.mean([rig.rest.places[f.ankle, 1] - rig.rest.places[f.joints[-1], 1] for f in rig.feet]))
