from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import freshtake as ft
from freshtake.density import learn
from freshtake.density.cleaning import bridge_single, cleaned, still
from freshtake.errors import FreshtakeError
from freshtake.motion.kinds import joint_points
from tests.density.made import FRAME_TIME, orbit, walk


def frozen_end(clip: ft.Clip, frames: int) -> ft.Clip:
    hold = np.r_[np.arange(len(clip)), np.full(frames, len(clip) - 1)]
    return clip.changed(root=clip.root[hold], rotations=clip.rotations[hold])


def test_frozen_frames_of_a_clip_are_found_and_cut() -> None:
    clip = frozen_end(walk(), 30)
    found = cleaned(clip, "walk")
    assert found.sound.sum() == len(walk())
    assert "30 of" in found.notes[0] and "frozen" in found.notes[0]
    model = learn({"walk": [clip]})
    assert sum(model.lengths[0]) <= len(walk())
    speeds = np.linalg.norm(np.diff(model.rows(np.random.default_rng(0), frames=600)[:, : model.modes], axis=0), axis=1)
    assert speeds.min() > 0.05 * np.median(speeds)


def markers() -> ft.PointClip:
    return joint_points(walk())


def test_gaps_of_markers_are_bridged_or_cut() -> None:
    clip = markers()
    positions = clip.positions.copy()
    positions[40:42, 3] = np.nan  # short
    positions[80:100, 5] = np.nan  # long
    positions[120:123, 2] = 0.0  # dropped to the origin
    found = cleaned(replace(clip, positions=positions), "walk")
    assert np.flatnonzero(~found.sound).tolist() == list(range(80, 100))
    assert not np.isnan(found.motion.positions[found.sound]).any()
    assert np.abs(found.motion.positions[40:42, 3] - clip.positions[40:42, 3]).max() < 2.0
    assert any("exactly zero" in note for note in found.notes)


def test_markers_that_are_never_seen_are_named() -> None:
    clip = markers()
    positions = clip.positions.copy()
    positions[:, 4] = np.nan
    with pytest.raises(FreshtakeError, match=f"never seen: {clip.names[4]}"):
        learn({"walk": [replace(clip, positions=positions)]})


def test_standing_still_is_cut_from_rows() -> None:
    moving = orbit(1, 5)
    rows = np.concatenate([moving, moving[-1] + 1e-4 * np.random.default_rng(0).normal(size=(40, 6))])
    assert still(rows, 1.0)[len(moving) + 2 :].all() and not still(rows, 1.0)[: len(moving)].any()
    model = learn({"a": [rows]}, frame_time=FRAME_TIME)
    assert any("stands still" in note for note in model.notes)
    assert np.linalg.norm(np.diff(model.rows(np.random.default_rng(0), frames=500)[:, :3], axis=0), axis=1).min() > 0.1


def test_a_single_repeated_frame_is_put_halfway() -> None:
    rows = np.arange(10.0)[:, None] * np.ones(2)
    rows[5] = rows[4]
    rates = np.ones((10, 1))
    rates[5], rates[6] = 0.0, 2.0
    values, moved = bridge_single(rows, rates)
    np.testing.assert_allclose(values[5], 5.0)
    np.testing.assert_allclose(moved, 1.0)
