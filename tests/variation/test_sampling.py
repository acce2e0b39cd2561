"""Endless motion and loops: no seams, no drift, any block length, the same for the same seed."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from freshtake.variation import VariationModel, learn
from freshtake.variation.sampling import advance, begin, draw_loop


@cache
def walking() -> VariationModel:
    walks = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)]
    return learn(walks, cyclic=True)


def streamed(frames: int, sizes: tuple[int, ...], seed: int = 1) -> np.ndarray:
    model = walking()
    state, blocks, made = begin(np.random.default_rng(seed)), [], 0
    for size in itertools.cycle(sizes):
        state, rows = advance(state, model.sampler(), size)
        blocks.append(rows)
        made += size
        if made >= frames:
            return np.concatenate(blocks)[:frames]
    raise AssertionError


def test_blocks_of_any_length_give_the_same_motion() -> None:
    whole = streamed(300, (300,))
    for sizes in ((32,), (1,), (7, 50, 3)):
        np.testing.assert_allclose(streamed(300, sizes), whole, rtol=1e-6, atol=1e-7)


def test_seeds_repeat_and_differ() -> None:
    np.testing.assert_array_equal(streamed(100, (32,)), streamed(100, (32,)))
    assert np.abs(streamed(100, (32,), 2) - streamed(100, (32,))).max() > 1e-3


def test_a_state_can_be_kept_and_resumed() -> None:
    model = walking()
    state, _ = advance(begin(np.random.default_rng(4)), model.sampler(), 50)
    (_, one), (_, other) = advance(state, model.sampler(), 20), advance(state, model.sampler(), 20)
    np.testing.assert_array_equal(one, other)


def test_an_endless_walk_stays_on_its_way_and_in_its_range() -> None:
    """Two minutes straight ahead: no drift of heading, no DOF that leaves the takes' range, no seam between cycles."""
    model = walking()
    block = model.draw(np.random.default_rng(7), frames=7200)
    clip: Clip = model.decode(block.rows, start=block.start)
    takes = model.clips
    way = [take.root[-1] - take.root[0] for take in takes]
    heading = np.arctan2(np.mean([w[0] for w in way]), np.mean([w[2] for w in way]))
    gone = clip.root[-1] - clip.root[0]
    assert abs(np.degrees(np.angle(np.exp(1j * (np.arctan2(gone[0], gone[2]) - heading))))) < 3.0
    free = ~model.material.rates
    low, high = (f(np.stack([f(x, axis=0) for x in model.material.values]), axis=0) for f in (np.min, np.max))
    room = 1.2 * model.deviations.total_sizes.mean(axis=0) + 1e-6
    assert (block.rows[:, free] > (low - room)[free]).all() and (block.rows[:, free] < (high + room)[free]).all()
    steps = np.abs(np.diff(clip.positions(), 2, axis=0)).max()
    usual = max(np.abs(np.diff(take.positions(), 2, axis=0)).max() for take in takes)
    assert steps < 2.0 * usual


def test_cycles_of_a_stream_differ_and_do_not_repeat() -> None:
    model = walking()
    rows = model.draw(np.random.default_rng(3), cycles=6).rows
    free = ~model.material.rates
    apart = np.abs(rows[:, None, free] - rows[None, :, free]).max(axis=2)
    near = np.abs(np.subtract.outer(np.arange(len(rows)), np.arange(len(rows)))) < 5
    assert apart[~near].min() > 1e-4


@pytest.mark.parametrize("cycles", [1, 5])
def test_a_loop_leads_into_itself(cycles: int) -> None:
    model = walking()
    loop = draw_loop(model.sampler(), cycles, None, np.random.default_rng(5))
    free = ~model.material.rates
    rows = loop.rows[:, free]
    seam = np.abs(rows[0] - rows[-1]).max()
    assert seam < 1.5 * np.abs(np.diff(rows, axis=0)).max()
    turned = loop.rows[:, model.dofs.index("Hips.turn")].sum() * model.frame_time
    assert turned == pytest.approx(0.0, abs=1e-6)


