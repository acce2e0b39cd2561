"""`retarget`: a clip of one body on another, on the floor, with its feet standing as they stood."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from freshtake.motion.body.rooting import rehang, rooted
from freshtake.motion.body.size import unit_of
from freshtake.motion.clip import Clip
from freshtake.motion.edit import moved, take_frames, tilt, with_up
from freshtake.motion.planting.contacts import RECORDED, ContactSettings, joint_contacts
from freshtake.motion.retarget.body_map import SIDES
from freshtake.motion.retarget.footing import ARM, BEND, LEG, STRAY, Steps, corrections, hip_lift, lead_limb, limited
from freshtake.motion.retarget.rest import Rig, ankle_height, leg, stands_on_zero, toe_drop
from freshtake.motion.retarget.transfer import (
    STRETCH,
    Follower,
    Transfer,
    find_followers,
    follow,
    hand_moves,
    hip_joints,
    plan_transfer,
    world_places,
)
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import WorldPose, forward
from freshtake.numeric.rotations import inverse, multiply, rotate


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

    @cached_property
    def followers(self) -> tuple[Follower, ...]:
        """Joints of the target that go with a joint which they do not hang on."""
        return find_followers(self.target.rest, self.target.body)

    @property
    def matched(self) -> int:
        """How many joints of the target follow the source."""
        return len(self.transfer.drivers)

    def retarget(self, clip: Clip, *, plant: bool = True, hands: bool = False) -> Clip:
        """The clip on the target: rotations relative to rest, travel and heights by the lengths of the legs.

        With `plant`, feet stand as those of the source do; in a loop through its seam. With `hands`, hands are as high
        over floor, hips and shoulders as the source's.
        """
        played = clip.playback
        if not (plant and played is not None and played.loop):
            moved_clip = self._retargeted(clip, plant, hands)
        else:
            count = len(clip) - played.closing
            moved_clip = self._retargeted(_three_times(clip, count), plant, hands)
            moved_clip = take_frames(moved_clip, count, count + len(clip))
        if played is None:
            return moved_clip
        travel = rotate(tilt(clip.up, moved_clip.up), played.travel) * self.transfer.leg_ratio
        if plant and played.loop and played.root_motion != "none":
            moved_clip = moved(moved_clip, -travel)
        return moved_clip.changed(playback=played.changed(travel=travel), provenance=clip.provenance)

    def _retargeted(self, clip: Clip, plant: bool, hands: bool) -> Clip:
        upright = with_up(clip, "y")
        pose = upright.world()
        plan, skeleton = self.transfer, self.target.rest.skeleton
        world = plan.rotations(pose.rotations)
        places = world_places(skeleton.offsets, skeleton.parents, world)
        follow(self.followers, skeleton, world, places)
        ground = self._ground(upright, pose.positions)
        wanted = pose.positions[:, hip_joints(self.source.body)].mean(axis=1) * plan.leg_ratio
        wanted[:, 1] += ground[0, 0] - plan.leg_ratio * ground[1, 0]
        places += (wanted - places[:, hip_joints(self.target.body)].mean(axis=1))[:, None]
        if plant:
            self._stand(upright, pose.positions, world, places, ground)
        if hands:
            for side, move in hand_moves(self.source, self.target, pose.positions, places, ground[:, 0]):
                lead_limb(self.target, side, ARM, world, places, move, STRETCH)
        places = places[:, :1] + world_places(skeleton.offsets, skeleton.parents, world)
        follow(self.followers, skeleton, world, places)
        return self._filed(clip, world, places)

    def _ground(self, upright: Clip, positions: Floats) -> Floats:
        """(2, 2): the heights at which ankles and toes stand, of the target and of the source's clip, y up."""
        joints = [[foot.ankle for foot in self.source.feet], [foot.joints[-1] for foot in self.source.feet]]
        level = ContactSettings.floor_percentile
        stood, toes = (float(np.percentile(positions[:, height, 1], level, axis=0).mean()) for height in joints)
        same = stands_on_zero(self.source) == stands_on_zero(self.target)
        height, other = (ankle_height(rig, stands_on_zero(rig)) for rig in (self.target, self.source))
        floor = stood - other
        # A floor this near to height 0 is meant to be at 0.
        if not same and abs(floor) < 0.06 * leg(self.source.rest, self.source.body):
            floor = 0.0
        stands = height + self.transfer.leg_ratio * floor
        # Feet turn relative to rest: what the source's toes stand lower than at rest, the target's do too.
        drop = toe_drop(self.target) + self.transfer.leg_ratio * (stood - toes - toe_drop(self.source))
        return np.array([[stands, stands - drop], [stood, toes]])

    def _stand(self, upright: Clip, source: Floats, world: Floats, places: Floats, ground: Floats) -> None:
        """Lift the hips and lead the legs so that feet stand as the source's do; rotations and places are changed."""
        contacts = joint_contacts(upright, settings=RECORDED, standing=self.source.feet)
        starts = np.cumsum([0, len(self.source.feet[0].joints)])
        ratio, (stands, stood) = self.transfer.leg_ratio, ground
        steps = []
        for first, target_foot, source_foot in zip(starts, self.target.feet, self.source.feet, strict=True):
            points = min(len(target_foot.joints), len(source_foot.joints))
            wanted = ratio * source[:, source_foot.joints[:points]]
            wanted[..., 1] += (stands - ratio * stood)[:points]
            foot_contacts = contacts[:, first : first + len(source_foot.joints)]
            held = (
                foot_contacts[:, :points]
                if points == len(source_foot.joints)
                else np.asarray(foot_contacts.any(axis=1))[:, None]
            )
            steps.append(Steps(places[:, target_foot.joints[:points]] - wanted, held))
        moves = [corrections(foot, upright.frame_time) for foot in steps]
        # Corrections below this are rounding errors: leave the clip untouched.
        if max(np.abs(move).max() for move in moves) <= 1e-6 * leg(self.target.rest, self.target.body):
            return
        lift = hip_lift(moves, [foot.standing for foot in steps], upright.frame_time)
        places[..., 1] += lift[:, None]
        for side, move in zip(SIDES, moves, strict=True):
            move[:, 1] -= lift
            near = limited(move, STRAY * leg(self.target.rest, self.target.body))
            lead_limb(self.target, side, LEG, world, places, near, BEND)

    def _filed(self, clip: Clip, world: Floats, places: Floats) -> Clip:
        """A clip as the target's file has it: what is above the joint that travels stands still."""
        plan, target = self.transfer, self.target.clip
        skeleton = plan.target.skeleton
        turn = tilt("y", target.up)
        local = plan.local(world)
        local[:, 0] = multiply(turn, local[:, 0])
        target_clip = Clip(
            skeleton, clip.frame_time, rotate(turn, places[:, 0]), local, name=clip.name, provenance=clip.provenance,
            up=target.up, unit_m=unit_of(target),
        )  # fmt: skip
        wanted = WorldPose(rotate(turn, places), multiply(turn, world))
        if plan.mover == 0:
            return self._led(target_clip, wanted)
        translations = np.repeat(skeleton.offsets[None], len(clip), axis=0)
        translations[:, 0] = target.root[0]
        path = skeleton.chain(plan.mover)
        above = forward(np.arange(len(path) - 1) - 1, translations[:1, path[:-1]], local[:1, path[:-1]])
        from_above = rotate(turn, places[:, plan.mover]) - above.positions[0, -1]
        translations[:, plan.mover] = rotate(inverse(above.rotations[0, -1]), from_above)
        filed = target_clip.changed(root=translations[:, 0], joint_translations=translations)
        return rooted(self._led(filed, wanted), tuple(path))

    def _led(self, clip: Clip, wanted: WorldPose) -> Clip:
        """The clip, as its file has it, with followers where they are wanted in the world."""
        if not self.followers:
            return clip
        local, rotations = clip.local_translations().copy(), clip.rotations.copy()
        for joint in sorted(follower.joint for follower in self.followers):
            rehang(clip.skeleton, local, rotations, wanted, (joint,))
        return clip.changed(root=local[:, 0], rotations=rotations, joint_translations=local)


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
