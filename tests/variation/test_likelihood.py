"""How likely a take is: unseen takes more than other movements, and parents matter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.variation import Settings, VariationModel, learn
from freshtake.variation.learning import examples_by_others
from freshtake.variation.network import student, take_likelihood
from tests.conftest import DATA
from tests.variation.test_variants import examples


@cache
def model(prior: float = 2.0) -> VariationModel:
    return learn(examples(24)[:8], Settings(prior=prior), frame_time=1 / 30, cyclic=False)


def without_parent(made: VariationModel, rows: np.ndarray) -> float:
    """The same sizes, but no edges from the weights of the takes."""
    return take_likelihood(
        made.material, replace(made.deviations, share=np.zeros_like(made.deviations.share)), rows
    ).normalized


def test_further_takes_are_likelier_than_changed_ones() -> None:
    further = examples(24)[8:16]
    plain = [model().score_rows(x).normalized for x in further]
    bent = [model().score_rows(x + np.array([0.6, -0.6, 0.6, 0.0])).normalized for x in further]
    swapped = [model().score_rows(x[:, [0, 2, 1, 3]]).normalized for x in further]
    assert min(plain) > max(bent)
    assert min(plain) > max(swapped)


def test_a_short_deviation_is_found_wherever_it_is() -> None:
    further, spacing = examples(24)[8], model().deviations.spacing
    short = round(0.6 * spacing)
    for start in range(0, len(further) - short, max(short // 2, 1)):
        odd = further.copy()
        odd[start : start + short, 1] += 2.0 * np.hanning(short)
        lost = model().score_rows(further).frames - model().score_rows(odd).frames
        frame, dof = np.unravel_index(lost.argmax(), lost.shape)
        # A deviation also makes what follows it, one and two spacings later, a surprise.
        assert dof == 1
        assert start - spacing <= frame <= start + short + 2 * spacing
        assert lost.max() > 1.0, start


def test_without_the_hidden_parent_further_takes_are_less_likely() -> None:
    """The weights of the takes are a parent of every DOF: cut these edges, and unseen takes become less likely."""
    further = examples(24)[8:]
    with_parent = np.mean([model().score_rows(x).normalized for x in further])
    assert with_parent > np.mean([without_parent(model(), x) for x in further]) + 0.1


def test_on_recorded_takes_the_hidden_parent_matters() -> None:
    folders = [DATA / "population" / name for name in ("008_a0", "036_a0", "142_a0", "114_b0")]
    if not all(folder.is_dir() for folder in folders):
        pytest.skip("recorded motion is absent: set FRESHTAKE_DATA to its folder")
    gains = []
    for folder in folders:
        clips = [ft.read(path) for path in sorted(folder.glob("take_*.bvh"))]
        made = learn(clips[:4], cyclic=False)
        gains += [made.score(clip).normalized - without_parent(made, made.encode(clip)) for clip in clips[4:]]
    assert np.median(gains) > 0.01


def test_total_normalized_and_frames_agree() -> None:
    score = model().score_rows(examples(24)[9])
    assert score.total == pytest.approx(score.frames.sum())
    assert score.normalized == pytest.approx(score.total / score.frames.size)
    assert score.frames.shape == examples(24)[9].shape


def test_place_and_direction_do_not_count() -> None:
    walks = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(5)]
    made = learn(walks[:4], cyclic=True)
    turned = ft.motion.edit.turned(walks[4], 1.0)
    assert made.score(turned).normalized == pytest.approx(made.score(walks[4]).normalized, abs=1e-4)


def test_examples_by_others_leave_each_one_out() -> None:
    made = model()
    others = examples_by_others(made)
    known = [made.score_rows(x).normalized for x in made.material.values]
    assert np.mean([one.normalized for one in others]) < np.mean(known)


def test_students_density_integrates_to_one() -> None:
    x = np.linspace(-300.0, 300.0, 600_001)
    assert np.exp(student(x, 2.0, 5)).sum() * (x[1] - x[0]) == pytest.approx(1.0, abs=1e-4)


def test_too_short_a_clip_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 4"):
        model().score_rows(np.zeros((3, 4)))
