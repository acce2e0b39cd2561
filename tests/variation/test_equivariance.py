"""Variants of transformed takes are the transformed variants: any rig, rate, axis, unit and format that we write."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import freshtake as ft
from freshtake.motion import Clip
from freshtake.motion.body.roles import feet, leg_length
from freshtake.motion.edit import resample, scaled, with_up
from freshtake.numeric.arrays import Floats
from tests.motion.rigs import RIGS

# Rigs on which the body is the same: others have other joints, another posture or another rate.
SAME_BODY = (
    "static root", "mixamo", "rokoko", "root motion", "root motion, z up", "blender", "z up", "inches", "fingers",
)  # fmt: skip
# Where frames of joints are turned, the prior varies other axes: another draw of the same size. Fingers that nobody
# recorded change the draw by 0.1 % of a leg.
LOOSE = {"blender": 0.015, "fingers": 0.003}
FORMS = ("bvh", "glb", "gltf", "fbx", "npz", *(("usda", "usdc") if find_spec("pxr") else ()))
UNITS = {"cm": 1.0, "m": 0.01, "in": 1.0 / 2.54, "mm": 10.0}


@cache
def takes() -> tuple[Clip, ...]:
    return tuple(ft.samples.walk(np.random.default_rng(k), cycles=1.0) for k in range(3))


def variant(clips: list[Clip], planted: bool) -> Clip:
    model = ft.variation.learn(clips, rng=np.random.default_rng(0), cyclic=True)
    made = model.sample(np.random.default_rng(5), plant=planted)
    assert isinstance(made, Clip)
    return made


@cache
def plain(planted: bool, fps: float = 60.0) -> Clip:
    return variant([resample(take, fps) for take in takes()], planted)


def body_places(clip: Clip) -> Floats:
    """Joints of legs, arms and head in leg lengths, y up, whatever the names of the joints above them."""
    clip = with_up(clip, "y")
    endings = ("LeftFoot", "RightFoot", "LeftHand", "RightHand", "Head", "LeftLeg", "RightLeg")
    joints = [next(j for j, name in enumerate(clip.skeleton.names) if name.endswith(end)) for end in endings]
    return np.asarray(clip.positions()[:, joints] / leg_length(clip.skeleton))


@settings(max_examples=18, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rig=st.sampled_from(SAME_BODY),
    unit=st.sampled_from(sorted(UNITS)),
    up=st.sampled_from(["y", "z"]),
    form=st.sampled_from(FORMS),
    planted=st.booleans(),
)
def test_rig_axis_unit_and_format(
    rig: str, unit: str, up: str, form: str, planted: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("takes")
    names = [folder / f"{k}.{form}" for k in range(3)]
    for name, take in zip(names, takes(), strict=True):
        dressed = RIGS[rig](take)
        ft.write(name, scaled(dressed if rig == "blender" else with_up(dressed, up), UNITS[unit]))
    made = variant([ft.read_clip(name) for name in names], planted)
    ft.write(folder / f"out.{form}", made)
    back = ft.read_clip(folder / f"out.{form}")
    expected = body_places(plain(planted))
    assert len(back) == len(expected) and len(feet(back.skeleton)) == 2
    np.testing.assert_allclose(body_places(back), expected, atol=LOOSE.get(rig, 2e-4))


@pytest.mark.parametrize(
    ("fps", "form"),
    [(24.0, "bvh"), (25.0, "glb"), (29.97, "fbx"), (30.0, "npz"), (50.0, "bvh"), (59.94, "fbx"), (90.0, "glb"),
     (100.0, "npz"), (120.0, "fbx"), (240.0, "bvh")],
)  # fmt: skip
def test_rate(fps: float, form: str, tmp_path: Path) -> None:
    """The same draw lasts as long, and passes the same positions, within the precision of frames."""
    names = [tmp_path / f"{k}.{form}" for k in range(3)]
    for name, take in zip(names, takes(), strict=True):
        ft.write(name, resample(take, fps))
    made = variant([ft.read_clip(name) for name in names], False)
    expected = plain(False)
    assert abs(made.duration - expected.duration) < 2.5 / min(fps, 60.0)
    here, there = body_places(made), body_places(expected)
    at = np.linspace(0.0, 1.0, 20)
    rows = [places[np.round(at * (len(places) - 1)).astype(int)] for places in (here, there)]
    assert float(np.abs(rows[0] - rows[1]).mean()) < 0.01
