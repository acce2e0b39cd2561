from __future__ import annotations

import numpy as np
import pytest

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.cycles.cycles import first_to_last
from freshtake.style import bilinear
from freshtake.style.bilinear import GaitModel, closed, factorize, mix, weights_of
from tests.style.warping.known_warps import walk_clip

STYLES, SPEEDS = ("normal", "crouch"), (0.9, 1.3, 1.7)


@pytest.fixture(scope="module")
def walks() -> dict[tuple[str | float, str | float], Clip]:
    return {(style, speed): walk_clip(1, speed=speed, style=style, amount=0.3) for style in STYLES for speed in SPEEDS}


@pytest.fixture(scope="module")
def gaits(walks: dict[tuple[str | float, str | float], Clip]) -> GaitModel:
    return bilinear.fit(walks, reference=("normal", 1.3))


def bilinear_table(seed: int) -> np.ndarray:
    """y(s, c) = a(s) W b(c) of ranks 2 and 3 (Tenenbaum and Freeman 2000, eq. 1)."""
    rng = np.random.default_rng(seed)
    return np.einsum("ijk,si,cj->sck", rng.normal(size=(2, 3, 40)), rng.normal(size=(5, 2)), rng.normal(size=(4, 3)))


@pytest.mark.parametrize("seed", range(4))
def test_bilinear_data_is_recovered_at_its_own_ranks(seed: int) -> None:
    table = bilinear_table(seed)
    factors = factorize(table, (2, 3))
    for style in range(5):
        for content in range(4):
            made = mix(factors, factors.styles[style], factors.contents[content])
            np.testing.assert_allclose(made, table[style, content], atol=1e-9)


def test_full_ranks_reproduce_anything_and_lower_ones_fit_less() -> None:
    table = np.random.default_rng(1).normal(size=(3, 4, 20))
    errors = []
    for ranks in [(1, 1), (2, 2), (3, 3), (3, 4)]:
        f = factorize(table, ranks)
        errors.append(float(((np.einsum("ijk,si,cj->sck", f.core, f.styles, f.contents) - table) ** 2).sum()))
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-20
    with pytest.raises(UsageError, match="ranks"):
        factorize(table, (4, 1))


def test_alternation_improves_on_singular_vectors_alone() -> None:
    table = np.random.default_rng(2).normal(size=(4, 5, 60))
    left = []
    for rounds in (0, 30):
        f = factorize(table, (2, 2), rounds)
        left.append(float(((np.einsum("ijk,si,cj->sck", f.core, f.styles, f.contents) - table) ** 2).sum()))
    assert left[1] < left[0] - 1e-6


def test_a_trained_point_is_that_cycle(gaits: GaitModel, walks: dict[tuple[str | float, str | float], Clip]) -> None:
    for key, walk in walks.items():
        made = gaits.synthesize(*key)
        durations = (len(made) - 1) * made.frame_time, (len(walk) - 1) / 3.0 * walk.frame_time
        assert durations[0] == pytest.approx(durations[1], rel=0.04)
        pace = [
            np.linalg.norm(clip.root[-1] - clip.root[0]) / ((len(clip) - 1) * clip.frame_time) for clip in (made, walk)
        ]
        assert pace[0] == pytest.approx(pace[1], rel=0.02)


def test_the_time_warp_of_a_trained_point_lasts_as_long_as_its_cycle(
    gaits: GaitModel, walks: dict[tuple[str | float, str | float], Clip]
) -> None:
    for key in walks:
        lasts = float(np.exp(gaits.vector(*key)[-gaits.code.frames :]).sum())
        assert lasts == pytest.approx(round(lasts), abs=1e-6)  # whole frames, as the cycle has
        assert lasts == pytest.approx((len(walks[key]) - 1) / 3.0, rel=0.04)


def test_weights_are_affine_in_the_vectors(gaits: GaitModel) -> None:
    ends = [gaits.vector(style, 1.3) for style in STYLES]
    for share in (-0.5, 0.0, 0.25, 1.0, 1.5):
        made = gaits.vector({"normal": 1.0 - share, "crouch": share}, 1.3)
        np.testing.assert_allclose(made, (1.0 - share) * ends[0] + share * ends[1], atol=1e-9)


@pytest.mark.parametrize(("style", "speed"), [("normal", 0.9), ({"normal": 0.5, "crouch": 0.5}, 1.1), ("crouch", 2.0)])
def test_loops_close(gaits: GaitModel, style: bilinear.Weights, speed: float) -> None:
    made = gaits.synthesize(style, speed, cycles=3)
    assert first_to_last(made) < 1e-6
    third = (len(made) - 1) // 3
    assert (len(made) - 1) % 3 == 0
    np.testing.assert_allclose(
        np.abs(np.sum(made.rotations[:third, 1:] * made.rotations[third : 2 * third, 1:], axis=-1)), 1.0, atol=1e-9
    )
    turn = np.abs(np.sum(made.rotations[1:, 1:] * made.rotations[:-1, 1:], axis=-1)).min(axis=1)
    steps = 2.0 * np.arccos(np.minimum(turn, 1.0))
    assert steps[third - 1] < 1.5 * np.sort(steps)[-3], "no jump where one cycle meets the next"


def test_speed_between_and_beyond(gaits: GaitModel) -> None:
    for speed in (0.7, 1.1, 1.5, 2.0):
        made = gaits.synthesize("normal", speed, cycles=2)
        travelled = np.linalg.norm(made.root[-1] - made.root[0]) / ((len(made) - 1) * made.frame_time) / 100.0
        assert travelled == pytest.approx(speed, rel=0.03)


def test_style_between(gaits: GaitModel) -> None:
    heights = [gaits.synthesize(w, 1.3).root[:, 1].mean() for w in ("normal", {"normal": 0.5, "crouch": 0.5}, "crouch")]
    assert heights[1] == pytest.approx((heights[0] + heights[2]) / 2.0, rel=0.01)
    assert heights[0] > heights[2] + 5.0


def test_closing_keeps_the_middle_and_meets_the_start() -> None:
    rows = np.random.default_rng(0).normal(size=(21, 3))
    made = closed(rows)
    assert len(made) == 20
    np.testing.assert_allclose(made[10], rows[10])
    gap = made[0] - (made[-1] + (rows[-1] - rows[-2]))
    np.testing.assert_allclose(
        gap, (rows[0] - rows[-1]) / 20.0 + (rows[-1] - rows[0]) / 20.0, atol=1.1 * np.abs(rows[-1] - rows[0]).max() / 20
    )


def test_refusals(gaits: GaitModel, walks: dict[tuple[str | float, str | float], Clip]) -> None:
    cases = [
        (lambda: bilinear.fit({k: c for k, c in walks.items() if k != ("crouch", 0.9)}), "crouch at 0.9 is missing"),
        (lambda: bilinear.fit({("normal", 1.0): walks["normal", 1.3]}), "second style or speed"),
        (lambda: bilinear.fit(walks, reference=("proud", 1.0)), "not one of the clips"),
        (lambda: gaits.synthesize("proud", 1.0), "not a style of this model"),
        (lambda: gaits.synthesize({"normal": 0.5}, 1.0), "sum to 1"),
        (lambda: gaits.synthesize("normal", "fast"), "not a speed of this model"),
        (lambda: gaits.synthesize("normal", 1.0, cycles=0), "cycles must be 1 or more"),
        (lambda: gaits.synthesize("normal", 900.0), "too far beyond the examples"),
        (lambda: weights_of({"x": 1.0}, ("a", "b"), "style"), "not a style"),
    ]
    for act, words in cases:
        with pytest.raises(UsageError, match=words):
            act()
