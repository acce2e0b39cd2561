"""Feet of blends land and lift off between the times of the classes' feet, at heights between the classes'."""

from __future__ import annotations

import numpy as np
import pytest

import freshtake as ft
from freshtake.density import DensityModel, learn
from freshtake.density.control import Control
from freshtake.density.decoding import feet_of
from freshtake.density.planting import FARTHEST, foot_joints, inside, row_contacts
from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import take_frames
from freshtake.numeric.arrays import Bools, Floats


@pytest.fixture(scope="module")
def gaits() -> DensityModel:
    walk = ft.samples.walk(np.random.default_rng(1), cycles=6, fps=60.0)
    run = ft.samples.run(np.random.default_rng(2), cycles=8, fps=60.0)
    return learn({"walk": [walk], "run": [run]})


def contact(first: int, last: int, period: int, cycles: int = 4) -> Bools:
    """A foot that stands from one frame of every cycle to before another."""
    frames = np.arange(cycles * period) % period
    return np.asarray((frames >= first) & (frames < last))


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 0.9, 1.0])
def test_a_mixed_contact_lasts_from_the_mean_landing_to_the_mean_leaving(share: float) -> None:
    period = 200
    a, b = inside(contact(20, 120, period), period, True), inside(contact(40, 90, period), period, True)
    mixed = (1.0 - share) * a + share * b > 0.0
    landing, leaving = (1.0 - share) * 20 + share * 40, (1.0 - share) * 120 + share * 90
    cycle = mixed[period : 2 * period]
    assert np.flatnonzero(cycle)[0] == pytest.approx(landing, abs=1.0)
    assert np.flatnonzero(cycle)[-1] + 1 == pytest.approx(leaving, abs=1.0)


def test_contacts_of_a_cyclic_run_continue_beyond_its_ends() -> None:
    period = 100
    whole = inside(contact(10, 60, period, 6), period, True)
    part = inside(contact(10, 60, period, 6)[130:350], period, True)
    np.testing.assert_allclose(part, whole[130:350])
    alone = inside(contact(10, 60, period, 6)[130:350], period, False)
    assert alone[0] == pytest.approx(FARTHEST) and part[0] == pytest.approx(0.205)


def test_a_run_without_any_edge_is_far_inside_or_outside() -> None:
    np.testing.assert_allclose(inside(np.ones(30, dtype=bool), 50.0, True), FARTHEST)
    np.testing.assert_allclose(inside(np.zeros(30, dtype=bool), 50.0, False), -FARTHEST)


def low_foot_speed(model: DensityModel, clip: ft.Clip) -> float:
    """The mean ground speed of foot joints near the floor, in leg lengths per second, whatever they do there."""
    assert model.planting_model is not None
    leg, places = leg_length(clip.skeleton), clip.positions()[:, foot_joints(model.planting_model)]
    low = places[..., clip.up_index] < model.planting_model.floor + 0.04 * leg
    over = np.linalg.norm(np.gradient(np.delete(places, clip.up_index, axis=-1), axis=0), axis=-1)
    return float(over[low].mean() / clip.frame_time / leg)


def blended(model: DensityModel, run: float) -> Floats:
    return model.rows(np.random.default_rng(3), frames=600, weights={"walk": 1.0 - run, "run": run})


def test_planted_feet_of_blends_slide_no_more_than_those_of_the_worse_class(gaits: DensityModel) -> None:
    speeds = []
    for run in (0.0, 0.25, 0.5, 0.75, 1.0):
        rows = blended(gaits, run)
        speeds.append(low_foot_speed(gaits, gaits.planted(gaits.decode(rows), True, rows)))
    assert max(speeds[1:-1]) <= 1.3 * max(speeds[0], speeds[-1])


def test_a_blend_stands_for_a_time_between_those_of_its_classes(gaits: DensityModel) -> None:
    shares = [float(row_contacts(gaits, blended(gaits, run)).mean()) for run in (0.0, 0.5, 1.0)]
    assert shares[0] > shares[1] > shares[2] > 0.0


