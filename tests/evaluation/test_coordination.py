"""Coordination: kept by real takes, lost by noise on one arm; and figures of baselines next to the variants."""

from __future__ import annotations

import json

import numpy as np
import pytest

from freshtake.evaluation import evaluate
from freshtake.evaluation.baselines import baseline_sets
from freshtake.evaluation.coordination import correlations, difference, left_and_right, measure
from freshtake.motion import Clip
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import from_rotvec, multiply
from freshtake.reports.evaluation_page import page
from tests.evaluation.stepping import prepared, takes
from tests.reports.test_evaluation_page import Balanced

INPUTS, EXTRA = takes(1, 4, "input"), takes(2, 4, "extra")


def shaken(clip: Clip, joint: str, rng: np.random.Generator) -> Clip:
    """A separate slow wave on one joint."""
    time = np.arange(len(clip)) * clip.frame_time
    wave = 0.5 * np.sin(2 * np.pi * rng.uniform(1, 2) * time + rng.uniform(0, 6))
    rotations = clip.rotations.copy()
    index = clip.skeleton.index(joint)
    rotations[:, index] = multiply(rotations[:, index], from_rotvec(wave[:, None] * rng.normal(size=3)))
    return clip.changed(rotations=rotations)


def test_correlations_are_numpy_s() -> None:
    rows = np.random.default_rng(1).normal(size=(50, 4)) @ np.random.default_rng(2).normal(size=(4, 4))
    found = correlations(rows)
    assert np.allclose(found.matrix, np.corrcoef(rows.T))
    assert np.allclose(found.strength, rows.std(axis=0))
    still = correlations(np.concatenate([rows, np.ones((50, 1))], axis=1))
    assert np.abs(still.matrix[4]).max() == 0.0 and still.strength[4] == 0.0


def test_the_inputs_themselves_differ_in_nothing() -> None:
    gallery, material = prepared(INPUTS[:1], INPUTS[:1])
    assert measure(gallery, material.variants[0])["coordination"].value == pytest.approx(0.0, abs=1e-12)


def test_difference_equals_a_loop_over_pairs() -> None:
    """Of different DOFs; how the root travels is left out."""
    going = [clip.changed(root=clip.root + _way(len(clip), k)) for k, clip in enumerate([*INPUTS, EXTRA[0]])]
    gallery, material = prepared(going[:4], going[4:])
    names, track = gallery.layout.dofs, material.variants[0]
    assert {"root.forward", "root.sideways", "root.height"} <= set(names)
    sides = left_and_right(names)
    assert sides[names.index("LeftArm.x"), names.index("RightHand.y")]
    assert not sides[names.index("LeftArm.x"), names.index("LeftHand.y")]
    assert not sides[names.index("LeftArm.x"), names.index("Spine.x")]
    scales = gallery.layout.scales

    def speeds(t):  # type: ignore[no-untyped-def]
        return np.gradient(t.dofs * scales, t.frame_time, axis=0)

    known, own = np.concatenate([speeds(t) for t in gallery.inputs]), speeds(track)
    moving = np.minimum(known.std(axis=0), own.std(axis=0)) > 1e-9
    kept = [k for k, n in enumerate(names) if moving[k] and n not in ("root.forward", "root.sideways", "root.turning")]
    before, after = np.corrcoef(known[:, kept].T), np.corrcoef(own[:, kept].T)
    for pairs in (sides, np.ones_like(sides)):
        top = bottom = 0.0
        for a, i in enumerate(kept):
            for b, j in enumerate(kept):
                if pairs[i, j] and i != j:
                    weight = known[:, i].std() * known[:, j].std()
                    top, bottom = top + weight * (after[a, b] - before[a, b]) ** 2, bottom + weight
        assert difference(gallery, track, pairs) == pytest.approx(np.sqrt(top / bottom))


def _way(frames: int, k: int) -> Floats:
    time = np.linspace(0, 6, frames)
    return np.stack([2 * np.sin(time + k), 0.2 * np.cos(2 * time + k), 5 * np.sin(0.7 * time) + time], axis=1)


def test_an_arm_that_goes_its_own_way_is_found() -> None:
    rng = np.random.default_rng(3)
    noisy = [shaken(clip, "LeftArm", rng) for clip in INPUTS]
    gallery, material = prepared(INPUTS, [*noisy, *EXTRA])
    lost, real = material.variants[:4], material.variants[4:]
    arm = np.array([name.startswith("LeftArm.") for name in gallery.layout.dofs])
    off, usual = (
        np.mean([difference(gallery, track, arm[:, None] & ~arm) for track in tracks]) for tracks in (lost, real)
    )
    assert off > 2 * usual
    result = evaluate(INPUTS, noisy[:2], EXTRA[:1], rng=np.random.default_rng(0))
    for key in ("coordination", "coordination_sides"):
        figure = result.figure(key)
        assert figure is not None and figure.verdict == "above" and figure.value > 1.5 * max(figure.real)


def test_baselines_stand_beside_the_variants() -> None:
    variants = takes(5, 3, "variant")
    sets = baseline_sets(INPUTS[:2], variants, rng=np.random.default_rng(1), kinds=("strawman", "replay"))
    alone = evaluate(INPUTS[:2], variants, EXTRA[:1], rng=np.random.default_rng(0))
    result = evaluate(INPUTS[:2], variants, EXTRA[:1], rng=np.random.default_rng(0), baselines=sets)
    for figure in alone.figures:
        assert result.value(figure.key) == pytest.approx(figure.value, rel=1e-6, nan_ok=True), figure.key
    strawman, replay = result.baselines
    assert (strawman.name, replay.name) == ("strawman", "replay")
    direct = evaluate(INPUTS[:2], sets["strawman"], EXTRA[:1], rng=np.random.default_rng(0))
    for key in ("jerk_limbs", "planted_speed", "nearest", "diversity", "coordination"):
        assert strawman.value(key) == pytest.approx(direct.value(key), rel=1e-6), key
    assert replay.value("copied") == 1.0
    assert np.isnan(replay.value("no_such_figure"))
    stored = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    assert stored["baselines"]["replay"]["copied"]["verdict"] == "above"
    html = page(result, [])
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    table = html.split("Next to baselines")[1].split("</table>")[0]
    assert table.index("<th>variants") < table.index("<th>strawman") < table.index("<th>replay")
    assert "Next to baselines" not in page(alone, [])
