"""Clips with another frame rate or skeleton are translated, and converted back to theirs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.edit import resample
from freshtake.motion.retarget import Retargeter, make_rig
from freshtake.requests import StyleApply
from freshtake.workflows import style_apply
from tests.motion.retarget.rigs import sample_rig
from tests.style.pairs_of_clips import model, walk


@pytest.fixture(scope="module")
def crouch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("style") / "crouch.ftm"
    ft.save(path, model(style="crouch"))
    return path


def hip_height(clip: ft.Clip) -> float:
    return float(clip.root[:, 1].mean() / leg_length(clip.skeleton))


def test_a_clip_of_another_rate_is_translated_at_the_models_and_comes_back_at_its_own(
    crouch: Path, tmp_path: Path
) -> None:
    ft.write(tmp_path / "slow.bvh", resample(walk(90), 30.0))
    notes: list[str] = []
    style_apply(StyleApply(paths=[crouch, tmp_path / "slow.bvh"], out=tmp_path / "out.bvh"), warn=notes.append)
    made, usual = ft.read_clip(tmp_path / "out.bvh"), model(style="crouch").translate(walk(90))
    assert made.fps == pytest.approx(30.0)
    assert len(made) / 30.0 == pytest.approx(len(usual) / usual.fps, rel=0.03)
    assert hip_height(made) == pytest.approx(hip_height(usual), abs=0.02)
    assert "30 fps and the model 60" in notes[0]


def test_a_clip_of_another_skeleton_keeps_its_own_joints(crouch: Path, tmp_path: Path) -> None:
    rig = sample_rig("mixamo")
    taken = Retargeter(make_rig(walk(90)), rig).retarget(walk(90))
    ft.write(tmp_path / "other.bvh", taken)
    notes: list[str] = []
    style_apply(StyleApply(paths=[crouch, tmp_path / "other.bvh"], out=tmp_path / "out.bvh"), warn=notes.append)
    made = ft.read_clip(tmp_path / "out.bvh")
    assert made.skeleton.names == ft.read_clip(tmp_path / "other.bvh").skeleton.names
    assert hip_height(made) < hip_height(taken) - 0.05
    assert any("is retargeted to the skeleton of the model" in note for note in notes)


def test_a_skeleton_that_is_no_persons_is_refused(crouch: Path, tmp_path: Path) -> None:
    rope = (
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    )
    rope += "JOINT b\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n"
    rows = "\n".join(" ".join(f"{v:.3f}" for v in np.sin(0.1 * k + np.arange(9))) for k in range(40))
    (tmp_path / "rope.bvh").write_text(f"{rope}MOTION\nFrames: 40\nFrame Time: 0.0166667\n{rows}\n")
    with pytest.raises(UsageError, match="rope"):
        style_apply(StyleApply(paths=[crouch, tmp_path / "rope.bvh"], out=tmp_path / "out.bvh"))
    assert not (tmp_path / "out.bvh").exists()
