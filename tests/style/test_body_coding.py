"""Trunk and legs by their ends: nothing is lost, and joints moving against each other do not show."""

from __future__ import annotations

import numpy as np
import pytest

from freshtake.motion import Clip
from freshtake.motion.features import decode
from freshtake.numeric.rotations import rotate
from freshtake.style.body_coding import PLAIN, Coding, coded, coding_of, uncoded
from freshtake.style.learning import style_recipe
from freshtake.style.model import StyleModel
from tests.style.pairs_of_clips import model, walk


@pytest.fixture(scope="module")
def learned() -> StyleModel:
    return model()


def test_the_coding_is_undone_exactly(learned: StyleModel) -> None:
    rows = learned.encode(walk(61, cycles=4)).values
    seen = coded(rows, learned.coding)
    assert len(learned.coding.at) == 2 and len(learned.coding.stems) == 3
    assert np.abs(seen - rows).max() > 0.05
    np.testing.assert_allclose(uncoded(seen, learned.coding), rows, atol=1e-9)
    np.testing.assert_array_equal(coded(rows, PLAIN), rows)


def line_of(learned: StyleModel, row: np.ndarray, leg: int) -> tuple[np.ndarray, float]:
    """Direction from hip to ankle against the upright heading, and the distance, from forward kinematics."""
    clip = decode(learned.recipe, row[None])
    assert isinstance(clip, Clip)
    names = [learned.dofs[learned.coding.at[leg, k]].rsplit(".", 1)[0] for k in (0, 2)]
    hip, ankle = (clip.positions()[0, clip.skeleton.names.index(name)] for name in names)
    away = ankle - hip
    return away / np.linalg.norm(away), float(np.linalg.norm(away))


def test_a_thigh_is_the_line_to_the_ankle_and_a_knee_its_length(learned: StyleModel) -> None:
    """The slow way: the effect of a change of one number on the ankle, by forward kinematics."""
    body, row = learned.coding, coded(learned.encode(walk(61)).values[:1], learned.coding)[0]
    for leg in range(2):
        line, length = line_of(learned, uncoded(row[None], body)[0], leg)
        knee = row.copy()
        knee[body.at[leg, 1] : body.at[leg, 1] + 3] += 0.2 * body.hinges[leg]
        bent, shorter = line_of(learned, uncoded(knee[None], body)[0], leg)
        np.testing.assert_allclose(bent, line, atol=1e-9)
        assert shorter < length - 0.01 * length
        foot = row.copy()
        foot[body.at[leg, 2]] += 0.3
        assert line_of(learned, uncoded(foot[None], body)[0], leg)[1] == pytest.approx(length)
        tilted = row.copy()
        tilted[4:6] += [0.2, -0.1]  # the pelvis tilts: trunk and legs stay
        still, same = line_of(learned, uncoded(tilted[None], body)[0], leg)
        np.testing.assert_allclose(still, line, atol=1e-9)
        assert same == pytest.approx(length)


def test_a_trunk_is_turned_against_the_upright_heading(learned: StyleModel) -> None:
    body, row = learned.coding, coded(learned.encode(walk(61)).values[:1], learned.coding)[0]
    tilted = row.copy()
    tilted[4:6] += [0.2, -0.1]
    trunk = next(int(k) for k in body.stems if k not in body.at[:, 0])
    name = learned.dofs[trunk].rsplit(".", 1)[0]
    turns = []
    for each in (row, tilted):
        clip = decode(learned.recipe, uncoded(each[None], body))
        assert isinstance(clip, Clip)
        turns.append(rotate(clip.world().rotations[0, clip.skeleton.names.index(name)], np.eye(3)))
    np.testing.assert_allclose(turns[0], turns[1], atol=1e-9)


def test_knees_do_not_bend_the_wrong_way(learned: StyleModel) -> None:
    body, row = learned.coding, coded(learned.encode(walk(61)).values[:1], learned.coding)[0]
    for leg in range(2):
        at = body.at[leg, 1]
        wrong = row.copy()
        wrong[at : at + 3] -= 5.0 * body.hinges[leg]
        angle = uncoded(wrong[None], body)[0, at : at + 3] @ body.hinges[leg]
        least = (learned.poses[:, at : at + 3] @ body.hinges[leg]).min()
        assert angle == pytest.approx(min(least, body.tables[leg, 0, 0]), abs=1e-9)


def test_no_poses_or_joints_by_themselves_code_nothing(learned: StyleModel) -> None:
    recipe = style_recipe([walk(61)])
    found: Coding = coding_of(recipe, learned.poses[:0])
    assert len(found.at) == len(found.stems) == 0
