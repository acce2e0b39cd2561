"""Retarget a clip of one body to another, on the floor and with the same foot contacts.

The target's legs have other proportions. During a contact of the source, the target's foot makes the source's small
movement, scaled, at its own height; a limb reaches such a position by bending at its hinge, then swinging.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from freshtake.motion.body.orientation import unit_of
from freshtake.motion.body.rooting import rehang, rooted
from freshtake.motion.clip import Clip
from freshtake.motion.cycles.looping import loop_frames, played
from freshtake.motion.edit import moved, take_frames, tilt, with_up
from freshtake.motion.planting.contacts import RECORDED, floor_heights, joint_contacts
from freshtake.motion.retarget.mapping import SIDES
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
from freshtake.numeric.arrays import Bools, Floats
from freshtake.numeric.compiled import compiled
from freshtake.numeric.curves import quintic, runs
from freshtake.numeric.limb_kernels import bend_angle, carry_into, exponential_into, swing_into
from freshtake.numeric.rotations import WorldPose, forward, inverse, local_rotations, multiply, rotate, unit

LEG: Limb = ("upper_leg", "lower_leg", "foot")
ARM: Limb = ("upper_arm", "lower_arm", "hand")
LONG_GAP = 0.5  # seconds: in a longer step, the correction fades out and in again


Limb = tuple[str, str, str]


def lead_limb(rig: Rig, side: str, limb: Limb, world: Floats, places: Floats, moves: Floats, most: float) -> None:
    """Move the end of a limb by (frames, 3), changing world rotations in place; the end keeps its rotation."""
    skeleton = rig.rest.skeleton
    first, middle, end = (rig.body.one(f"{side}_{part}") for part in limb)
    upper, lower = places[:, middle] - places[:, first], places[:, end] - places[:, middle]
    at_rest = np.array([1.0, 0.0, 0.0])  # in the body's axes: knees bend back about the left axis
    if limb == ARM:  # and elbows bend forward
        at_rest = np.cross(rig.rest.places[middle] - rig.rest.places[first], np.array([0.0, 0.0, 1.0]))
        at_rest = unit(at_rest)
    hinge = rotate(world[:, first], rotate(inverse(rig.rest.turns[first]), at_rest))
    if limb == ARM:
        hinge = _seen_hinge(upper, lower, hinge)
    swing, bend = np.empty((2, len(world), 4))
    limb_turns(upper, lower, hinge, places[:, end] + moves - places[:, first], most, swing, bend)
    beyond, below = skeleton.descendants(end), skeleton.descendants(middle)
    near = [joint for joint in skeleton.descendants(first) if joint not in below]
    far = [joint for joint in below if joint not in beyond]
    world[:, near] = multiply(swing[:, None], world[:, near])
    world[:, far] = multiply(multiply(swing, bend)[:, None], world[:, far])


def _seen_hinge(upper: Floats, lower: Floats, hinge: Floats) -> Floats:
    """Return the normal of a bent limb, the axis at rest of a straight one, and a blend of both in between."""
    normal = np.cross(upper, lower)
    size = np.linalg.norm(upper, axis=-1) * np.linalg.norm(lower, axis=-1)
    # Only a clear bend shows the hinge's axis.
    share = np.minimum(np.linalg.norm(normal, axis=-1) / (0.3 * size), 1.0)[:, None]
    return unit(share * unit(normal) + (1.0 - share) * hinge)


@compiled
def limb_turns(
    upper: Floats, lower: Floats, hinge: Floats, goal: Floats, most: float, swing: Floats, bend: Floats
) -> None:
    """Compute turns (frames, 4) of the lower part (`bend`), then of the limb (`swing`), that bring its end to its goal.

    All vectors (frames, 3) are seen from the limb's first joint; `hinge` is the axis of knee or elbow, flexion
    positive, and `most` the angle by which its bend may change, softly limited.
    """
    turned, line = np.empty(3), np.empty(3)
    for frame in range(len(goal)):
        distance = 0.0
        for axis in range(3):
            distance += goal[frame, axis] ** 2
        angle = bend_angle(upper[frame], lower[frame], hinge[frame], distance**0.5, 0.0)
        angle = most * math.tanh(angle / most)
        for axis in range(3):
            turned[axis] = angle * hinge[frame, axis]
        exponential_into(turned, bend[frame])
        carry_into(bend[frame], lower[frame], turned)
        for axis in range(3):
            line[axis] = upper[frame, axis] + turned[axis]
        swing_into(line, goal[frame], swing[frame])


class Steps(NamedTuple):
    """The steps of one foot: its ankle, and its toe if both bodies have one.

    `off` (frames, points, 3) is the position on the target minus the scaled position on the source, `contacts` (frames,
    points) whether a point of the foot is planted.
    """

    off: Floats
    contacts: Bools

    @property
    def planted(self) -> Bools:
        """Flags (frames,) of frames in which any point is planted."""
        return np.asarray(self.contacts.any(axis=1))


def corrections(steps: Steps, frame_time: float) -> Floats:
    """Return the moves (frames, 3) that the ankle needs, y up."""
    frames = len(steps.off)
    out = np.zeros((frames, 3))
    spans = runs(steps.planted)
    for start, stop in spans:
        out[start:stop] = _holding_moves(steps.off[start:stop], steps.contacts[start:stop])
    if not spans:
        return out
    (first, _), (_, stop) = spans[0], spans[-1]
    out[:first], out[stop:] = _fade(out, first, -1, frame_time), _fade(out, stop - 1, 1, frame_time)
    for (_, end), (start, _) in pairwise(spans):
        _bridge(out, end - 1, start, frame_time)
    return out


def hip_lift(moves: Sequence[Floats], planted: Sequence[Bools], frame_time: float) -> Floats:
    """Return (frames,): the smoothed vertical move that planted feet share, for the hips instead of the knees.

    A nearly straight leg would have to bend by eight degrees to shorten by a two-hundredth.
    """
    weights = np.stack(planted, axis=1).astype(np.float64)
    total = weights.sum(axis=1)
    frames = np.arange(len(total))
    defined = np.flatnonzero(total)
    if len(defined) == 0:
        return np.zeros(len(total))
    lifts = (np.stack([move[:, 1] for move in moves], axis=1) * weights).sum(axis=1)
    filled = np.interp(frames, defined, lifts[defined] / total[defined])
    # Average the lift of the hips over a tenth of a second to either side, or steps would be visible as jolts.
    reach = max(1, round(0.1 / frame_time))
    window = np.hanning(2 * reach + 1)[1:-1]
    return np.asarray(np.convolve(np.pad(filled, reach - 1, mode="edge"), window / window.sum(), mode="valid"))


def _holding_moves(off: Floats, contacts: Bools) -> Floats:
    """Return the moves that remove movement absent from the source, with the smallest change on average.

    Along the ground, the changes of the planted points are undone; vertically, the height is matched.
    """
    weights = contacts / contacts.sum(axis=1, keepdims=True)
    out = np.zeros((len(off), 3))
    out[1:] = -np.cumsum(((off[1:] - off[:-1]) * weights[1:, :, None]).sum(axis=1), axis=0)
    out -= out.mean(axis=0)
    padded = np.pad(weights, ((2, 2), (0, 0)), mode="edge")
    gentle = np.stack([np.convolve(column, np.full(5, 0.2), mode="valid") for column in padded.T], axis=1)
    out[:, 1] = -(off[..., 1] * gentle).sum(axis=1)
    return out


def limited(moves: Floats, most: float) -> Floats:
    """Return moves (frames, n) whose lengths are softly limited to `most`; much shorter moves are unchanged."""
    length = np.linalg.norm(moves, axis=1, keepdims=True) / most
    return np.asarray(moves * np.where(length > 1e-9, np.tanh(length**3) ** (1 / 3) / np.maximum(length, 1e-9), 1.0))


def _fade(out: Floats, at: int, direction: int, frame_time: float) -> Floats:
    """Return the correction of frame `at`, fading out to the last frame, or with direction -1 back to the first."""
    count = at if direction < 0 else len(out) - 1 - at
    ahead = np.arange(1, count + 1) * frame_time / LONG_GAP
    return np.asarray((out[at] * (1.0 - quintic(np.minimum(ahead, 1.0)))[:, None])[::direction])


def _bridge(out: Floats, end: int, start: int, frame_time: float) -> None:
    """Interpolate the correction between two contacts, or in a long step, fade it out and in again."""
    count = start - end - 1
    if count * frame_time > 2.0 * LONG_GAP:
        out[end + 1 : start] += _fade(out[:start], end, 1, frame_time)
        out[end + 1 : start] += _fade(out[end + 1 :], start - end - 1, -1, frame_time)
        return
    share = quintic(np.arange(1, count + 1) / (count + 1))[:, None]
    out[end + 1 : start] = (1.0 - share) * out[end] + share * out[start]


@dataclass(frozen=True, eq=False)
class Retargeter:
    """Retargeter of clips from one rig to another."""

    source: Rig
    target: Rig

    @cached_property
    def transfer(self) -> Transfer:
        """Everything that does not depend on the frame."""
        standing = with_up(take_frames(self.target.clip, 0, 1), "y").world().rotations[0]
        return plan_transfer(self.source.rest, self.source.body, self.target.rest, self.target.body, standing)

    @cached_property
    def followers(self) -> tuple[Follower, ...]:
        """Joints of the target that follow a joint on which they do not hang."""
        return find_followers(self.target.rest, self.target.body)

    @property
    def matched(self) -> int:
        """The number of the target's joints that follow the source."""
        return len(self.transfer.drivers)

    def retarget(self, clip: Clip, *, plant: bool = True, hands: bool = False) -> Clip:
        """Return the clip on the target: rotations relative to rest, travel and heights by the lengths of the legs.

        With `plant`, feet have the source's contacts, in a loop also across its seam. With `hands`, hands are as high
        above floor, hips and shoulders as the source's.
        """
        info = clip.playback
        if not (plant and info is not None and info.loop):
            moved_clip = self._retargeted(clip, plant, hands)
        else:  # repeat the loop before and after itself, so that feet are planted across its seam
            count = loop_frames(clip)
            moved_clip = self._retargeted(played(clip, 2 * count + len(clip)), plant, hands)
            moved_clip = take_frames(moved_clip, count, count + len(clip))
        if info is None:
            return moved_clip
        travel = rotate(tilt(clip.up, moved_clip.up), info.travel) * self.transfer.leg_ratio
        if plant and info.loop and info.root_motion != "none":
            moved_clip = moved(moved_clip, -travel)
        return moved_clip.changed(playback=info.changed(travel=travel), provenance=clip.provenance)

    def _retargeted(self, clip: Clip, plant: bool, hands: bool) -> Clip:
        upright = with_up(clip, "y")
        pose = upright.world()
        plan, skeleton = self.transfer, self.target.rest.skeleton
        world = plan.rotations(pose.rotations)
        places = world_places(skeleton.offsets, skeleton.parents, world)
        follow(self.followers, skeleton, world, places)
        ground = self._ground(upright)
        hips_goal = pose.positions[:, hip_joints(self.source.body)].mean(axis=1) * plan.leg_ratio
        hips_goal[:, 1] += ground[0, 0] - plan.leg_ratio * ground[1, 0]
        places += (hips_goal - places[:, hip_joints(self.target.body)].mean(axis=1))[:, None]
        if plant:
            self._plant_feet(upright, pose.positions, world, places, ground)
        if hands:
            for side, move in hand_moves(self.source, self.target, pose.positions, places, ground[:, 0]):
                lead_limb(self.target, side, ARM, world, places, move, STRETCH)
        places = places[:, :1] + world_places(skeleton.offsets, skeleton.parents, world)
        follow(self.followers, skeleton, world, places)
        return self._filed(clip, world, places)

    def _ground(self, upright: Clip) -> Floats:
        """Return (2, 2): the heights of planted ankles and toes, of the target and of the source's clip, y up."""
        counts = [len(foot.joints) for foot in self.source.feet]
        last, floors = np.cumsum(counts) - 1, floor_heights([upright], self.source.feet)
        ankles, toes = float(floors[last + 1 - counts].mean()), float(floors[last].mean())
        floor = ankles - ankle_height(self.source)
        # A floor this close to height 0 is assumed to be at 0.
        same = stands_on_zero(self.source) == stands_on_zero(self.target)
        if not same and abs(floor) < 0.06 * leg(self.source.rest, self.source.body):
            floor = 0.0
        height = ankle_height(self.target) + self.transfer.leg_ratio * floor
        # Feet turn relative to rest: the target's toes are as much lower than at rest as the source's.
        drop = toe_drop(self.target) + self.transfer.leg_ratio * (ankles - toes - toe_drop(self.source))
        return np.array([[height, height - drop], [ankles, toes]])

    def _plant_feet(self, upright: Clip, source: Floats, world: Floats, places: Floats, ground: Floats) -> None:
        """Lift the hips and lead the legs, in place, so that feet have the source's contacts."""
        contacts = joint_contacts(upright, settings=RECORDED, standing=self.source.feet)
        starts = np.cumsum([0, len(self.source.feet[0].joints)])
        ratio, (heights, source_heights) = self.transfer.leg_ratio, ground
        steps = []
        for first, target_foot, source_foot in zip(starts, self.target.feet, self.source.feet, strict=True):
            points = min(len(target_foot.joints), len(source_foot.joints))
            goal = ratio * source[:, source_foot.joints[:points]]
            goal[..., 1] += (heights - ratio * source_heights)[:points]
            foot_contacts = contacts[:, first : first + len(source_foot.joints)]
            if points < len(source_foot.joints):  # without a toe, the target's ankle is planted instead
                foot_contacts = np.asarray(foot_contacts.any(axis=1, keepdims=True))
            steps.append(Steps(places[:, target_foot.joints[:points]] - goal, foot_contacts))
        moves = [corrections(foot, upright.frame_time) for foot in steps]
        # Corrections below this are rounding errors: leave the clip untouched.
        if max(np.abs(move).max() for move in moves) <= 1e-6 * leg(self.target.rest, self.target.body):
            return
        lift = hip_lift(moves, [foot.planted for foot in steps], upright.frame_time)
        places[..., 1] += lift[:, None]
        for side, move in zip(SIDES, moves, strict=True):
            move[:, 1] -= lift
            # Limit the correction of a foot softly to 3 % of a leg.
            near = limited(move, 0.03 * leg(self.target.rest, self.target.body))
            # A knee bends by at most 3° more or less for the height of its foot.
            lead_limb(self.target, side, LEG, world, places, near, math.radians(3.0))

    def _filed(self, clip: Clip, world: Floats, places: Floats) -> Clip:
        """Return a clip in the form of the target's file: joints above the traveling joint are still."""
        plan, target = self.transfer, self.target.clip
        skeleton = plan.target.skeleton
        turn = tilt("y", target.up)
        local = local_rotations(skeleton.parents, world)
        local[:, 0] = multiply(turn, local[:, 0])
        target_clip = Clip(
            skeleton, clip.frame_time, rotate(turn, places[:, 0]), local, name=clip.name, provenance=clip.provenance,
            up=target.up, unit_m=unit_of(target),
        )  # fmt: skip
        goal = WorldPose(rotate(turn, places), multiply(turn, world))
        if plan.mover == 0:
            return self._led(target_clip, goal)
        translations = np.repeat(skeleton.offsets[None], len(clip), axis=0)
        translations[:, 0] = target.root[0]
        path = skeleton.chain(plan.mover)
        above = forward(np.arange(len(path) - 1) - 1, translations[:1, path[:-1]], local[:1, path[:-1]])
        from_above = rotate(turn, places[:, plan.mover]) - above.positions[0, -1]
        translations[:, plan.mover] = rotate(inverse(above.rotations[0, -1]), from_above)
        filed = target_clip.changed(root=translations[:, 0], joint_translations=translations)
        return rooted(self._led(filed, goal), tuple(path))

    def _led(self, clip: Clip, goal: WorldPose) -> Clip:
        """Return the clip, in its file's form, with followers at the given world poses."""
        if not self.followers:
            return clip
        local, rotations = clip.local_translations().copy(), clip.rotations.copy()
        for joint in sorted(follower.joint for follower in self.followers):
            rehang(clip.skeleton, local, rotations, goal, (joint,))
        return clip.changed(root=local[:, 0], rotations=rotations, joint_translations=local)
