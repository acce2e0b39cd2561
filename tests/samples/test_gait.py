"""Walking, running and skipping: planted feet, human coordination, and exactly the requested parameters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import heading, mirror
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import gimbal_closeness, to_euler
from freshtake.samples import walking
from freshtake.samples.footsteps import Footholds, LegCycle, foot_track
from freshtake.samples.humanoid import DEFAULT, SMALL, TALL, Build
from freshtake.samples.running import run, run_plan, skip, skip_plan
from freshtake.samples.smooth_curves import Curve
from freshtake.samples.walking import LAW, STYLES, cadence, walk, walk_plan
from tests.conftest import data_files
from tests.samples.gait_measures import SIDES, hinge, joint, lower_foot, over_cycle, planted, rng, swing_angles

NONE = dict.fromkeys(LAW.names, 0.0)
GAITS: dict[str, Callable[..., Clip]] = {"walk": walk, "run": run, "skip": skip}
EVERY_GAIT = pytest.mark.parametrize("gait", GAITS.values(), ids=GAITS)


@pytest.mark.skipif(not data_files("walk/walk_*.bvh"), reason="real motion data is absent")
@pytest.mark.parametrize("side", SIDES)
def test_joint_angles_follow_those_of_real_walking(side: str) -> None:
    takes = [ft.read(path) for path in data_files("walk/walk_*.bvh")]
    real = [swing_angles(take, side) for take in takes if isinstance(take, Clip)]
    ours = swing_angles(walk(rng(), amount=0.0, speed=1.22), side)
    for name, least, tolerance in (
        ("hip", 0.95, 0.25), ("knee", 0.93, 0.25), ("foot", 0.95, 0.25), ("shoulder", 0.95, 0.8), ("elbow", 0.9, 0.3),
    ):  # fmt: skip
        truth = np.mean([over_cycle(take[name]) for take in real], axis=0)
        made = over_cycle(ours[name])
        assert np.corrcoef(truth, made)[0, 1] > least, name
        assert np.ptp(made) == pytest.approx(np.ptp(truth), rel=tolerance), name


def test_knee_hip_and_pelvis_move_as_in_the_textbook() -> None:
    clip = walk(rng(), amount=0.0)
    knee, hip = over_cycle(hinge(clip, "RightLeg")), over_cycle(swing_angles(clip, "Right")["hip"])
    loading = knee[5:30]
    assert 10 <= 5 + loading.argmax() <= 22 and 15.0 < loading.max() - 0.0 < 30.0
    assert knee[:3].max() < loading.max() > knee[35]  # bends under load, straightens in mid stance
    assert 66 <= knee.argmax() <= 80 and 58.0 < knee.max() < 75.0
    assert 24.0 < hip.max() < 40.0 and -20.0 < hip.min() < -8.0 and 48 <= hip.argmin() <= 62
    height = clip.root[:, 1]
    assert 2.0 < np.ptp(height) < 5.5
    waves = np.abs(np.fft.rfft(height[:-1] - height.mean()))
    assert waves.argmax() == 2  # rises and falls twice a cycle


def test_arms_swing_against_the_legs_and_trunk_against_the_pelvis() -> None:
    clip = walk(rng(), amount=0.0, cycles=2)
    for side, other in (SIDES, SIDES[::-1]):
        arm, leg = swing_angles(clip, side)["shoulder"], swing_angles(clip, other)["hip"]
        assert np.corrcoef(arm, leg)[0, 1] > 0.8
    place, index = clip.positions(), clip.skeleton.index

    def across(left: str, right: str) -> Floats:
        line = place[:, index(left)] - place[:, index(right)]
        return np.asarray(np.degrees(np.arctan2(-line[:, 2], line[:, 0])))

    hips, shoulders = across("LeftUpLeg", "RightUpLeg"), across("LeftArm", "RightArm")
    assert np.corrcoef(hips, shoulders)[0, 1] < -0.9
    assert 3.0 < np.ptp(hips) / 2 < 7.0
    head = to_euler(clip.world().rotations[:, index("Head")], "YXZ")
    assert np.degrees(np.ptp(head[:, 0])) < 4.0 and np.degrees(np.ptp(head[:, 1])) < 3.0


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("speed", "turn_rate"), [(0.5, 0.0), (1.3, 40.0), (1.9, -20.0)])
def test_feet_stand_still_and_knees_bend_forward(style: str, speed: float, turn_rate: float) -> None:
    clip = walk(rng(), style=style, speed=speed, turn_rate=turn_rate, cycles=3)
    for side in SIDES:
        toe, down = joint(clip, f"{side}ToeBase"), planted(clip, side)
        both = down[1:] & down[:-1]
        slip = np.linalg.norm(np.diff(toe[:, [0, 2]], axis=0), axis=1)[both] * clip.fps
        assert (0.25 if style == "limp" else 0.3) < down.mean() < 0.75
        assert slip.mean() < 0.5 and slip.max() < 6.0  # cm/s
        assert toe[:, 1].min() > 1.99  # never under the floor
        assert hinge(clip, f"{side}Leg").min() > 5.0
        assert hinge(clip, f"{side}ForeArm").max() < 0.0
        ankle = joint(clip, f"{side}Foot")
        flat = both & (ankle[1:, 1] < 8.01) & (ankle[:-1, 1] < 8.01)
        assert flat.sum() > 10
        assert np.linalg.norm(np.diff(ankle, axis=0), axis=1)[flat].max() * clip.fps < 3.0


@EVERY_GAIT
def test_planted_foot_speed_by_the_measure_of_real_takes(gait: Callable[..., Clip]) -> None:
    """Mean horizontal toe speed where lower than 3 % of the leg and slower than 20 %/s, at 30 fps; real takes: 4-7."""
    speeds = []
    for seed in range(4):
        clip = gait(rng(seed), cycles=6, fps=30.0)
        body = clip.skeleton
        leg = float(body.lengths()[body.chain(body.index("LeftToeBase"))[1:]].sum())
        for side in SIDES:
            toe = joint(clip, f"{side}ToeBase")
            speed = np.linalg.norm(np.diff(toe[:, [0, 2]], axis=0), axis=1) * clip.fps / leg * 100
            speeds.append(speed[(toe[1:, 1] - np.percentile(toe[:, 1], 2) < 0.03 * leg) & (speed < 20.0)])
    assert np.concatenate(speeds).mean() < 4.0


@EVERY_GAIT
@pytest.mark.parametrize("build", [DEFAULT, TALL, SMALL])
def test_stride_is_speed_times_cycle_time(gait: Callable[..., Clip], build: Build) -> None:
    clip = gait(rng(), amount=0.0, cycles=5, build=build, speed=1.9)
    far = np.linalg.norm((clip.root[-1] - clip.root[0])[[0, 2]])
    assert far / clip.duration == pytest.approx(190.0, rel=2e-3)
    lengths = np.linalg.norm(np.diff(clip.positions()[:, [4, 3]], axis=1)[:, 0], axis=-1)
    assert np.ptp(lengths) < 1e-9
    assert np.isfinite(clip.rotations).all()


def landings(clip: Clip, side: str) -> int:
    """How often the toe joint comes down to the floor."""
    down = planted(clip, side)
    return int(np.sum(down[1:] & ~down[:-1]))


@pytest.mark.parametrize(("gait", "per_cycle"), [(walk, 1), (run, 1), (skip, 2)], ids=GAITS)
def test_footfalls_per_cycle(gait: Callable[..., Clip], per_cycle: int) -> None:
    clip = gait(rng(), cycles=6)
    for side in SIDES:
        assert landings(clip, side) == 6 * per_cycle


def test_a_walk_always_has_a_foot_down_and_a_run_flies() -> None:
    assert (lower_foot(walk(rng(), cycles=4)) < 1.6).all()
    for seed in range(3):
        assert 0.1 < (lower_foot(run(rng(seed), cycles=4)) > 1.6).mean() < 0.35
        assert 0.38 < (lower_foot(skip(rng(seed), cycles=4)) > 1.6).mean() < 0.6


def test_a_foot_lands_with_the_velocity_and_force_of_its_roll_over_the_heel() -> None:
    pitch = Curve([(-0.3, -20.0), (-0.05, 40.0), (0.15, 0.0)], 0.12)  # turning fast while it lands at 0
    leg = LegCycle(((0.0, 0.4),), pitch, (12.0,), pitch, pitch)
    ball = np.array([[3.0, 2.0, -70.0], [5.0, 2.0, 4.0], [5.0, 2.0, 90.0]])
    holds = Footholds(
        np.array([-1.0, 0.0, 1.0]), np.array([-0.4, 0.6, 1.6]), ball, np.array([5.0, 12.0, 8.0]), np.ones(3)
    )
    step = 2e-5
    phase = step * np.arange(-4.0, 5.0, dtype=np.float64)
    toe = foot_track(phase, leg, holds, np.array([0.0, -6.0, 13.0]), np.array([0.0, -8.0, -5.0])).ball
    before, after = np.diff(toe[:5], 2, axis=0) / step**2, np.diff(toe[4:], 2, axis=0) / step**2
    assert np.abs(np.diff(toe, axis=0) / step)[3:5].max() > 20.0  # it does move
    assert np.allclose(np.diff(toe, axis=0)[3], np.diff(toe, axis=0)[4], atol=1e-6)
    assert np.allclose(before[-1], after[0], rtol=0.01, atol=5.0)
    assert np.abs(after[0]).max() > 500.0


@pytest.mark.parametrize("turn_rate", [-60.0, -15.0, 30.0, 90.0])
@EVERY_GAIT
def test_heading_changes_by_turn_rate_times_time(gait: Callable[..., Clip], turn_rate: float) -> None:
    clip = gait(rng(), amount=0.0, cycles=4, turn_rate=turn_rate)
    turned, times = np.degrees(heading(clip)), np.arange(len(clip)) / clip.fps
    early = np.linspace(0.0, clip.duration / 2, 200)  # two cycles, and the two after them
    later = np.interp(early + clip.duration / 2, times, turned) - np.interp(early, times, turned)
    assert later.mean() / (clip.duration / 2) == pytest.approx(turn_rate, rel=0.02)
    assert (turned[-1] - turned[0]) == pytest.approx(turn_rate * clip.duration, abs=2.5)
    for number, order in enumerate(clip.skeleton.orders):
        closeness = gimbal_closeness(to_euler(clip.rotations[:, number], order), order)
        assert closeness.min() > 0.6


def test_feet_stay_on_their_own_side_in_turns() -> None:
    clip = walk(rng(), amount=0.0, cycles=4, turn_rate=50.0)
    yaw = np.radians(50.0) * np.arange(len(clip)) / clip.fps
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        away = joint(clip, f"{side}Foot") - clip.root
        assert (sign * (away[:, 0] * np.cos(yaw) - away[:, 2] * np.sin(yaw))).min() > -4.0


def exact(gait: str) -> Clip:
    """Two cycles without variation, at a rate that divides the cycle into 64 frames."""
    plans = {
        "walk": lambda: walk_plan(STYLES["normal"], 1.3, 0.0, DEFAULT, NONE),
        "run": lambda: run_plan(3.0, 0.0, DEFAULT, NONE),
        "skip": lambda: skip_plan(1.8, 0.0, DEFAULT, NONE),
    }
    return GAITS[gait](rng(), amount=0.0, frames=129, fps=64.0 / plans[gait]().pace.period)


@pytest.mark.parametrize("gait", GAITS)
def test_cycles_close_and_the_left_half_mirrors_the_right(gait: str) -> None:
    clip = exact(gait)
    place = clip.positions() - clip.root[:, None] * [1.0, 0.0, 1.0]
    assert np.allclose(place[:65], place[64:], atol=1e-6)
    other = mirror(clip)
    mirrored = other.positions() - other.root[:, None] * [1.0, 0.0, 1.0]
    assert np.allclose(mirrored[:97], place[32:], atol=1e-6)
    assert np.allclose((clip.root[64] - clip.root[0])[[0, 1]], 0.0, atol=1e-6)


@EVERY_GAIT
def test_accelerations_have_no_jumps(gait: Callable[..., Clip]) -> None:
    """Where acceleration is continuous, its largest change between frames halves when the rate doubles."""
    jumps = []
    for fps in (960.0, 480.0):
        clip = gait(rng(), amount=0.0, cycles=1, fps=fps)
        place = np.concatenate([clip.positions(), clip.end_positions()], axis=1)
        acceleration = np.diff(place, 2, axis=0) * fps**2
        jumps.append(np.abs(np.diff(acceleration, axis=0)).max())
    assert jumps[0] < 0.75 * jumps[1]


def test_same_seed_same_clip_and_other_seeds_differ() -> None:
    a, b, c = walk(rng(1)), walk(rng(1)), walk(rng(2))
    assert np.array_equal(a.root, b.root) and np.array_equal(a.rotations, b.rotations)
    assert a.root.shape != c.root.shape or not np.allclose(a.root, c.root)
    still = walk(rng(1), amount=0.0), walk(rng(2), amount=0.0)
    assert np.allclose(still[0].rotations, still[1].rotations, atol=1e-12)


def test_measured_variation_agrees_with_the_law() -> None:
    """Elbow means of many takes: known spread, known correlation between left and right; likewise the cadence."""
    draw, count = rng(), 150
    elbows, cycles = [], []
    for _ in range(count):
        clip = walk(draw)
        elbows.append([-hinge(clip, f"{side}ForeArm").mean() for side in SIDES])
        cycles.append(clip.duration)
    spread = LAW.spread["elbow_left"]
    measured = np.array(elbows)
    assert np.allclose(measured.std(axis=0), spread, rtol=4.0 / np.sqrt(2 * count))
    tie = np.corrcoef(measured.T)[0, 1]
    assert abs(np.arctanh(tie) - np.arctanh(0.6)) < 3.5 / np.sqrt(count - 3)
    assert abs(measured[:, 0].mean() - measured[:, 1].mean()) < 4.0 * spread / np.sqrt(count)
    tempo = np.hypot(LAW.spread["tempo"], 0.012 * 0.85)  # between takes, and what a cycle keeps of the slow process
    assert np.std(np.log(cycles)) == pytest.approx(tempo, rel=0.3)


def test_consecutive_cycles_differ_a_little() -> None:
    clip = walk(rng(), cycles=8)
    step = int(np.sum(planted(clip, "Right")))
    knee = hinge(clip, "RightLeg")
    cycles = [over_cycle(part) for part in np.array_split(knee, 8)]
    apart = np.std(cycles, axis=0).mean()
    assert step > 0 and 0.3 < apart < 8.0


def test_styles_differ_in_the_stated_direction() -> None:
    clips = {name: walk(rng(), style=name, amount=0.0, cycles=4, speed=1.0) for name in STYLES}
    normal = clips["normal"]
    assert clips["crouch"].root[:, 1].mean() < normal.root[:, 1].mean() - 8.0

    def lean(clip: Clip) -> float:
        trunk = joint(clip, "Neck") - joint(clip, "LowerBack")
        return float(np.degrees(np.arctan2(trunk[:, 2], trunk[:, 1])).mean())

    assert lean(clips["proud"]) < lean(normal) - 3.0 < lean(clips["sad"]) - 6.0
    assert np.ptp(swing_angles(clips["proud"], "Left")["shoulder"]) > 1.3 * np.ptp(
        swing_angles(normal, "Left")["shoulder"]
    )
    head = {name: joint(clip, "Head")[:, 1].mean() for name, clip in clips.items()}
    assert head["sad"] < head["normal"]
    for name, clip in clips.items():
        travelled = np.linalg.norm((clip.root[-1] - clip.root[0])[[0, 2]]) / clip.duration
        assert travelled == pytest.approx(100.0, rel=0.01), name


def test_speed_raises_cadence_stride_and_swing() -> None:
    speeds = (0.6, 1.0, 1.4, 1.8)
    plans = [walk_plan(STYLES["normal"], speed, 0.0, DEFAULT, NONE) for speed in speeds]
    assert np.all(np.diff([plan.pace.stride for plan in plans]) > 0)
    assert np.all(np.diff([plan.pace.period for plan in plans]) < 0)
    assert np.all(np.diff([plan.legs[0].contacts[0][1] - plan.legs[0].contacts[0][0] for plan in plans]) < 0)
    assert cadence(1.3, DEFAULT) == pytest.approx(112.0, abs=1.0)
    assert cadence(1.3, TALL) < cadence(1.3, DEFAULT) < cadence(1.3, SMALL)
    reach = [np.ptp(swing_angles(walk(rng(), amount=0.0, speed=v), "Right")["hip"]) for v in speeds]
    assert np.all(np.diff(reach) > 0)
    strides = [run_plan(v, 0.0, DEFAULT, NONE).pace.stride for v in (2.0, 3.0, 5.0)]
    assert np.all(np.diff(strides) > 0)


@EVERY_GAIT
def test_hands_keep_off_the_body(gait: Callable[..., Clip]) -> None:
    clip = gait(rng(), cycles=3)
    low, high = joint(clip, "Hips"), joint(clip, "Neck")
    for side in SIDES:
        hand = joint(clip, f"{side}Hand")
        line = high - low
        share = np.clip(np.sum((hand - low) * line, axis=1) / np.sum(line * line, axis=1), 0.0, 1.0)
        assert np.linalg.norm(hand - low - share[:, None] * line, axis=1).min() > 15.0


def test_frames_fps_name_and_provenance() -> None:
    clip = walk(rng(), frames=33, fps=30.0, style="limp", speed=0.9)
    assert len(clip) == 33 and clip.fps == 30.0 and clip.unit_m == 0.01 and clip.up == "y"
    assert clip.name == "walk_limp" and clip.provenance.startswith("made by freshtake: walk, limp, speed 0.9 m/s")
    slow, fast = walk(rng(5), fps=30.0, frames=31), walk(rng(5), fps=60.0, frames=61)
    assert np.allclose(slow.root[:, [0, 2]], fast.root[::2, [0, 2]], atol=0.01)  # the same motion at every rate


@pytest.mark.parametrize(
    ("wrong", "about"),
    [
        ({"speed": 9.0}, "speed"),
        ({"speed": float("nan")}, "speed"),
        ({"turn_rate": 400.0}, "turn_rate"),
        ({"frames": 0}, "frames"),
        ({"cycles": -1.0}, "cycles"),
        ({"fps": 0.0}, "fps"),
        ({"amount": -1.0}, "amount"),
    ],
)
@EVERY_GAIT
def test_impossible_requests_are_refused(gait: Callable[..., Clip], wrong: dict[str, float], about: str) -> None:
    with pytest.raises(UsageError, match=about):
        gait(rng(), **wrong)


def test_unknown_styles_are_refused_with_the_choices() -> None:
    with pytest.raises(UsageError, match="normal, limp, crouch"):
        walk(rng(), style="moonwalk")
    assert walking.LAW is LAW