def test_a_variant_begins_where_the_takes_begin_and_goes_their_way() -> None:
    """Takes that start at one position and walk sideways: so do variants, whatever the pelvis does at first."""
    turned = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)]
    placed = []
    for clip in turned:
        clip = ft.motion.edit.turned(clip, np.radians(70.0))
        placed.append(clip.changed(root=clip.root + np.array([3.0, 0.0, -5.0])))
    model = learn(placed, cyclic=True)
    made = [model.sample(np.random.default_rng(k)) for k in range(30)]
    for name, value in (("start", lambda c: c.root[0]), ("way", lambda c: c.root[-1] - c.root[0])):
        want, have = (np.mean([value(c) for c in clips], axis=0)[[0, 2]] for clips in (placed, made))
        size = np.linalg.norm(np.mean([c.root[-1] - c.root[0] for c in placed], axis=0))
        assert np.linalg.norm(want - have) < 0.05 * size, name


def placed_takes(angle: float, place: tuple[float, float]) -> list[Clip]:
    takes = []
    for k in range(4):
        clip = ft.motion.edit.turned(ft.samples.walk(np.random.default_rng(k), cycles=1), angle)
        takes.append(clip.changed(root=clip.root + np.array([place[0], 0.0, place[1]])))
    return takes


@pytest.mark.parametrize("cycles", [1, 3])
def test_streams_begin_where_the_takes_begin_too(cycles: int) -> None:
    takes = placed_takes(np.radians(120.0), (500.0, 300.0))
    model = learn(takes, cyclic=True)
    drawn = model.draw(np.random.default_rng(3), cycles=cycles)
    clip = model.decode(drawn.rows, start=drawn.start)
    way = np.mean([take.root[-1] - take.root[0] for take in takes], axis=0)
    assert np.linalg.norm((clip.root[0] - np.mean([t.root[0] for t in takes], axis=0))[[0, 2]]) < 0.1 * np.linalg.norm(
        way
    )
    gone = clip.root[-1] - clip.root[0]
    turn = np.degrees(np.angle(complex(gone[2], gone[0]) / complex(way[2], way[0])))
    assert abs(turn) < 4.0


@pytest.mark.parametrize("angle", [37.0, 180.0])
def test_a_root_that_never_turns_keeps_facing_as_in_the_takes(angle: float) -> None:
    """Parts of the trajectory that never vary are not DOFs, and must not be lost: in-place and hand-keyed clips."""
    takes = []
    for k in range(4):
        clip = ft.samples.walk(np.random.default_rng(k), cycles=1)
        rotations, root = clip.rotations.copy(), clip.root.copy()
        half = np.radians(angle) / 2.0
        rotations[:, 0] = [np.cos(half), 0.0, np.sin(half), 0.0]
        root[:, 0], root[:, 2] = 3.0 * np.arange(len(clip)), 0.0
        takes.append(clip.changed(root=root, rotations=rotations))
    model = learn(takes, cyclic=True)
    made = model.sample(np.random.default_rng(1))
    assert np.abs(np.abs((made.rotations[:, 0] * takes[0].rotations[0, 0]).sum(axis=1)) - 1.0).max() < 1e-6
    assert made.root[-1, 0] - made.root[0, 0] == pytest.approx(3.0 * (len(takes[0]) - 1), rel=0.25)


def test_the_model_does_not_depend_on_which_way_the_takes_face() -> None:
    plain, turned = (learn(placed_takes(angle, (0.0, 0.0)), cyclic=True) for angle in (0.0, 1.2))
    np.testing.assert_allclose(turned.sizes, plain.sizes, rtol=1e-3, atol=1e-6)


def test_paces_have_bounds() -> None:
    """Takes of very different lengths, and four times the variation: still no motion of zero or infinite length."""
    rng = np.random.default_rng(0)
    takes = [np.sin(np.linspace(0.0, 6.0, n))[:, None] * rng.uniform(0.8, 1.2, 2) for n in (20, 60, 200)]
    model = learn(takes, cyclic=False)
    lengths = [len(model.rows(np.random.default_rng(k), amount=4.0)) for k in range(60)]
    mean = len(model.phase_frames)
    assert min(lengths) > 0.2 * mean and max(lengths) < 4.0 * mean


def test_without_variation_planted_motions_are_all_the_same() -> None:
    model = walking()
    made = [model.sample(np.random.default_rng(k), amount=0.0, plant=True) for k in range(3)]
    np.testing.assert_array_equal(made[0].rotations, made[1].rotations)
    np.testing.assert_array_equal(made[0].rotations, made[2].rotations)


def test_streams_of_strokes_are_decoded_frame_by_frame() -> None:
    model = learn([ft.samples.circle(np.random.default_rng(k)) for k in range(3)], cyclic=True)
    frames = list(itertools.islice(model.stream(np.random.default_rng(0), decode=True), 40))
    assert all(isinstance(frame, ft.Stroke) and len(frame) == 1 for frame in frames)
