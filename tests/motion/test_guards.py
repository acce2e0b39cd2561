"""Guards: takes pass, broken bodies do not, and limits are those of the takes on any rig."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy.optimize import minimize

from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.body.rooting import following, rooted
from freshtake.motion.body_limits import BEND, DEPTH, PEAK, BodyLimits, learn_limits, measure_clip, segment_distance
from freshtake.numeric.rotations import about_axis, inverse, multiply, rotate
from freshtake.samples import cheer, walk
from tests.motion.rigs import RIGS


@cache
def take(seed: int, fps: float = 30.0) -> Clip:
    return walk(np.random.default_rng(seed), fps=fps)


@cache
def limits() -> BodyLimits:
    return learn_limits([take(seed) for seed in range(4)])


def turned(clip: Clip, joint: str, axis: list[float], degrees: float, frames: slice = slice(None)) -> Clip:
    """A joint with an additional rotation, in its parent's frame."""
    rotations, number = clip.rotations.copy(), clip.skeleton.index(joint)
    rotations[frames, number] = multiply(about_axis(axis, math.radians(degrees)), rotations[frames, number])
    return clip.changed(rotations=rotations)


def lowered(clip: Clip, share: float) -> Clip:
    root = clip.root.copy()
    root[:, 1] -= share * leg_length(clip.skeleton)
    return clip.changed(root=root)


