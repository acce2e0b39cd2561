"""Sample strokes: smoothest through their via points, distributed as their law says, and like real handwriting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import freshtake as ft
from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Stroke
from freshtake.numeric.arrays import Floats
from freshtake.samples.shapes import DIGIT_2, LETTER_A, Character, CircleLaw, PenLaw, written
from tests.conftest import data_files

BOTH = pytest.mark.parametrize(
    ("character", "make"), [(LETTER_A, samples.letter_a), (DIGIT_2, samples.digit_2)], ids=["a", "2"]
)
Maker = Callable[..., Stroke]


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


def least_jerk(via: Floats, steps: int) -> Floats:
    """The movement on a grid with the minimum sum of squared third differences, starting at rest: a slow oracle."""
    count = steps + 1
    jerk = np.diff(np.eye(count), n=3, axis=0)
    held = np.zeros((len(via) + 2, count))
    held[np.arange(len(via)), np.rint(via[:, 0] * steps).astype(int)] = 1.0
    held[-2, :2] = [-1.0, 1.0]
    held[-1, :3] = [1.0, -2.0, 1.0]
    system = np.block([[jerk.T @ jerk, held.T], [held, np.zeros((len(held), len(held)))]])
    wanted = np.concatenate([np.zeros((count, 2)), via[:, 1:], np.zeros((2, 2))])
    return np.asarray(np.linalg.solve(system, wanted)[:count])


@BOTH
def test_the_mean_stroke_has_the_least_jerk_through_its_via_points(character: Character, make: Maker) -> None:
    steps = 400
    stroke = make(rng(), amount=0.0, fps=steps / character.seconds)
    assert len(stroke) == steps + 1 and stroke.uniform
    at_via = stroke.points[np.rint(character.via[:, 0] * steps).astype(int)]
    assert np.allclose(at_via, character.via[:, 1:] * character.height, atol=1e-9)
    assert np.abs(stroke.points / character.height - least_jerk(character.via, steps)).max() < 0.01


@BOTH
def test_takes_follow_the_law(character: Character, make: Maker) -> None:
    law, source, count = PenLaw(), rng(), 4000
    drawn = [law.draw(source, character) for _ in range(count)]
    whole = np.array([[take.whole[name] for name in law.whole.names] for take in drawn])
    for values, covariance in (
        (whole, law.whole.covariance()),
        (np.array([take.wobble[:, 0] for take in drawn]), law.wobble**2 * law.along(len(character.via))),
        (np.array([take.wobble[:, 1] for take in drawn]), law.wobble**2 * law.along(len(character.via))),
        (np.array([take.rhythm for take in drawn]), law.rhythm**2 * law.along(len(character.via) - 1)),
    ):
        spread = np.sqrt(np.diag(covariance))
        assert (np.abs(values.mean(axis=0)) < 5.0 * spread / np.sqrt(count)).all()
        error = np.sqrt((covariance**2 + np.outer(spread, spread) ** 2) / count)  # of a sample covariance
        assert (np.abs(np.cov(values.T) - covariance) < 5.0 * error).all()


def test_the_parameters_do_what_they_are_called() -> None:
    mean = PenLaw().draw(rng(), LETTER_A, amount=0.0)
    plain = written(LETTER_A, mean)
    slower = written(LETTER_A, mean._replace(whole={**mean.whole, "tempo": np.log(2.0)}))
    assert slower.duration == pytest.approx(2.0 * plain.duration, abs=0.006)
    assert np.allclose(slower.points[::2][: len(plain)], plain.points[: len(slower.points[::2])])
    larger = written(LETTER_A, mean._replace(whole={**mean.whole, "size": np.log(2.0)}))
    assert np.allclose(larger.points, 2.0 * plain.points)
    wider = written(LETTER_A, mean._replace(whole={**mean.whole, "aspect": np.log(2.0)}))
    assert np.allclose(wider.points, plain.points * [2.0, 1.0])
    slanted = written(LETTER_A, mean._replace(whole={**mean.whole, "slant": 0.3}))
    assert np.allclose(slanted.points, plain.points + plain.points[:, 1:] * [0.3, 0.0])


@BOTH
def test_via_points_are_met_when_the_rhythm_says(character: Character, make: Maker) -> None:
    take = PenLaw().draw(rng(), character)._replace(whole=dict.fromkeys(PenLaw().whole.names, 0.0))
    stroke = written(character, take, fps=1e5)
    lasting = np.diff(character.via[:, 0]) * np.exp(take.rhythm)
    times = np.concatenate([[0.0], np.cumsum(lasting)]) / lasting.sum() * character.seconds
    met = np.stack([np.interp(times, stroke.times, column) for column in stroke.points.T], axis=1)
    assert np.allclose(met, (character.via[:, 1:] + take.wobble) * character.height, atol=0.02)


@BOTH
def test_the_same_take_at_another_rate_is_the_same_movement(character: Character, make: Maker) -> None:
    fine, coarse = make(rng(), fps=200.0), make(rng(), fps=100.0)
    assert np.allclose(fine.points[::2], coarse.points)
    assert not np.allclose(make(rng(6), fps=100.0).points[:20], coarse.points[:20], atol=0.5)


def figures(times: Floats, points: Floats) -> Floats:
    """Slope of log speed over log curvature, peaks of speed, seconds, width / height, highest / mean speed."""
    from scipy.ndimage import gaussian_filter1d

    step = times[1] - times[0]
    smooth = gaussian_filter1d(points, 1.5, axis=0)
    velocity = np.gradient(smooth, step, axis=0)
    acceleration = np.gradient(velocity, step, axis=0)
    speed = np.linalg.norm(velocity, axis=1)
    bend = np.abs(velocity[:, 0] * acceleration[:, 1] - velocity[:, 1] * acceleration[:, 0]) / speed**3
    inner = (np.arange(len(points)) > 3) & (np.arange(len(points)) < len(points) - 4) & (bend > 1e-4)
    slope = np.polyfit(np.log(bend[inner]), np.log(speed[inner]), 1)[0]
    calm = gaussian_filter1d(speed, 2.0)
    peaks = ((calm[1:-1] > calm[:-2]) & (calm[1:-1] >= calm[2:])).sum()
    width, height = np.ptp(smooth, axis=0)
    return np.array([slope, peaks, times[-1] - times[0], width / height, calm.max() / calm.mean()])


@BOTH
def test_the_pen_slows_down_in_bends(character: Character, make: Maker) -> None:
    source = rng()
    slope, peaks, *_ = np.mean([figures(s.times, s.points) for s in (make(source) for _ in range(40))], axis=0)
    assert -0.45 < slope < -0.15  # a hand: about -1/3
    assert 2.5 < peaks < 3.5


@BOTH
def test_strokes_resemble_real_ones(character: Character, make: Maker) -> None:
    files = data_files(f"handwriting/kast/{character.name}_[0-9]*.csv")
    if not files:
        pytest.skip("real handwriting is absent: set FRESHTAKE_DATA to its folder")
    tables = [np.loadtxt(file, delimiter=",", skiprows=1) for file in files]
    real = np.mean([figures(table[:, 0], table[:, 1:]) for table in tables], axis=0)
    source = rng()
    ours = np.mean([figures(s.times, s.points) for s in (make(source) for _ in range(40))], axis=0)
    assert (np.abs(ours - real) < [0.12, 0.6, 0.05, 0.15, 0.15]).all(), f"ours {ours}, real {real}"


def test_circles_have_the_moments_of_the_figure() -> None:
    source, count = rng(), 4000
    law = CircleLaw()
    first = np.array([law.draw(source).at(np.zeros(1))[0, 1] for _ in range(count)])
    assert first.mean() == pytest.approx(5.91, abs=5 * 0.77 / np.sqrt(count))
    assert first.std() == pytest.approx(0.77, abs=5 * 0.77 / np.sqrt(2 * count))
    radius, angle, speed = np.array([law.draw(source) for _ in range(count)]).T
    for values, normal in ((radius, law.radius), (angle, law.start_angle), (speed, law.speed)):
        assert values.mean() == pytest.approx(normal.mean, abs=5 * normal.spread / np.sqrt(count))
        assert values.std() == pytest.approx(normal.spread, abs=5 * normal.spread / np.sqrt(2 * count))
    assert np.abs(np.corrcoef([radius, angle, speed]) - np.eye(3)).max() < 5 / np.sqrt(count)


def test_a_circle_is_one_steady_turn() -> None:
    source = rng()
    for _ in range(5):
        stroke = samples.circle(source)
        radius = np.linalg.norm(stroke.points, axis=1)
        angle = np.unwrap(np.arctan2(stroke.points[:, 1], stroke.points[:, 0]))
        assert np.ptp(radius) < 1e-12
        assert np.allclose(np.diff(angle), np.diff(angle)[0])
        assert 0.0 <= 2 * np.pi - (angle[0] - angle[-1]) < -np.diff(angle)[0]
    mean = samples.circle(source, amount=0.0)
    assert np.allclose(mean.points[0], [0.0, 5.98]) and len(mean) == 61


@pytest.mark.parametrize("make", [samples.letter_a, samples.circle])
@pytest.mark.parametrize("fps", [0.0, -1.0, float("nan"), float("inf")])
def test_impossible_rates_are_refused(make: Maker, fps: float) -> None:
    with pytest.raises(UsageError, match="points per second"):
        make(rng(), fps=fps)


def test_samples_are_strokes_that_can_be_written(tmp_path: object) -> None:
    path = f"{tmp_path}/a.npz"
    stroke = samples.letter_a(rng())
    ft.write(path, stroke)
    read = ft.read(path)
    assert isinstance(read, Stroke) and np.array_equal(read.points, stroke.points)
