"""Rebuilding dropped takes, and which takes are kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from take_compression.compressing import (
    Compressed,
    compress_takes,
    end_drift,
    error_of,
    restored,
    rows_of,
    start_of,
)
from take_compression.plain_compression import nearest_error, pca_within
from take_compression.rebuilding import (
    LEVELS,
    KeptTakes,
    Rebuild,
    fit,
    fit_warp,
    kept_takes,
    mixture,
    phases_of,
    rebuilt,
)

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion import PointClip
from freshtake.motion.edit import moved, scaled, take_frames, turned
from freshtake.numeric.arrays import Floats
from freshtake.variation.examples import material_of
from tests.variation.small_takes import takes

WALKS = [ft.samples.walk(np.random.default_rng([7, take]), cycles=1) for take in range(5)]


def kept_rows() -> KeptTakes:
    values = tuple(takes(3, dofs=4, lengths=(41, 41, 41)))
    straight = np.repeat(np.arange(41.0)[:, None], 3, axis=1)
    return KeptTakes(values, straight, np.ones(4))


def error(a: Floats, b: Floats) -> float:
    return float(np.sqrt(((a - b) ** 2).mean()))


def test_phases_run_from_end_to_end_and_never_back() -> None:
    np.testing.assert_allclose(phases_of(np.zeros(8), 21, 40.0), np.linspace(0, 40, 21))
    wild = phases_of(np.array([9.0, -9.0] * 4), 50, 40.0)
    assert wild[0] == 0.0 and wild[-1] == 40.0 and (np.diff(wild) >= 0.0).all()


def test_a_warp_is_found_again() -> None:
    like = takes(5, dofs=4, lengths=(60,))[0]
    warp = 3.0 * np.sin(np.pi * np.arange(1, 9) / 9)
    phases = phases_of(warp, 70, 59.0)
    rows = np.stack([np.interp(phases, np.arange(60.0), column) for column in like.T], axis=1)
    found = phases_of(fit_warp(rows, like, np.ones(4)), 70, 59.0)
    assert np.abs(found - phases).mean() < 0.4 < np.abs(np.linspace(0, 59, 70) - phases).mean()


@pytest.mark.parametrize("level", LEVELS)
def test_a_mixture_is_found_again(level: int) -> None:
    kept, rng = kept_rows(), np.random.default_rng(level)
    shares = np.array([[0.5, 0.8, -0.3]]) if level == 0 else 0.4 * rng.normal(size=(level, 3, 4))
    rows = mixture(np.stack(kept.values), Rebuild(41, level, np.zeros(8), shares))
    found = rebuilt(kept, fit(rows, kept, level))
    plain = min(error(rows, x) for x in kept.values)
    assert error(found, rows) < 0.15 * plain


def test_mixtures_are_what_the_formula_says() -> None:
    kept = kept_rows()
    sources, shares = np.stack(kept.values), np.random.default_rng(1).normal(size=(2, 3, 4))
    found = mixture(sources, Rebuild(41, 2, np.zeros(8), shares))
    middle = sources.mean(axis=0)
    for t, d in ((0, 0), (13, 2), (40, 3)):
        u = t / 40
        o, a, b = (1 - u) * shares[0, :, d] + u * shares[1, :, d]
        expected = middle[t, d] + o + a * (sources[0, t, d] - middle[t, d]) + b * (sources[1, t, d] - middle[t, d])
        assert found[t, d] == pytest.approx(expected)
    one = mixture(sources, Rebuild(41, 0, np.zeros(8), np.array([[0.0, 1.0, 0.0]])))
    np.testing.assert_allclose(one, sources[1])


@pytest.fixture(scope="module")
def packed() -> Compressed:
    return compress_takes(WALKS, 0.02)


def test_every_dropped_take_lies_within_the_bound_as_it_is_decoded(packed: Compressed) -> None:
    assert 2 <= len(packed.kept) < 5 and set(packed.kept) | set(packed.rebuilds) == set(range(5))
    for k, numbers in packed.rebuilds.items():
        start = start_of(packed.material, WALKS[k])
        again = restored(packed.material, numbers, start)
        assert len(again) == len(WALKS[k])
        true = error_of(packed.material, WALKS[k])(rows_of(packed.material, again))
        assert true <= 0.02 + 2e-4 and packed.errors[k] <= 0.02
        np.testing.assert_allclose(again.root[0, [0, 2]], WALKS[k].root[0, [0, 2]], atol=1e-6)
        off = end_drift(WALKS[k], again)
        assert off is not None and off < 0.3
    whole = sum(len(WALKS[k]) for k in packed.kept) * len(packed.material.names)
    assert packed.numbers == whole + sum(one.numbers for one in packed.rebuilds.values()) < packed.plain


def test_a_tighter_bound_costs_more(packed: Compressed) -> None:
    tight, loose = compress_takes(WALKS, 0.005), compress_takes(WALKS, 0.2)
    assert loose.numbers <= packed.numbers < tight.numbers
    assert len(loose.kept) == 2 <= len(tight.kept)
    assert tight.worst <= 0.005
    assert any(one.level > 0 for one in tight.rebuilds.values())  # more numbers rather than more takes
    dropped = next(iter(loose.rebuilds))
    assert nearest_error(WALKS, loose.kept, dropped) > 0.5 * loose.errors[dropped]


def test_place_and_heading_are_no_error() -> None:
    clip = WALKS[0]
    material = material_of(WALKS, None, None)
    placed = turned(moved(clip, np.array([3.0, 0.0, 5.0])), 0.7)
    assert error_of(material, placed)(rows_of(material, clip)) < 1e-4
    raised = moved(clip, np.eye(3)[clip.up_index] * 0.1 * ft.motion.body.roles.leg_length(clip.skeleton))
    assert error_of(material, raised)(rows_of(material, clip)) == pytest.approx(0.1, abs=2e-3)


def test_principal_components_as_few_as_the_bound_needs() -> None:
    found = pca_within(WALKS, 0.02)
    assert found.worst <= 0.02
    names, frames = len(material_of(WALKS, None, None).names), sum(map(len, WALKS))
    assert found.numbers == (found.modes + 1) * names + frames * found.modes
    assert pca_within(WALKS, 0.005).modes > found.modes


def test_strokes_can_be_compressed() -> None:
    letters = [ft.samples.letter_a(np.random.default_rng([3, k])) for k in range(5)]
    found = compress_takes(letters, 0.05)
    assert len(found.kept) < 5 and found.worst <= 0.05
    k, numbers = next(iter(found.rebuilds.items()))
    again = restored(found.material, numbers, start_of(found.material, letters[k]))
    extent = np.linalg.norm(np.ptp(letters[k].points, axis=0))
    true = np.sqrt(((again.points - letters[k].points) ** 2).sum(axis=1).mean()) / extent
    assert true == pytest.approx(found.errors[k], abs=1e-6)


def test_bad_requests_are_refused() -> None:
    with pytest.raises(UsageError, match="at least 3"):
        compress_takes(WALKS[:2], 0.02)
    for bound in (0.0, -1.0, float("nan")):
        with pytest.raises(UsageError, match="must be above 0"):
            compress_takes(WALKS, bound)
    points = PointClip(("a",), np.zeros((9, 1, 3)), 0.1)
    with pytest.raises(UsageError, match="only clips and strokes"):
        compress_takes([points] * 3, 0.02)
    with pytest.raises(UsageError, match="other bone lengths"):
        compress_takes([*WALKS, scaled(WALKS[0], 1.1)], 0.02)
    with pytest.raises(UsageError, match="5 frames: at least 8"):
        compress_takes([*WALKS, take_frames(WALKS[0], 0, 5)], 0.02)
    assert kept_takes((np.eye(5),), np.ones(5), 0.1).phase_frames.shape == (5, 1)


def test_recorded_walks(data: Path) -> None:
    walks = [ft.read(path) for path in sorted((data / "walk").glob("*.bvh"))]
    found = compress_takes(walks, 0.01)
    assert len(found.kept) <= 3 and found.worst <= 0.01
    assert found.worst < max(nearest_error(walks, found.kept, k) for k in found.rebuilds)
