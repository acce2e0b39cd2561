"""The add-on in Blender's own process: its operators make exactly what the library makes, joint by joint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake.bridge.job_request import clip_of
from freshtake.bridge.messages import unpacked
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import by_name, write
from freshtake.motion import Clip
from freshtake.motion.body.rooting import as_filed
from freshtake.requests import Retarget, SamplesWrite, StyleApply, TextureSample, Vary
from freshtake.requests.blending import BlendSample
from freshtake.workflows import retarget, vary
from freshtake.workflows.density_blending import blend_sample
from freshtake.workflows.sampling import samples_write
from freshtake.workflows.style_translating import style_apply
from freshtake.workflows.texturing import texture_sample
from tests.clients.conftest import run_in_blender

pytestmark = pytest.mark.client

NEAR = 1e-4  # of the body
LONGEST = 0.05  # maximum seconds of CPU that may block the interface


@pytest.fixture(scope="session")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("takes")
    samples_write(SamplesWrite(names=["walk", "limp", "run"], out=folder, takes=3))
    return folder


@pytest.mark.parametrize("module", ["armature_laws", "work_laws"])
def test_checks(each_blender: Path, module: str, takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FRESHTAKE_TAKES", str(takes))
    run_in_blender(each_blender, "run.py", tmp_path / "out.json", module)
    results = json.loads((tmp_path / "out.json").read_text())["results"]
    assert results
    assert not [f"{name}\n{result['wrong']}" for name, result in results.items() if result["wrong"]]


class Told:
    """What Blender saw during the story."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with np.load(folder / "seen.npz") as file:
            self.seen: dict[str, Any] = dict(file)

    def about(self, key: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] = json.loads(str(self.seen[f"{key}/about"]))
        return found

    def given(self, key: str) -> Path:
        """A motion that was given to a job, as a file."""
        arrays = {name.removeprefix("given/"): array for name, array in self.seen.items() if name.startswith("given/")}
        (clip,) = unpacked(json.loads(str(self.seen[f"{key}/given"])), arrays, key)
        path = self.folder / f"{key}_given.npz"
        write(path, clip_of(clip))
        return path

    def compare(self, key: str, path: Path) -> None:
        """The joints of our file are where Blender has the heads of its bones."""
        clip = as_filed(by_name("npz").load().read(path, ReadOptions()))
        assert isinstance(clip, Clip)
        names = [str(name) for name in self.seen[f"{key}/names"]]
        joints = [clip.skeleton.names.index(name) for name in names]
        ours, theirs = clip.positions()[:, joints], self.seen[f"{key}/places"]
        assert ours.shape == theirs.shape
        size = float(np.ptp(ours[0], axis=0).max())
        assert np.abs(ours - theirs).max() < NEAR * size
        assert np.abs(np.diff(theirs, axis=0)).max() > 1e-3 * size, "nothing moves"


@pytest.fixture(scope="module")
def told(each_blender: Path, takes: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("story")
    run_in_blender(each_blender, "story.py", takes, folder)
    return Told(folder)


def test_variants_are_the_librarys(told: Told, tmp_path: Path) -> None:
    made = vary(Vary(model=told.folder / "variation.ftm", out=tmp_path, count=3, seed=11, format="npz"))
    for number, path in enumerate(made.paths, 1):
        told.compare(f"vary_{number}", path)
        assert told.about(f"vary_{number}")["number"] == number


def test_loop_is_the_librarys_and_ends_as_it_begins(told: Told, tmp_path: Path) -> None:
    model = told.folder / "variation.ftm"
    made = vary(Vary(model=model, out=tmp_path, count=1, seed=11, loop=True, closing_frame=True, format="npz"))
    told.compare("loop", made.paths[0])
    places = told.seen["loop/places"]
    shift = places[-1] - places[0]
    assert np.abs(shift - shift[0]).max() < 1e-3 * np.ptp(places[0], axis=0).max()


def test_style_is_the_librarys(told: Told, tmp_path: Path) -> None:
    target = tmp_path / "styled.npz"
    style_apply(StyleApply(paths=[told.folder / "style.ftm", told.given("style")], out=target))
    told.compare("style", target)


def test_blend_is_the_librarys(told: Told, tmp_path: Path) -> None:
    target = tmp_path / "blend.npz"
    weights = f"walk:{1 / 1.5!r},run:{0.5 / 1.5!r}"
    asked = BlendSample(model=told.folder / "density.ftm", out=target, seconds=2.0, weights=weights, seed=11)
    blend_sample(asked)
    told.compare("blend", target)


def test_endless_is_the_librarys(told: Told, tmp_path: Path) -> None:
    target = tmp_path / "endless.npz"
    texture_sample(TextureSample(model=told.folder / "texture.ftm", out=target, seconds=2.0, seed=11))
    told.compare("endless", target)


def test_another_armature_moves_as_the_library_retargets(told: Told, tmp_path: Path) -> None:
    made = retarget(
        Retarget(clips=[told.given("apply")], onto=told.given("target"), out=tmp_path / "out", format="npz")
    )
    rows = json.loads(str(told.seen["map"]))
    assert {name for name, source, target in rows if source and target} >= {"hips", "left_foot", "right_hand"}
    told.seen["apply/places"] = told.seen["apply/places"] - (1.0, 2.0, 0.0)  # where the object stands
    told.compare("apply", made.paths[0])


def test_the_saved_file_gives_the_same_bytes_in_another_process(told: Told, each_blender: Path, tmp_path: Path) -> None:
    run_in_blender(each_blender, "reopened.py", told.folder, tmp_path / "keys.json")
    old, again, among_others = json.loads((tmp_path / "keys.json").read_text())
    assert old == again == among_others


def test_the_interface_is_never_kept_waiting(told: Told) -> None:
    longest = json.loads(str(told.seen["longest"]))
    assert len(longest) == 8
    assert max(longest.values()) < LONGEST, longest
