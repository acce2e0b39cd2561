"""The performer's body, the curves it moves along, the limb solver, and the law by which takes differ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet, hands, mirror_pairs, rest_positions
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, multiply, rotate
from freshtake.samples import actions, fighting, walking
from freshtake.samples.humanoid import DEFAULT, SMALL, TALL, Build, skeleton, solve_limb
from freshtake.samples.smooth_curves import GRAVITY, Curve, Ends, Law, Wander, bounce, ease, late_ease, lobe, quintic

LAWS = {"walk": walking.LAW, "cheer": actions.CHEER_LAW, "jump": actions.JUMP_LAW, "punch": fighting.PUNCH_LAW}


def rng(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_thirty_one_joints_with_the_names_of_the_cmu_library(data: Path) -> None:
    clip = ft.read(data / "walk" / "walk_1.bvh")
    assert isinstance(clip, Clip)
    real, ours = clip.skeleton, skeleton()
    assert len(ours) == 31
    assert set(ours.names) == set(real.names)
    for joint, parent in zip(real.names, real.parents.tolist(), strict=True):
        above = ours.parents[ours.index(joint)]
        assert (ours.names[above] if above >= 0 else None) == (real.names[parent] if parent >= 0 else None)


@pytest.mark.parametrize("build", [DEFAULT, TALL, SMALL, Build(140.0, 1.1, 0.9, 1.2, 0.8)])
def test_a_build_stands_as_tall_as_it_says_and_is_symmetrical(build: Build) -> None:
    body = skeleton(build)
    rest = rest_positions(body)
    head = next(site for site in body.end_sites if body.names[site.joint] == "Head")
    sole = rest[body.index("LeftFoot"), 1] - 8.0 * build.scale
    tall = rest[head.joint, 1] + head.offset[1] - sole
    assert tall == pytest.approx(build.height + 85.0 * build.scale * (build.leg_ratio - 1.0))
    assert rest[0, 1] - sole == pytest.approx(build.standing)
    partner = mirror_pairs(body)
    assert np.allclose(rest[partner] * [-1.0, 1.0, 1.0], rest)
    assert {body.names[foot.ankle] for foot in feet(body)} == {"LeftFoot", "RightFoot"}
    assert {body.names[hand] for hand in hands(body)} == {"LeftHand", "RightHand"}
    assert body.orders[0] == "YXZ"


def test_builds_differ_where_they_should() -> None:
    plain, wide = skeleton(), skeleton(Build(shoulder_width=1.2, hip_width=1.3, leg_ratio=1.1))
    ratio = wide.lengths()[1:] / np.maximum(plain.lengths()[1:], 1e-9)
    changed = {name for name, r in zip(plain.names[1:], ratio, strict=True) if abs(r - 1.0) > 1e-9}
    sided = {f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "Shoulder", "Arm")}
    assert changed == sided | {"LHipJoint", "RHipJoint"}  # those two have no length
    with pytest.raises(UsageError, match="height"):
        Build(height=20.0)
    with pytest.raises(UsageError, match="leg_ratio"):
        Build(leg_ratio=3.0)


def test_a_curve_is_flat_where_its_knots_are_and_smooth_everywhere() -> None:
    knots = [(0.0, 0.0), (1.0, 0.0), (2.0, 5.0), (3.0, -1.0), (4.0, -1.0), (6.0, 0.0)]
    curve = Curve(knots, 0.3, period=6.0)
    assert np.all(np.abs(curve(np.linspace(0.46, 0.54, 50))) < 1e-12)  # exactly flat, 1.5 widths away from a bend
    assert np.ptp(curve(np.linspace(3.46, 3.54, 20))) < 1e-12
    at = np.linspace(-7.0, 13.0, 4001)
    assert np.allclose(curve(at), curve(at + 6.0), atol=1e-10)
    step = 1e-4
    for order in (0, 1):
        slope = (curve(at + step, order) - curve(at - step, order)) / (2.0 * step)
        assert np.allclose(curve(at, order + 1), slope, atol=2e-4 * np.abs(slope).max())
    brute = np.interp(np.mod(at[:, None] + _bump_places(0.3), 6.0), *np.array(knots).T).mean(axis=1)
    assert np.allclose(curve(at), brute, atol=2e-2)


def _bump_places(width: float) -> Floats:
    """Places distributed like the bump: the sum of three uniform variables."""
    u = (np.arange(16) + 0.5) / 16 - 0.5
    return np.asarray((width * (u[:, None, None] + u[:, None] + u)).ravel())


def test_an_open_curve_is_level_outside_its_knots() -> None:
    curve = Curve([(0.5, 2.0), (1.0, 7.0)], 0.1)
    assert np.allclose(curve([-3.0, 0.3]), 2.0)
    assert np.allclose(curve([1.2, 9.0]), 7.0)


def test_pieces_meet_their_ends() -> None:
    start = Ends(np.array([1.0, -2.0]), np.array([3.0, 0.5]), np.array([-4.0, 2.0]))
    end = Ends(np.array([0.5, 6.0]), np.array([-1.0, 2.0]), np.array([8.0, 0.0]))
    h = 1e-4
    for at, state in ((0.0, start), (1.0, end)):
        below, here, above = (quintic(np.array(at + d), start, end) for d in (-h, 0.0, h))
        assert np.allclose(here, state.place)
        assert np.allclose((above - below) / (2 * h), state.velocity, atol=1e-4)
        assert np.allclose((above - 2 * here + below) / h**2, state.acceleration, atol=1e-2)
    s = np.linspace(0.0, 1.0, 2001)
    assert np.allclose(late_ease(s, 2), ease(s))
    for shape in (ease(s), late_ease(s, 3), late_ease(s, 5)):
        assert shape[0] == 0.0 and shape[-1] == pytest.approx(1.0)
        assert np.all(np.diff(shape) >= -1e-15)
    hump = lobe(s, 3, 5)
    assert hump.max() == pytest.approx(1.0) and s[hump.argmax()] == pytest.approx(3 / 8, abs=1e-3)


def test_bounce_falls_freely_between_pushes_and_returns() -> None:
    period, pushes = 0.7, ((0.0, 0.3, 0.5), (0.5, 0.8, 0.5))
    phase = np.linspace(0.0, 1.0, 7001)
    height = bounce(phase, pushes, period)
    assert height[0] == pytest.approx(height[-1])
    acceleration = np.gradient(np.gradient(height, period / 7000), period / 7000)
    flying = ((phase > 0.34) & (phase < 0.46)) | ((phase > 0.84) & (phase < 0.96))
    assert np.allclose(acceleration[flying], -GRAVITY, rtol=0.03)
    assert acceleration[(phase > 0.1) & (phase < 0.2)].min() > 0.5 * GRAVITY


@pytest.mark.parametrize("bend", [1, -1])
def test_two_bones_reach_their_target_and_bend_one_way(bend: int) -> None:
    draw = rng()
    start, target = draw.normal(size=(2, 500, 3)) * 20.0
    gap = target - start
    target = start + gap / np.linalg.norm(gap, axis=1, keepdims=True) * draw.uniform(8.0, 81.0, size=(500, 1))
    pole = draw.normal(size=(500, 3))
    limb = solve_limb(start, target, pole, (43.0, 42.0), bend)
    lower = multiply(limb.upper, about_axis(np.array([1.0, 0.0, 0.0]), bend * limb.hinge))
    middle = start + rotate(limb.upper, np.array([0.0, -43.0, 0.0]))
    end = middle + rotate(lower, np.array([0.0, -42.0, 0.0]))
    assert np.allclose(end, target, atol=1e-9)
    assert np.allclose(limb.end, end)
    assert np.all(limb.hinge >= 0.0)
    off_line = (
        middle
        - start
        - gap * np.sum((middle - start) * gap, axis=1, keepdims=True) / np.sum(gap * gap, axis=1, keepdims=True)
    )
    assert np.all(np.sum(off_line * pole, axis=1) > 0.0)


@pytest.mark.parametrize("free", [0.0, 1.0])
def test_a_limb_never_straightens_fully_and_nears_its_limit_smoothly(free: float) -> None:
    jumps = []
    for count in (20001, 40001):
        distance = np.linspace(70.0, 120.0, count)
        target = np.stack([0 * distance, -distance, 0 * distance], axis=-1)
        pole = np.array([[0.0, 0.0, 1.0]])
        limb = solve_limb(np.zeros((count, 3)), target, pole, (43.0, 42.0), free=free)
        assert np.degrees(limb.hinge.min()) > 5.0
        reached = -limb.end[:, 1]
        assert np.all(np.diff(reached) >= 0.0)
        near = distance < 82.0
        assert np.allclose(reached[near], distance[near])
        curvature = np.diff(reached, 2) / (distance[1] - distance[0]) ** 2
        jumps.append(np.abs(np.diff(curvature)).max())
    assert jumps[1] < 0.6 * jumps[0]  # curvature itself has no jump


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_drawn_takes_have_the_covariance_of_their_law(law: Law) -> None:
    draw, count = rng(), 6000
    takes = np.array([list(law.draw(draw).values()) for _ in range(count)])
    truth = law.covariance()
    variances = np.diag(truth)
    error = np.sqrt((np.outer(variances, variances) + truth**2) / count)
    assert np.all(np.abs(np.cov(takes.T) - truth) < 4.5 * error)
    assert np.all(np.abs(takes.mean(axis=0)) < 4.5 * np.sqrt(variances / count))
    half = law.draw(rng(), 0.5)
    assert half == pytest.approx({name: 0.5 * value for name, value in law.draw(rng()).items()})
    assert set(law.draw(rng(), 0.0).values()) == {0.0}


def test_a_law_refuses_contradictory_correlations() -> None:
    with pytest.raises(UsageError, match="positive definite"):
        Law({"a": 1.0, "b": 1.0, "c": 1.0}, {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9})


def test_wander_has_its_spread_its_correlation_time_and_an_exact_integral() -> None:
    draw = rng()
    times = np.array([0.0, 0.5, 1.0, 2.0, 50.0])
    values = np.array([Wander(draw, 2.0, 1.0)(times)[:, 0] for _ in range(4000)])
    assert np.allclose(values.std(axis=0), 2.0, rtol=0.06)
    lags = np.corrcoef(values.T)[0]
    assert np.allclose(lags[:4], np.exp(-(times[:4] ** 2) / 2.0), atol=0.08)
    fine = np.linspace(0.0, 5.0, 50001)
    wander = Wander(draw, 1.0, 0.7, 2)
    steps = np.cumsum((wander(fine)[1:] + wander(fine)[:-1]) / 2.0, axis=0) * (fine[1] - fine[0])
    assert np.allclose(wander.integral(fine)[1:], steps, atol=1e-6)
