"""Cheering, jumping and punching: planted feet, free fall, and strength that shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import CYCLIC_STEPS, first_to_last, is_cyclic
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import gimbal_closeness, to_euler
from freshtake.samples import actions, fighting
from freshtake.samples.actions import cheer, jump, plan_flight
from freshtake.samples.fighting import fight, kick, punch
from freshtake.samples.smooth_curves import Law

SIDES = ("Left", "Right")
ACTIONS: dict[str, tuple[Callable[..., Clip], Law]] = {
    "cheer": (cheer, actions.CHEER_LAW),
    "jump": (jump, actions.JUMP_LAW),
    "punch": (punch, fighting.PUNCH_LAW),
    "kick": (kick, fighting.FIGHT_LAW),
    "fight": (fight, fighting.FIGHT_LAW),
}
EVERY_ACTION = pytest.mark.parametrize(("action", "law"), ACTIONS.values(), ids=ACTIONS)


def rng(seed: int = 21) -> np.random.Generator:
    return np.random.default_rng(seed)


def joint(clip: Clip, name: str) -> Floats:
    return np.asarray(clip.positions()[:, clip.skeleton.index(name)])


def hinge(clip: Clip, name: str) -> Floats:
    q = clip.rotations[:, clip.skeleton.index(name)]
    assert np.allclose(q[:, 2:], 0.0, atol=1e-9)
    return np.asarray(np.degrees(np.mod(2.0 * np.arctan2(q[:, 1], q[:, 0]) + np.pi, 2.0 * np.pi) - np.pi))


def between(a: Floats, b: Floats) -> Floats:
    """Angles between vectors (frames, 3), in degrees."""
    cosine = np.sum(a * b, axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return np.asarray(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))


@EVERY_ACTION
def test_bodies_stay_bodies(action: Callable[..., Clip], law: Law) -> None:
    for seed in range(3):
        clip = action(rng(seed))
        for side in SIDES:
            assert hinge(clip, f"{side}Leg").min() > 4.0
            assert hinge(clip, f"{side}ForeArm").max() < 0.0
            assert joint(clip, f"{side}ToeBase")[:, 1].min() > 1.99
        place = clip.positions()
        bones = np.linalg.norm(place[:, 1:] - place[:, clip.skeleton.parents[1:]], axis=-1)
        assert np.allclose(bones, clip.skeleton.lengths()[1:], atol=1e-9)
        for number, order in enumerate(clip.skeleton.orders):
            assert gimbal_closeness(to_euler(clip.rotations[:, number], order), order).min() > 0.5
        assert clip.name and clip.provenance.startswith(f"made by freshtake: {clip.name}")


@pytest.mark.parametrize("action", [cheer, punch])
def test_toe_joints_never_move(action: Callable[..., Clip]) -> None:
    clip = action(rng())
    for side in SIDES:
        assert np.ptp(joint(clip, f"{side}ToeBase"), axis=0).max() < 0.02


@EVERY_ACTION
def test_accelerations_have_no_jumps(action: Callable[..., Clip], law: Law) -> None:
    jumps = []
    for fps in (960.0, 480.0):
        place = action(rng(), amount=0.0, fps=fps).positions()
        acceleration = np.diff(place, 2, axis=0) * fps**2
        jumps.append(np.abs(np.diff(acceleration, axis=0)).max())
    assert jumps[0] < 0.75 * jumps[1]


@EVERY_ACTION
def test_same_seed_same_clip_and_takes_differ_in_length(action: Callable[..., Clip], law: Law) -> None:
    a, b = action(rng(1)), action(rng(1))
    assert np.array_equal(a.rotations, b.rotations) and np.array_equal(a.root, b.root)
    assert len({len(action(rng(seed))) for seed in range(6)}) > 1
    with pytest.raises(UsageError, match="amount"):
        action(rng(), amount=-0.1)
    with pytest.raises(UsageError, match="fps"):
        action(rng(), fps=0.0)


def test_a_cheer_throws_both_hands_above_the_head_once() -> None:
    for seed in range(4):
        clip = cheer(rng(seed))
        top = joint(clip, "Head")[:, 1] + 15.0
        for side in SIDES:
            above = joint(clip, f"{side}Hand")[:, 1] > top
            assert np.sum(above[1:] & ~above[:-1]) == 1 and not above[0] and not above[-1]
            assert 0.15 < above.mean() < 0.5
        assert np.linalg.norm(joint(clip, "LeftHand") - joint(clip, "RightHand"), axis=1).min() > 15.0
        assert np.ptp(hinge(clip, "LeftLeg")) > 15.0  # the knees help


@pytest.mark.parametrize("fps", [60.0, 120.0])
def test_a_jump_falls_freely(fps: float) -> None:
    take = actions.JUMP_LAW.draw(rng(7))
    clip = jump(rng(7), fps=fps)
    flight = plan_flight(80.0 + take["distance"], take)
    time = np.arange(len(clip)) / fps
    air = (time > flight.leave) & (time < flight.land)
    assert 0.3 < air.mean() * clip.duration < 0.6
    for height in (clip.root[air, 1],):
        curve = np.polyfit(time[air], height, 2)
        assert -2.0 * curve[0] == pytest.approx(981.0, rel=1e-6)
        assert np.abs(np.polyval(curve, time[air]) - height).max() < 1e-6
    forward = np.diff(clip.root[air, 2]) * fps
    assert np.ptp(forward) < 1e-6
    for side in SIDES:
        flying = joint(clip, f"{side}ToeBase")[air, 1][3:-3]
        assert flying.min() > 2.0


def test_a_jump_lands_as_far_as_its_take_says_on_planted_feet() -> None:
    for seed in range(3):
        take = actions.JUMP_LAW.draw(rng(seed))
        clip = jump(rng(seed))
        flight = plan_flight(80.0 + take["distance"], take)
        time = np.arange(len(clip)) / clip.fps
        before, after = time < flight.leave - actions.ROLL_OFF, time > flight.land + 0.15
        for side in SIDES:
            toe = joint(clip, f"{side}ToeBase")
            assert np.ptp(toe[before], axis=0).max() < 0.02 and np.ptp(toe[after], axis=0).max() < 0.02
            far = toe[after][0, 2] - toe[before][0, 2]
            assert far == pytest.approx(80.0 + take["distance"], abs=0.02)
        knee = hinge(clip, "LeftLeg")
        assert knee[(time > flight.crouch) & (time < flight.leave)].max() > 70.0  # crouches
        assert knee[time > flight.land].max() > 70.0  # gives way


def test_an_aggressive_punch_is_faster_and_reaches_farther() -> None:
    speed, reach, twist = [], [], []
    for strength in ("weak", "aggressive"):
        clip = punch(rng(), strength=strength, amount=0.0)
        fist = joint(clip, "RightHand")
        speed.append(np.linalg.norm(np.diff(fist, axis=0), axis=1).max() * clip.fps)
        reach.append((fist[:, 2] - fist[0, 2]).max())
        line = joint(clip, "LeftArm") - joint(clip, "RightArm")
        twist.append(np.ptp(np.arctan2(line[:, 2], line[:, 0])))
        back = np.abs(clip.root[0] - clip.root[-1]).max()
        assert back < 2.0 and fist[-1, 1] < fist[0, 1] - 15.0  # back on its feet, hands lowered
        left = joint(clip, "LeftHand") - joint(clip, "Head")
        assert np.linalg.norm(left, axis=1)[: fist[:, 2].argmax() + 3].max() < 50.0  # the other hand keeps the guard
    for values in (speed, reach, twist):
        assert np.all(np.diff(values) > 0)
    assert 450.0 < speed[-1] < 1100.0 and speed[0] < 250.0  # cm/s
    with pytest.raises(UsageError, match="weak or aggressive"):
        punch(rng(), strength="mighty")


@EVERY_ACTION
def test_actions_start_and_end_at_rest(action: Callable[..., Clip], law: Law) -> None:
    """Nothing moves faster than 10 cm/s in the first three and the last six frame steps, in any of the takes."""
    for seed in range(12):
        clip = action(rng(seed))
        speed = np.linalg.norm(np.diff(clip.positions(), axis=0), axis=-1) * clip.fps
        assert max(speed[:3].max(), speed[-6:].max()) < 10.0
        assert speed.max() > 150.0


def test_weak_punches_end_at_rest_and_hands_hang_at_the_end_of_every_action() -> None:
    for seed in range(4):
        for clip in (punch(rng(seed), strength="weak"), punch(rng(seed)), jump(rng(seed)), cheer(rng(seed))):
            place = clip.positions()
            assert np.linalg.norm(place[-1] - place[-2], axis=-1).max() * clip.fps < 10.0
            for side in SIDES:
                fore, hand = joint(clip, f"{side}ForeArm")[-1], joint(clip, f"{side}Hand")[-1]
                assert fore[1] - hand[1] > 0.7 * np.linalg.norm(hand - fore)
        assert not is_cyclic([punch(rng(seed), strength="weak")])


def test_hands_of_a_cheer_bend_no_more_than_loose_ones_do() -> None:
    """Angles (degrees) between forearm and palm, and between palm and fingers."""
    clip = cheer(rng())
    ends = clip.end_positions()
    for side in SIDES:
        fore, hand, base = (joint(clip, f"{side}{name}") for name in ("ForeArm", "Hand", "FingerBase"))
        index = clip.skeleton.index(f"{side}HandIndex1")
        tip = ends[:, [site.joint for site in clip.skeleton.end_sites].index(index)]
        wrist, fingers = between(hand - fore, base - hand), between(base - hand, tip - clip.positions()[:, index])
        assert wrist.max() < 20.0
        assert fingers.max() < 70.0 and fingers[-1] < 30.0 and fingers[0] < 50.0


@pytest.mark.parametrize("action", [cheer, jump, punch])
def test_actions_are_not_cyclic(action: Callable[..., Clip]) -> None:
    for seed in range(4):
        assert first_to_last(action(rng(seed))) > 1.15 * CYCLIC_STEPS


def test_measured_distance_of_jumps_has_the_law_of_the_takes() -> None:
    draw, count = rng(), 80
    far = []
    for _ in range(count):
        toe = joint(jump(draw), "LeftToeBase")
        far.append(toe[-1, 2] - toe[0, 2])
    assert np.mean(far) == pytest.approx(80.0, abs=4.0 * 6.0 / np.sqrt(count))
    assert np.std(far) == pytest.approx(6.0, rel=4.0 / np.sqrt(2 * count))


def test_a_kick_goes_out_and_comes_back_and_is_faster_when_aggressive() -> None:
    fastest = []
    for strength in ("weak", "aggressive"):
        clip = kick(rng(), strength=strength, amount=0.0)
        foot = joint(clip, "RightToeBase")
        assert foot[:, 1].max() > 45.0 and np.abs(foot[0] - foot[-1]).max() < 0.1
        assert np.ptp(joint(clip, "LeftToeBase"), axis=0).max() < 0.02
        fastest.append(np.linalg.norm(np.diff(foot, axis=0), axis=1).max() * clip.fps)
    assert fastest[1] > 1.5 * fastest[0]


def test_a_fight_has_its_punches_and_kicks_in_order() -> None:
    actions = ("kick", "punch", "punch", "kick")
    clip = fight(rng(), actions=actions, amount=0.0)
    hand, foot = joint(clip, "RightHand")[:, 2], joint(clip, "RightToeBase")[:, 1]
    found = []
    for name, out in (("punch", hand > 0.5 * (hand[0] + hand.max())), ("kick", foot > 40.0)):
        found += [(int(k), name) for k in np.flatnonzero(out[1:] & ~out[:-1])]
    assert tuple(name for _, name in sorted(found)) == actions
    with pytest.raises(UsageError, match="'punch' and 'kick'"):
        fight(rng(), actions=("slap",))
