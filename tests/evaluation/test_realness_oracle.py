"""Our figures of how real variants look equal those of the reference program for the data, before rounding."""

from __future__ import annotations

import importlib.util
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from benchmarks.telling_apart import PARTS, mean_auc, tell_sets_apart

import freshtake as ft
from freshtake.evaluation.comparable import Material, unpacked
from freshtake.evaluation.dofs import body_joints
from freshtake.evaluation.realness import realness_figures
from freshtake.motion import Clip
from tests.conftest import DATA
from tests.evaluation.stepping import jittered

YARDSTICK = DATA.parent / "tools" / "realness.py"
pytestmark = [  # it does not close its files
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SETS = {"walk": "walk", "jump": "jump", "throw141": "validation/throw141"}
SAME = {
    "hip_jerk": "hip jerk", "foot_path": "foot path", "travel": "travel", "peak": "peak", "depth": "below",
    "static": "static",
}  # fmt: skip


@pytest.fixture(scope="module")
def yardstick() -> Iterator[ModuleType]:
    if not YARDSTICK.is_file():
        pytest.skip("the yardstick is absent: it lies in tools/ beside the folder of real motion data")
    spec = importlib.util.spec_from_file_location("realness", YARDSTICK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    with warnings.catch_warnings():
        spec.loader.exec_module(module)
    module.__dict__["round"] = lambda value, digits: value
    yield module
    sys.path[:] = before
    sys.modules.pop("motion_metrics", None)


@pytest.fixture(scope="module")
def folders(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[Path]]]:
    """Inputs, unseen takes and variants, as files; the variants are takes that shake, sink and rotate their arms."""
    out = {}
    for name, folder in SETS.items():
        kind = name.rstrip("0123456789")
        real = [sorted((data / folder).glob(f"{prefix}_*.bvh")) for prefix in (kind, "extra")]
        target = tmp_path_factory.mktemp(name)
        for number in range(6):
            clip = ft.read(real[0][number % len(real[0])])
            assert isinstance(clip, Clip)
            ft.write(target / f"variant_{number}.bvh", varied(clip, np.random.default_rng(number)))
        out[name] = [*real, sorted(target.glob("*.bvh"))]
    return out


def varied(clip: Clip, rng: np.random.Generator) -> Clip:
    shaken = jittered(clip, rng, 0.002 * rng.uniform(1, 5))
    return shaken.changed(root=clip.root + rng.normal(0, 0.02, clip.root.shape) - [0, 0.3 * rng.uniform(), 0])


@pytest.fixture(scope="module")
def theirs(
    yardstick: ModuleType, folders: dict[str, list[list[Path]]], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    target = tmp_path_factory.mktemp("theirs") / "figures.json"
    words: list[str] = ["--json", str(target)]
    for name, (inputs, further, variants) in folders.items():
        patterns = [f"{p[0].parent}/{p[0].name.rpartition('_')[0]}_*.bvh" if p else "" for p in (inputs, further)]
        words += [name, *patterns, str(variants[0].parent)]
    yardstick.main(words)
    found: dict[str, Any] = json.loads(target.read_text())
    return found


@pytest.fixture(scope="module")
def materials(folders: dict[str, list[list[Path]]]) -> dict[str, Material]:
    sets = {name: [[ft.read(path) for path in paths] for paths in found] for name, found in folders.items()}
    return {name: unpacked(inputs, variants, further) for name, (inputs, further, variants) in sets.items()}


def close(ours: float, expected: float) -> bool:
    return bool(np.isclose(ours, expected, rtol=1e-6, atol=1e-6))


@pytest.mark.parametrize("name", SETS)
def test_figures_of_one_set(theirs: dict[str, Any], materials: dict[str, Material], name: str) -> None:
    ours, expected = realness_figures(materials[name], np.random.default_rng(0)), theirs[name]
    for key, label in SAME.items():
        assert (key in ours) == (label in expected), key
        if key not in ours:
            continue
        value, (low, high) = expected[label]
        assert close(ours[key].value, value), key
        assert close(min(ours[key].real), low), key
        assert close(max(ours[key].real), high), key
    for key in ("energy", "variogram"):
        assert (key in ours) == (key in expected), key
        assert key not in ours or close(ours[key].value, expected[key]), key
    for column, key in enumerate(("swing_hands", "swing_feet")):
        swings = {kind: values[column] for kind, values in expected["swing hands, feet"].items()}
        assert close(ours[key].value, swings["variants"]), key
        assert close(ours[key].inputs or 0.0, swings["inputs"]), key
        assert close(ours[key].extra[0], swings["all real"]), key


def test_sets_told_apart(theirs: dict[str, Any], materials: dict[str, Material]) -> None:
    told = tell_sets_apart(materials)
    for name, one in told.items():
        for found, label in ((one.auc, "AUC"), (one.control, "AUC control")):
            assert set(found) == set(theirs[name].get(label, {})), name
            assert all(close(value, theirs[name][label][part]) for part, value in found.items()), name
    assert all(close(value, theirs["mean AUC"][part]) for part, value in mean_auc(told).items())
    assert set(theirs["mean AUC"]) == set(PARTS)


def test_joints_are_the_yardstick_s(yardstick: ModuleType, folders: dict[str, list[list[Path]]]) -> None:
    path = folders["walk"][0][0]
    clip, take = ft.read(path), yardstick.Take(str(path))
    assert isinstance(clip, Clip)
    found = body_joints(clip.skeleton)
    assert found.hips == 0
    assert close(found.leg, take.leg)
    assert sorted(found.upper) == sorted(take.at(yardstick.UPPER))
    assert sorted(found.lower) == sorted(take.at(yardstick.LOWER))
    assert [clip.skeleton.names[j] for j in found.hands] == ["LeftHand", "RightHand"]
    assert [clip.skeleton.names[j] for j in found.ankles] == ["LeftFoot", "RightFoot"]
    assert [clip.skeleton.names[j] for j in found.toes] == ["LeftToeBase", "RightToeBase"]
