"""`retarget`: a clip of one body on another, on the floor, with its feet standing as they stood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freshtake.motion.body.roles import Foot
from freshtake.motion.body.rooting import rooted
from freshtake.motion.body.size import unit_of
from freshtake.motion.clip import Clip
from freshtake.motion.edit import moved, take_frames, tilt, with_up
from freshtake.motion.planting.contacts import ContactSettings, joint_contacts
from freshtake.motion.planting.planting_model import STILL
from freshtake.motion.retarget.body_map import SIDES, BodyMap
from freshtake.motion.retarget.footing import Steps, corrections, hip_lift, lead_legs
from freshtake.motion.retarget.mapping import find_body
from freshtake.motion.retarget.rest import STATED, Rest, Stated, find_rest, zero_places
from freshtake.motion.retarget.transfer import Transfer, hip_joints, leg, plan_transfer, world_places
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import forward
from freshtake.numeric.rotations import inverse, multiply, rotate

NOTHING = 1e-6  # leg lengths: corrections that are rounding errors
LEVEL = 0.06  # leg lengths: a floor this near to height 0 is at 0


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
        body = _found(clip, stated, who)
    return Rig(clip, body, find_rest(clip, body, stated))


def _found(clip: Clip, stated: Stated | None, who: str) -> BodyMap:
    """By names, else by the shape of the rest pose, of the zero pose or of the first frame."""
    upright = with_up(clip, "y")
    zero = zero_places(clip.skeleton)
    poses = [zero] if stated is None else [stated.places, zero]
    poses = [turned for places in poses for turned in (places, rotate(tilt("z", "y"), places))]
    poses.append(upright.positions()[0])
    return find_body(clip.skeleton, poses, who)


@dataclass(frozen=True, eq=False)
class Retargeter:
    """Puts clips of one rig onto another."""

    source: Rig
    target: Rig

    @cached_property
    def transfer(self) -> Transfer:
        """What does not depend on the frame."""
        standing = with_up(take_frames(self.target.clip, 0, 1), "y").world().rotations[0]
        return plan_transfer(self.source.rest, self.source.body, self.target.rest, self.target.body, standing)

    @property
    def matched(self) -> int:
        """How many joints of the target follow the source."""
        return len(self.transfer.drivers)

    def retarget(self, clip: Clip, *, plant: bool = True) -> Clip:
        """The clip on the target: rotations relative to rest, travel and heights by the lengths of the legs.

        With `plant`, feet stand as those of the source do; in a loop through its seam.
        """
        played = clip.playback
        if not (plant and played is not None and played.loop):
            made = self._retargeted(clip, plant)
        else:
            count = len(clip) - played.closing
            made = self._retargeted(_three_times(clip, count), plant)
            made = take_frames(made, count, count + len(clip))
        if played is None:
            return made
        travel = rotate(tilt(clip.up, made.up), played.travel) * self.transfer.leg_ratio
        if plant and played.loop and played.root_motion != "none":
            made = moved(made, -travel)
        return made.changed(playback=played.changed(travel=travel), provenance=clip.provenance)

    def _retargeted(self, clip: Clip, plant: bool) -> Clip:
        upright = with_up(clip, "y")
        pose = upright.world()
        plan, skeleton = self.transfer, self.target.rest.skeleton
        world = plan.rotations(pose.rotations)
        places = world_places(skeleton.offsets, skeleton.parents, world)
        ground = self._ground(upright, pose.positions)
        wanted = pose.positions[:, hip_joints(self.source.body)].mean(axis=1) * plan.leg_ratio
        wanted[:, 1] += ground[0, 0] - plan.leg_ratio * ground[1, 0]
        places += (wanted - places[:, hip_joints(self.target.body)].mean(axis=1))[:, None]
        if plant:
            self._stand(upright, pose.positions, world, places, ground)
        return self._filed(clip, world, places)

    def _ground(self, upright: Clip, positions: Floats) -> Floats:
        """(2, 2): the heights at which ankles and toes stand, of the target and of the source's clip, y up."""
        joints = [[foot.ankle for foot in self.source.feet], [foot.joints[-1] for foot in self.source.feet]]
        level = ContactSettings.floor_percentile
        stood, toes = (float(np.percentile(positions[:, own, 1], level, axis=0).mean()) for own in joints)
        same = _grounded(self.source) == _grounded(self.target)
        own, other = (_ankle(rig, _grounded(rig)) for rig in (self.target, self.source))
        floor = stood - other
        if not same and abs(floor) < LEVEL * leg(self.source.rest, self.source.body):
            floor = 0.0
        stands = own + self.transfer.leg_ratio * floor
        # Feet turn relative to rest: what the source's toes stand lower than at rest, the target's do too.
        drop = _drop(self.target) + self.transfer.leg_ratio * (stood - toes - _drop(self.source))
        return np.array([[stands, stands - drop], [stood, toes]])

    def _stand(self, upright: Clip, source: Floats, world: Floats, places: Floats, ground: Floats) -> None:
        """Lift the hips and lead the legs so that feet stand as the source's do; rotations and places are changed."""
        contacts = joint_contacts(upright, settings=STILL, standing=self.source.feet)
        starts = np.cumsum([0, len(self.source.feet[0].joints)])
        ratio, (stands, stood) = self.transfer.leg_ratio, ground
        steps = []
        for first, mine, other in zip(starts, self.target.feet, self.source.feet, strict=True):
            points = min(len(mine.joints), len(other.joints))
            wished = ratio * source[:, other.joints[:points]]
            wished[..., 1] += (stands - ratio * stood)[:points]
            found = contacts[:, first : first + len(other.joints)]
            held = found[:, :points] if points == len(other.joints) else np.asarray(found.any(axis=1))[:, None]
            steps.append(Steps(places[:, mine.joints[:points]] - wished, held))
        moves = [corrections(foot, upright.frame_time) for foot in steps]
        if max(np.abs(move).max() for move in moves) <= NOTHING * leg(self.target.rest, self.target.body):
            return
        lift = hip_lift(moves, [foot.standing for foot in steps], upright.frame_time)
        places[..., 1] += lift[:, None]
        for side, move in zip(SIDES, moves, strict=True):
            move[:, 1] -= lift
            self._lead(side, world, places, move)

    def _lead(self, side: str, world: Floats, places: Floats, moves: Floats) -> None:
        skeleton, body = self.target.rest.skeleton, self.target.body
        hip, knee, ankle = (body.one(f"{side}_{part}") for part in ("upper_leg", "lower_leg", "foot"))
        to_left = rotate(inverse(self.target.rest.turns[hip]), np.array([1.0, 0.0, 0.0]))
        thigh, shank = places[:, knee] - places[:, hip], places[:, ankle] - places[:, knee]
        swing, bend = np.empty((2, len(world), 4))
        goal = places[:, ankle] + moves - places[:, hip]
        lead_legs(thigh, shank, rotate(world[:, hip], to_left), goal, swing, bend)
        foot, lower = skeleton.descendants(ankle), skeleton.descendants(knee)
        upper = [joint for joint in skeleton.descendants(hip) if joint not in lower]
        lower = [joint for joint in lower if joint not in foot]
        world[:, upper] = multiply(swing[:, None], world[:, upper])
        world[:, lower] = multiply(multiply(swing, bend)[:, None], world[:, lower])

    def _filed(self, clip: Clip, world: Floats, places: Floats) -> Clip:
        """A clip as the target's file has it: what is above the joint that travels stands still."""
        plan, target = self.transfer, self.target.clip
        skeleton = plan.target.skeleton
        turn = tilt("y", target.up)
        local = plan.local(world)
        local[:, 0] = multiply(turn, local[:, 0])
        made = Clip(
            skeleton, clip.frame_time, rotate(turn, places[:, 0]), local, name=clip.name, provenance=clip.provenance,
            up=target.up, unit_m=unit_of(target),
        )  # fmt: skip
        if plan.mover == 0:
            return made
        translations = np.repeat(skeleton.offsets[None], len(clip), axis=0)
        translations[:, 0] = target.root[0]
        path = skeleton.chain(plan.mover)
        above = forward(np.arange(len(path) - 1) - 1, translations[:1, path[:-1]], local[:1, path[:-1]])
        away = rotate(turn, places[:, plan.mover]) - above.positions[0, -1]
        translations[:, plan.mover] = rotate(inverse(above.rotations[0, -1]), away)
        filed = made.changed(root=translations[:, 0], joint_translations=translations)
        return rooted(filed, tuple(path))


def _three_times(clip: Clip, count: int) -> Clip:
    """A loop of `count` frames three times over, moved on by its travel each time."""
    assert clip.playback is not None
    travel = clip.playback.travel if clip.playback.root_motion != "none" else np.zeros(3)
    rows = np.arange(3 * count + len(clip) - count) % count
    shift = (np.arange(len(rows)) // count)[:, None] * travel
    root = clip.root[rows] + shift
    places = clip.joint_translations
    return clip.changed(
        root=root, rotations=clip.rotations[rows], joint_translations=None if places is None else places[rows]
    )


def _grounded(rig: Rig) -> bool:
    """Whether the rest pose of the file stands on height 0."""
    if rig.rest.how != STATED:
        return False
    lowest = float(rig.rest.places[:, 1].min()) / leg(rig.rest, rig.body)
    return -0.05 < lowest < 0.2


def _ankle(rig: Rig, grounded: bool) -> float:
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


def _drop(rig: Rig) -> float:
    """How far toes are below ankles at rest, the mean of both feet; 0 without toes."""
    return float(np.mean([rig.rest.places[f.ankle, 1] - rig.rest.places[f.joints[-1], 1] for f in rig.feet]))