def popped(clip: Clip) -> Clip:
    root = clip.root.copy()
    root[len(root) // 2] += 0.05 * leg_length(clip.skeleton)
    return clip.changed(root=root)


def crossed(clip: Clip) -> Clip:
    """The left thigh turned inwards until the shanks cross."""
    return turned(clip, "LeftUpLeg", [0.0, 0.0, 1.0], -22.0)


def through_the_trunk(clip: Clip) -> Clip:
    """The right elbow bent and the arm turned inwards, so the forearm is inside the belly."""
    bent = turned(clip, "RightArm", [0.0, 1.0, 0.0], 75.0)
    return turned(bent, "RightForeArm", [1.0, 0.0, 0.0], -70.0)


BROKEN: dict[str, tuple[Callable[[Clip], Clip], str]] = {
    "knee": (lambda clip: turned(clip, "LeftLeg", [1.0, 0.0, 0.0], -60.0), "LeftLeg bends 52° the wrong way"),
    "elbow": (lambda clip: turned(clip, "RightForeArm", [1.0, 0.0, 0.0], 70.0), "RightForeArm bends 51° the wrong way"),
    "folded": (lambda clip: turned(clip, "LeftLeg", [1.0, 0.0, 0.0], 60.0), "LeftLeg bends"),
    "sideways": (lambda clip: turned(clip, "RightLeg", [0.0, 0.0, 1.0], 40.0), "RightLeg bends sideways"),
    "below the floor": (lambda clip: lowered(clip, 0.03), "a foot goes"),
    "crossed legs": (crossed, "the legs come"),
    "arm through the trunk": (through_the_trunk, "arm and trunk come"),
    "pop": (popped, "joints accelerate"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_body_is_found_and_named(name: str) -> None:
    breaks, told = BROKEN[name]
    found = limits().check(breaks(take(1)))
    assert not found.passed and found.excess > 0.0
    assert any(sentence.startswith(told) for sentence in found.sentences), found.sentences


def test_less_than_straight_is_said_otherwise() -> None:
    stretch = limits().figures[0]
    assert stretch.sentence(math.radians(-2.0), math.radians(9.0)) == "LeftLeg stretches 9° farther than in any take"


def test_takes_and_further_takes_pass() -> None:
    assert all(limits().check(take(seed)).passed for seed in range(4))
    assert np.mean([limits().check(take(seed)).passed for seed in range(10, 50)]) >= 0.95


def test_another_motion_does_not_pass() -> None:
    assert not limits().check(cheer(np.random.default_rng(0), fps=30.0)).passed


def test_figures_against_a_slow_oracle() -> None:
    clip, plan = take(2), limits().plan
    leg, names = leg_length(clip.skeleton), clip.skeleton.names
    found = measure_clip(plan, clip, leg)
    world = clip.world()
    values = dict(zip([(figure.what, figure.who) for figure in limits().figures], found.values, strict=True))
    for limb, axes in zip(plan.limbs.tolist(), plan.frames, strict=True):
        upper, middle, end = limb
        lower = rotate(inverse(world.rotations[:, upper]), world.positions[:, end] - world.positions[:, middle])
        along, bend, side = axes @ (lower / np.linalg.norm(lower, axis=1, keepdims=True)).T
        angle = np.arctan2(bend, along)
        assert values["bend", names[middle]] == pytest.approx(angle.max())
        assert values["stretch", names[middle]] == pytest.approx(-angle.min())
        assert values["side", names[middle]] == pytest.approx(np.abs(np.arcsin(side)).max(), abs=1e-6)
    heights = world.positions[..., 1]
    assert values["depth", "the body"] == pytest.approx(-heights.min() / leg)
    lowest = heights.min(axis=1)  # frames may share it: a foot stands
    assert lowest[found.frames[-4]] == pytest.approx(lowest.min(), abs=1e-9 * leg)
    jolts = np.linalg.norm(np.diff(world.positions, 2, axis=0), axis=-1)
    assert values["peak", "joints"] == pytest.approx(math.log(jolts.max() / leg / clip.frame_time**2))
    gaps = [_distance(*(place[plan.pairs[-1, k]] for k in range(4))) for place in world.positions]
    assert values["near", "the legs"] == pytest.approx(-math.log(min(gaps) / leg), abs=1e-6)


def _distance(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> float:
    def gap(x: np.ndarray) -> float:
        return float(((a + x[0] * (b - a) - c - x[1] * (d - c)) ** 2).sum())

    return math.sqrt(min(float(minimize(gap, at, bounds=[(0, 1)] * 2).fun) for at in ([0.5, 0.5], [0, 0], [1, 1])))


def test_distances_of_segments() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        ends = rng.normal(size=(4, 3))
        assert segment_distance(*ends) == pytest.approx(_distance(*ends), abs=1e-4)
        assert segment_distance(*ends) == pytest.approx(segment_distance(*ends[[2, 3, 1, 0]]))
    a, b, away = rng.normal(size=(3, 3))
    assert segment_distance(a, b, a + away, b + away) <= np.linalg.norm(away)  # parallel
    assert segment_distance(a, a, b, b) == pytest.approx(float(np.linalg.norm(a - b)))  # points


def test_margins_grow_where_less_is_known() -> None:
    """Fewer takes, longer clips: wider limits; physical limits do not grow with the amount of variation."""
    many = learn_limits([take(seed) for seed in range(8)])
    own = limits()
    room = [float(np.mean((one.limits() - one.most) / one.gaps)) for one in (many, own)]
    assert room[0] < room[1]
    assert (own.limits(length=20.0) >= own.limits()).all() and (own.limits(length=20.0) > own.limits()).any()
    more = own.limits(amount=3.0) > own.limits()
    grows = [figure.kind == PEAK or (figure.kind == BEND and figure.what != "stretch") for figure in own.figures]
    assert more.tolist() == grows
    assert own.limits(rate=2.0)[-1] - own.limits()[-1] == pytest.approx(math.log(4.0))


def test_depth_has_a_limit_of_its_own() -> None:
    """However much takes differ in depth, one gap or two and half a per cent of a leg are the most."""
    apart = learn_limits([lowered(take(seed), 0.02 * seed) for seed in range(4)])
    own = [figure.kind == DEPTH for figure in apart.figures]
    room = (apart.limits() - apart.most)[own]
    assert room == pytest.approx(0.005 + math.log(4.0) * apart.gaps[own])
    assert (apart.gaps[own] > 0.015).all()
    assert not apart.check(lowered(take(1), 0.12)).passed and apart.check(lowered(take(1), 0.06)).passed


def test_a_long_clip_is_given_room() -> None:
    long = walk(np.random.default_rng(7), fps=30.0, cycles=5)
    length = long.duration / limits().duration
    assert length > 4.0
    assert np.array_equal(limits().check(long).limits, limits().limits(length))


def test_targets_of_inverse_kinematics_do_not_count() -> None:
    clips = [RIGS["unreal with targets"](take(seed)) for seed in range(4)]
    low = clips[1].local_translations().copy()
    low[:, clips[1].skeleton.index("ik_foot_l"), 2] -= 500.0 + np.arange(len(low)) % 2
    moved = clips[1].changed(joint_translations=low)
    assert learn_limits(clips).check(moved).passed


def test_few_takes() -> None:
    two = learn_limits([take(0), take(1)])
    assert np.mean([two.check(take(seed)).passed for seed in range(10, 40)]) >= 0.9
    assert not two.check(BROKEN["knee"][0](take(1))).passed
    one = learn_limits([take(0)])
    assert np.mean([one.check(take(seed)).passed for seed in range(10, 40)]) >= 0.9
    assert not one.check(popped(take(0))).passed
    twins = learn_limits([take(0), take(0)])
    assert twins.check(take(0)).passed and np.isfinite(twins.limits()).all()


@pytest.mark.parametrize("name", RIGS)
def test_limits_are_the_same_on_every_rig(name: str) -> None:
    """Bends, depths, clearances and accelerations do not depend on names, axes, units or joints that are added."""
    clips = [following(rooted(RIGS[name](take(seed)))) for seed in range(4)]  # as files are read
    own = learn_limits(clips)
    assert all(own.check(clip).passed for clip in clips)
    if name not in ("no toes", "24 fps", "quadruped"):
        assert own.limits() == pytest.approx(limits().limits(), abs=1e-4)
    assert not own.check(popped(clips[1])).passed


def test_a_quadruped_has_four_legs_that_bend() -> None:
    clips = [RIGS["quadruped"](take(seed)) for seed in range(4)]
    own = learn_limits(clips)
    assert len(own.plan.limbs) == 4 and len(own.plan.pairs) == 0
    assert not own.check(turned(clips[1], "RightForeArm", [1.0, 0.0, 0.0], 80.0)).passed