def test_feet_of_a_blend_are_as_high_as_the_mean_of_the_classes(gaits: DensityModel) -> None:
    assert gaits.planting_model is not None
    rows = blended(gaits, 0.5)
    clip = gaits.decode(rows)
    levels = clip.positions()[:, foot_joints(gaits.planting_model), clip.up_index]
    np.testing.assert_allclose(levels.mean(axis=1), feet_of(gaits, rows)[1].mean(axis=1), atol=1e-9)


def test_landing_feet_decide_how_phases_of_classes_meet(gaits: DensityModel) -> None:
    """In the common phase both classes stand on the same foot at the same time, as far as they can."""
    contacts, turns = feet_of(gaits, gaits.foot_columns)[0], np.exp(1j * gaits.cycles.phases)
    for column in range(contacts.shape[1]):
        middles = []
        for owner in (0, 1):
            own = (gaits.owners == owner) & (contacts[:, column] > 0.0)
            middles.append(turns[own].mean())
        assert abs(np.angle(middles[0] / middles[1])) < 0.6


def test_a_stream_plants_by_the_same_contacts_as_a_clip(gaits: DensityModel) -> None:
    stream = gaits.stream(np.random.default_rng(5), weights={"walk": 0.5, "run": 0.5}, decode=True, plant=True)
    frames = [next(stream) for _ in range(200)]
    places = np.concatenate([frame.root for frame in frames])
    whole = gaits.sample(np.random.default_rng(5), frames=260, weights={"walk": 0.5, "run": 0.5}, plant=True)
    np.testing.assert_allclose(places, whole.root[:200], atol=1e-6)


@pytest.mark.parametrize("share", [0.4, 0.5, 0.6, 0.75])
def test_part_of_a_cycle_is_refused_with_a_remedy(share: float) -> None:
    walk = ft.samples.walk(np.random.default_rng(1), cycles=4, fps=60.0)
    period = len(walk) / 4.0
    with pytest.raises(UsageError, match=r"whole cycle|whole steps"):
        learn({"walk": [take_frames(walk, 20, 20 + round(share * period))]})


@pytest.mark.parametrize("offset", [0, 15, 30, 45])
def test_one_cycle_steps_with_both_feet(offset: int) -> None:
    walk = ft.samples.walk(np.random.default_rng(1), cycles=4, fps=60.0)
    model = learn({"walk": [take_frames(walk, offset, offset + round(len(walk) / 4.0) + 2)]})
    stands = row_contacts(model, model.rows(np.random.default_rng(0), frames=400))
    strikes = (np.diff(stands, axis=0) > 0.0).sum(axis=0)
    assert model.periodic == (True,) and strikes.min() >= 4


def test_a_stream_of_steady_weights_is_decoded_in_blocks_to_the_same_motion(
    gaits: DensityModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights that may change are read frame by frame; constant ones are twenty times as fast in blocks."""
    weights, decodes = {"walk": 0.5, "run": 0.5}, []
    plain_decode = DensityModel.decode

    def counted(model: DensityModel, rows: Floats, *args: object, **options: object) -> object:
        decodes.append(len(rows))
        return plain_decode(model, rows, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(DensityModel, "decode", counted)
    for control in (None, Control(turn=0.3)):
        for plant in (False, True):
            motions = []
            for given in (weights, lambda frame: weights):
                decodes.clear()
                stream = gaits.stream(
                    np.random.default_rng(5), weights=given, decode=True, plant=plant, control=control
                )
                frames = [next(stream) for _ in range(150)]
                assert all(len(frame) == 1 for frame in frames)
                assert set(decodes) == ({1} if callable(given) else {64})
                motions.append(frames)
            for part in ("root", "rotations"):
                a, b = (np.concatenate([getattr(frame, part) for frame in frames]) for frames in motions)
                np.testing.assert_allclose(a, b, atol=1e-9)
