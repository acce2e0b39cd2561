"""Many clips under their own names: one file if the format holds several, else one for each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats import gltf, usd
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import write_clips
from tests.formats.characters import skinned
from tests.formats.fbx.slow_reader import Scene
from tests.formats.made_clips import made_clip, usual_layout

CLIPS = {name: made_clip(usual_layout(), seed=k).changed(unit_m=0.05) for k, name in enumerate(["idle", "walk 1"])}


def test_one_file_holds_all_clips(tmp_path: Path) -> None:
    assert write_clips(tmp_path / "x.glb", CLIPS) == [tmp_path / "x.glb"]
    assert [clip.name for clip in gltf.read_animations(tmp_path / "x.glb", ReadOptions())] == list(CLIPS)
    assert write_clips(tmp_path / "x.fbx", CLIPS) == [tmp_path / "x.fbx"]
    assert list(Scene(tmp_path / "x.fbx").takes) == list(CLIPS)
    pytest.importorskip("pxr")
    assert write_clips(tmp_path / "x.usda", CLIPS) == [tmp_path / "x.usda"]
    assert [clip.name for clip in usd.read_animations(tmp_path / "x.usda")] == list(CLIPS)


def test_bvh_is_a_file_for_each(tmp_path: Path) -> None:
    files = write_clips(tmp_path / "pack.bvh", CLIPS)
    assert files == [tmp_path / "pack" / "idle.bvh", tmp_path / "pack" / "walk 1.bvh"]
    for file, clip in zip(files, CLIPS.values(), strict=True):
        found = ft.read(file)
        assert isinstance(found, ft.Clip)
        np.testing.assert_allclose(found.positions(), clip.positions(), atol=1e-6)


def test_clips_go_onto_a_character(tmp_path: Path) -> None:
    source = skinned().save(tmp_path / "hero.glb")
    clip = ft.read(source)
    assert isinstance(clip, ft.Clip)
    write_clips(tmp_path / "x.fbx", {"a": clip, "b": clip}, character=source)
    write_clips(tmp_path / "x.glb", {"a": clip, "b": clip}, character=source)
    assert list(Scene(tmp_path / "x.fbx").takes) == ["a", "b"]
    with pytest.raises(ft.UsageError, match="glTF, FBX or USD"):
        write_clips(tmp_path / "x.bvh", {"a": clip}, character=source)


def test_file_names_are_safe_and_differ(tmp_path: Path) -> None:
    clip = CLIPS["idle"]
    assert write_clips(tmp_path / "x.bvh", {"../up": clip}) == [tmp_path / "x" / "_up.bvh"]
    with pytest.raises(ft.UsageError, match="same file name"):
        write_clips(tmp_path / "y.bvh", {"a/b": clip, "a?b": clip})
    with pytest.raises(ft.UsageError, match="no clip"):
        write_clips(tmp_path / "y.bvh", {})
