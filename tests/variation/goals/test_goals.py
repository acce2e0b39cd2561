"""Goals and steering on walking and throwing: requests are met, and the rest stays a variant."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from freshtake import read_clip, samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import leg_length
from freshtake.motion.pins import Pin
from freshtake.motion.tempo import SLOWEST
from freshtake.motion.verdict import GREEN, RED, assess
from freshtake.numeric.rotations import about_axis, multiply, rotate
from freshtake.variation import Goals, PosePin, Settings, Steering, VariationModel, learn
from freshtake.variation.amount import Amount, guarded
from freshtake.variation.goals.conditioning import PinnedValues
from freshtake.variation.goals.goals import ground_speed
from freshtake.variation.goals.guidance import Guided, pose_errors
from freshtake.variation.live import steered_blocks
from freshtake.variation.steering import followed, from_the_first_point
from tests.conftest import DATA

QUICK = Settings()


@pytest.fixture(scope="module")
def walks() -> list[Clip]:
    return [samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(3)]


@pytest.fixture(scope="module")
def walking(walks: list[Clip]) -> VariationModel:
    return learn(walks, QUICK, rng=np.random.default_rng(0), cyclic=True)


@pytest.fixture(scope="module")
def punches() -> list[Clip]:
    return [samples.punch(np.random.default_rng(seed)) for seed in range(3)]


@pytest.fixture(scope="module")
def punching(punches: list[Clip]) -> VariationModel:
    return learn(punches, QUICK, rng=np.random.default_rng(0))


def angle_between(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(2.0 * np.arccos(np.clip(np.abs((a * b).sum(axis=-1)), 0.0, 1.0)))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng([7, seed])


def test_first_and_last_pose_are_held(punching: VariationModel, punches: list[Clip]) -> None:
    goals = Goals(start=PosePin(punches[0]), end=PosePin(punches[1], -1))
    made = punching.guided(rng(), goals)
    free = punching.sample(rng())
    assert made.report.pose_error < 1e-6
    for frame, clip in ((0, punches[0]), (-1, punches[1])):
        assert angle_between(made.motion.rotations[frame, 1:], clip.rotations[frame, 1:]).max() < 1e-3
        assert angle_between(free.rotations[frame, 1:], clip.rotations[frame, 1:]).max() > 1e-2
    others = [punching.guided(rng(k), goals).motion for k in range(1, 3)]
    assert not np.array_equal(others[0].rotations[5], others[1].rotations[5])


def test_pinning_some_joints_takes_the_others_along(punching: VariationModel, punches: list[Clip]) -> None:
    joint = next(name for name in punches[0].skeleton.names if "Arm" in name)
    time = 0.5 * punches[0].duration
    target = PosePin(punches[2], len(punches[2]) // 2, time, (joint,))
    made, free = punching.guided(rng(), Goals(poses=[target])).motion, punching.sample(rng())
    frame, number = round(time / made.frame_time), made.skeleton.index(joint)
    wanted = punches[2].rotations[len(punches[2]) // 2, number]
    assert angle_between(made.rotations[frame, number], wanted) < 1e-3
    change = angle_between(made.rotations[frame], free.rotations[frame])
    assert change[number] > 1e-3
    assert (np.delete(change, number) > 1e-5).any()
    assert np.isfinite(made.rotations).all()


def test_a_hand_reaches_its_place(punching: VariationModel) -> None:
    free = punching.sample(rng())
    frame, hand = len(free) // 2, free.skeleton.index("LeftHand")
    place = (
        free.positions()[frame, hand] + 0.05 * np.array([1.0, 1.0, 0.0]) * free.positions()[0, :, free.up_index].max()
    )
    made = punching.guided(rng(), Goals(targets=[Pin("LeftHand", frame, place)]))
    away = np.linalg.norm(made.motion.positions()[frame, hand] - place) * (free.unit_m or 1.0)
    assert away < 1e-3
    assert max(made.report.place_errors) * (free.unit_m or 1.0) < 1e-3


def test_duration_and_speed(walking: VariationModel, punching: VariationModel) -> None:
    usual = np.mean([punching.sample(rng(k)).duration for k in range(4)])
    for factor in (0.9, 1.1):
        made = punching.guided(rng(), Goals(duration=factor * usual))
        assert made.motion.duration == pytest.approx(factor * usual, abs=1.5 * made.motion.frame_time)
    speed = ground_speed(walking.sample(rng(), cycles=2))
    assert speed is not None
    made = walking.guided(rng(), Goals(speed=1.1 * speed), cycles=2)
    assert made.report.speed == pytest.approx(1.1 * speed, rel=0.02)


def test_a_duration_decides_how_many_cycles_there_are(walking: VariationModel) -> None:
    usual = float(np.mean([len(x) - 1 for x in walking.material.values])) * walking.frame_time
    made = walking.guided(rng(), Goals(duration=4.2 * usual))
    assert made.motion.duration == pytest.approx(4.2 * usual, abs=1.5 * made.motion.frame_time)
    assert made.report.rate == pytest.approx(4.0 / 4.2, abs=0.1)
    assert made.phases is not None and made.phases[-1] == pytest.approx(4.0 * (len(walking.phase_frames) - 1), abs=1.5)
    once = walking.guided(rng(), Goals(duration=4.2 * usual), cycles=1)
    assert once.report.rate == SLOWEST


@pytest.mark.parametrize("steer", [None, Steering(heading=0.5)])
def test_a_cycle_begins_and_ends_at_the_phases_of_its_poses(
    walking: VariationModel, walks: list[Clip], steer: Steering | None
) -> None:
    """A pose in the middle of an example is not unusual: the cycle is entered there, nothing is forced."""
    middle, later = len(walks[0]) // 3, 2 * len(walks[1]) // 3
    goals = Goals(start=PosePin(walks[0], middle), end=PosePin(walks[1], later), steer=steer)
    made = walking.guided(rng(), goals, cycles=2)
    assert made.report.strain < 3.0 and made.report.pose_error < 1e-6
    assert angle_between(made.motion.rotations[0, 1:], walks[0].rotations[middle, 1:]).max() < 1e-3
    whole = len(walking.phase_frames) - 1
    assert made.phases is not None
    assert made.phases[0] / whole == pytest.approx(1 / 3, abs=0.06)
    assert made.phases[-1] / whole == pytest.approx(2 + 2 / 3, abs=0.06)


def heading_of(model: VariationModel, steer: Steering | None) -> np.ndarray:
    rows = model.draw(rng(3), frames=3000, steer=steer).rows
    turn = next(k for k, name in enumerate(model.dofs) if name.endswith(".turn"))
    return np.asarray(np.degrees(np.cumsum(rows[:, turn]) * model.frame_time))


def test_steering_keeps_the_heading_within_10_degrees(walking: VariationModel) -> None:
    assert np.abs(heading_of(walking, Steering())).max() < 10.0
    turned = heading_of(walking, Steering(heading=np.pi / 2))
    assert turned[-1] == pytest.approx(90.0, abs=10.0)


def test_a_path_is_followed(walking: VariationModel) -> None:
    speed = walking.travel.speed
    path = speed * np.array([[0.0, 0.0], [0.0, 6.0], [6.0, 12.0], [6.0, 40.0]])
    clip = walking.decode(walking.draw(rng(1), frames=round(18 / walking.frame_time), steer=Steering(path=path)).rows)
    walked = np.delete(clip.root, clip.up_index, axis=1)
    fine = np.concatenate([a + np.linspace(0, 1, 200)[:, None] * (b - a) for a, b in pairwise(path)])
    off = np.linalg.norm(walked[::20, None] - fine, axis=-1).min(axis=1)
    assert off.max() < 0.8 * speed
    assert np.linalg.norm(walked[-1] - path[0]) > 10 * speed


def test_a_body_begins_on_the_first_point_of_its_path_and_goes_its_way(walking: VariationModel) -> None:
    speed, recipe = walking.travel.speed, walking.material.recipe
    assert recipe is not None
    path = speed * np.array([[5.0, 3.0], [5.0, -9.0], [-4.0, -9.0]])  # away from the origin, and not forward
    own, start = from_the_first_point(Steering(path=path), recipe, walking.travel)
    made = walking.draw(rng(1), frames=round(15 / walking.frame_time), steer=own)
    clip = walking.decode(made.rows, start=start)
    walked = np.delete(clip.root, clip.up_index, axis=1)
    second = round(1 / walking.frame_time)
    assert np.linalg.norm(walked[0] - path[0]) < 0.2 * speed
    gone = walked[second] - walked[0]
    assert abs(np.degrees(np.arctan2(gone[0], -gone[1]))) < 15.0
    fine = np.concatenate([a + np.linspace(0, 1, 900)[:, None] * (b - a) for a, b in pairwise(path)])
    off = np.linalg.norm(walked[:: second // 4, None] - fine, axis=-1).min(axis=1)
    found = followed(Steering(path=path), walking.travel, walked, walking.frame_time)
    assert found.mean_off == pytest.approx(off.mean(), abs=0.02 * speed)
    assert found.most_off == pytest.approx(off.max(), abs=0.02 * speed)
    assert found.length == pytest.approx(21 * speed)
    assert 11 * speed < found.along < 18 * speed


def test_a_path_is_followed_through_its_crossing_and_straight_on_after_its_end(walking: VariationModel) -> None:
    speed = walking.travel.speed
    loop = speed * np.array([[0.0, 0.0], [0.0, 9.0], [5.0, 9.0], [5.0, 4.0], [-6.0, 4.0]])
    clip = walking.decode(walking.draw(rng(1), frames=round(40 / walking.frame_time), steer=Steering(path=loop)).rows)
    walked = np.delete(clip.root, clip.up_index, axis=1) / speed
    assert np.linalg.norm(walked - [5.0, 9.0], axis=1).min() < 1.5
    assert walked[-1, 0] < -10.0 and abs(walked[-1, 1] - 4.0) < 1.0


def test_bad_goals_are_refused_in_one_sentence(walking: VariationModel, walks: list[Clip]) -> None:
    with pytest.raises(UsageError, match="requested duration must be greater than 0"):
        Goals(duration=-1.0)
    with pytest.raises(UsageError, match="frame 500 of a motion"):
        PosePin(walks[0], 500)
    with pytest.raises(UsageError, match="pinned at 99 s, but the variant lasts"):
        walking.sample(rng(), goals=Goals(poses=[PosePin(walks[0], 0, 99.0)]))
    with pytest.raises(UsageError, match="no joint 'Tail' that moves"):
        walking.sample(rng(), goals=Goals(start=PosePin(walks[0], 0, 0.0, ("Tail",))))
    with pytest.raises(UsageError, match="two poses are pinned at frame 0"):
        walking.sample(rng(), goals=Goals(start=PosePin(walks[0]), poses=[PosePin(walks[1])]))
    with pytest.raises(UsageError, match="path needs at least two points"):
        Steering(path=[[0.0, 0.0]])
    waves = [np.stack([np.sin(u), u], axis=1) for u in (np.linspace(0, 6, 30), np.linspace(0, 6, 33))]
    plain = learn(waves, QUICK, rng=rng())
    with pytest.raises(UsageError, match="does not turn"):
        list(steered_blocks(plain, rng(), 1.0, 1.0, Steering()))


def hands_off(model: VariationModel, distance: float, count: int) -> list[str]:
    """Return the colors of variants with a hand this many hundredths of a leg from its position in the mean motion."""
    assert model.standard is not None
    mean: Clip = model.sample(rng(), amount=0.0, plant=True)
    leg, chosen, colors = leg_length(mean.skeleton), np.random.default_rng(5), []
    for k in range(count):
        hand, frame, way = (
            ("LeftHand", "RightHand")[k % 2],
            int(chosen.integers(1, len(mean) - 1)),
            chosen.normal(size=3),
        )
        place = mean.positions()[frame, mean.skeleton.index(hand)] + distance / 100.0 * leg * way / np.linalg.norm(way)
        goals = Goals(targets=[Pin(hand, frame, place)])

        def draw(attempt: int, amount: float | Amount, k: int = k, goals: Goals = goals) -> Guided:
            return model.guided(np.random.default_rng([k, attempt]), goals, amount=amount, plant=True)

        made = guarded(draw, model.body_limits, 1.0)[0]
        assert max(made.report.place_errors) < 1e-3 * leg
        colors.append(assess(made.motion, model.standard).color)
    return colors


@pytest.mark.parametrize("distance", [3.0, 7.0, 11.0])
def test_a_hand_near_its_natural_place_leaves_the_body_possible(distance: float) -> None:
    model = learn([samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(4)], QUICK, cyclic=True)
    colors = hands_off(model, distance, 10)
    assert RED not in colors and colors.count(GREEN) >= (9 if distance < 5.0 else 6)


@pytest.mark.parametrize("kind", ["walk", "throw"])
def test_hands_of_recorded_takes_can_be_pinned_nearby(kind: str) -> None:
    paths = sorted((DATA / kind).glob(f"{kind}_*.bvh"))
    if not paths:
        pytest.skip("real motion data is absent: set FRESHTAKE_DATA to its folder")
    colors = hands_off(learn([read_clip(path) for path in paths], QUICK), 7.0, 10)
    assert RED not in colors and colors.count(GREEN) >= 8


def test_a_pinned_hand_moves_no_leg(walking: VariationModel) -> None:
    free: Clip = walking.sample(rng())
    place = free.positions()[20, free.skeleton.index("LeftHand")] + [4.0, 4.0, 0.0]
    made = walking.sample(rng(), goals=Goals(targets=[Pin("LeftHand", 20, place)]))
    legs = [k for k, name in enumerate(free.skeleton.names) if "Leg" in name or "Foot" in name]
    assert angle_between(made.rotations[:, legs], free.rotations[:, legs]).max() < 1e-6
    assert angle_between(made.rotations[20], free.rotations[20]).max() > 0.01


def test_a_cycle_with_a_pose_in_its_middle_ends_without_a_jolt(walking: VariationModel, walks: list[Clip]) -> None:
    """The last phase of a cycle is not its first one: deviations of the takes differ there."""
    free: Clip = walking.sample(rng())
    time = 0.5 * free.duration
    made: Clip = walking.sample(rng(), goals=Goals(poses=[PosePin(walks[0], len(walks[0]) // 2, time)]))
    changed = angle_between(made.rotations, free.rotations)
    steps = np.abs(np.diff(changed, axis=0)).max(axis=1)
    assert steps[-1] <= steps[:-1].max()


@pytest.mark.parametrize("cycles", [1, 3])
def test_poses_are_met_after_planting_too(walking: VariationModel, walks: list[Clip], cycles: int) -> None:
    pose = walks[0]
    duration = cycles * (len(pose) - 1) * pose.frame_time
    goals = Goals(start=PosePin(pose, 6), end=PosePin(pose, 20), duration=None if cycles == 1 else duration)
    for seed in range(3):
        made = walking.guided(np.random.default_rng(seed), goals, plant=True)
        for frame, at in ((0, 6), (-1, 20)):
            assert angle_between(made.motion.rotations[frame, 1:], pose.rotations[at, 1:]).max() < 1e-4
        assert made.report.pose_error < 1e-5
        middle = walking.guided(np.random.default_rng(seed), Goals(poses=[PosePin(pose, 30, 0.5)]), plant=True)
        assert middle.report.pose_error < 1e-5


def test_placed_poses_are_met_where_they_are(walking: VariationModel, walks: list[Clip]) -> None:
    turned = about_axis(np.array([0.0, 1.0, 0.0]), 0.7)
    pose = walks[0]
    rotations = pose.rotations.copy()
    rotations[:, 0] = multiply(turned, rotations[:, 0])
    moved = pose.changed(root=rotate(turned, pose.root) + np.array([1.0, 0.0, -2.0]), rotations=rotations)
    goals = Goals(start=PosePin(moved, 0, placed=True), end=PosePin(moved, -1, placed=True))
    for seed in range(3):
        made = walking.guided(np.random.default_rng(seed), goals, plant=True).motion
        for frame in (0, -1):
            assert np.abs(made.positions()[frame] - moved.positions()[frame]).max() < 1e-4 * leg_length(pose.skeleton)
    alone = walking.guided(np.random.default_rng(0), Goals(end=PosePin(moved, -1, placed=True)), plant=True).motion
    assert np.abs(alone.positions()[-1] - moved.positions()[-1]).max() < 1e-4 * leg_length(pose.skeleton)


def test_cycles_lead_from_place_to_place(walking: VariationModel, walks: list[Clip]) -> None:
    pose = walks[0]
    step = pose.root[-1] - pose.root[0]
    far = pose.changed(root=pose.root + 2.0 * step)
    goals = Goals(start=PosePin(pose, 0, placed=True), end=PosePin(far, -1, placed=True))
    made = walking.guided(np.random.default_rng(0), goals, plant=True)
    assert len(made.motion) == pytest.approx(3 * len(pose), rel=0.1)
    assert np.abs(made.motion.root[-1] - far.root[-1]).max() < 1e-4 * leg_length(pose.skeleton)
    assert made.report.strain < 4.0


def test_misses_of_angles_and_of_heights_are_told_apart(walking: VariationModel, walks: list[Clip]) -> None:
    rows = walking.encode(walks[0])[:1]
    every = np.arange(rows.shape[1])
    for name, miss, expected in (("Hips.height", 3.0, (0.0, 3.0)), ("LeftLeg.x", 0.2, (0.2, 0.0))):
        pinned = rows[0].copy()
        pinned[walking.dofs.index(name)] += miss
        assert pose_errors(walking, rows, PinnedValues(0 * every, every, pinned)) == pytest.approx(expected)
