"""Our figures equal those of the reference program that came with the data, and real takes get known scores."""

from __future__ import annotations

import importlib.util
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from freshtake.evaluation import Evaluation, evaluate
from freshtake.formats.registry import read
from tests.conftest import DATA

YARDSTICK = DATA.parent / "tools" / "motion_metrics.py"
SAME = {
    "copied": "copy_1e6", "nearest": "nn_pose", "jerk": "jerk_ratio", "planted_speed": "skate_planted",
    "planted_lost": "planted_lost", "tempo_share": "tempo_share", "tempo_off": "tempo_abslog",
}  # fmt: skip


@pytest.fixture(scope="module")
def yardstick() -> ModuleType:
    if not YARDSTICK.is_file():
        pytest.skip("the yardstick is absent: it lies in tools/ beside the folder of real motion data")
    spec = importlib.util.spec_from_file_location("motion_metrics", YARDSTICK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(module)
    return module


def files(folder: str) -> tuple[list[str], list[str]]:
    inputs = sorted(str(path) for path in (DATA / folder).glob(f"{folder}_*.bvh"))
    return inputs, sorted(str(path) for path in (DATA / folder).glob("extra_*.bvh"))


@cache
def scored(folder: str) -> Evaluation:
    inputs, outputs = files(folder)
    return evaluate([read(p) for p in inputs], [read(p) for p in outputs], rng=np.random.default_rng(0))


@pytest.mark.parametrize("folder", ["walk", "jump"])
def test_figures_equal_the_yardstick(yardstick: ModuleType, folder: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = yardstick.evaluate(*files(folder), draws=1)
    ours = scored(folder)
    for key, name in SAME.items():
        if np.isfinite(theirs[name]):  # theirs is infinite for clips that no input can be aligned to
            assert np.isclose(ours.value(key), theirs[name], rtol=1e-7, atol=1e-12), key
    assert np.isclose(100 * ours.value("coverage"), theirs["coverage"])
    assert np.isclose(100 * ours.value("set_coverage"), theirs["set_coverage"])
    speed = ours.figure("planted_speed")
    assert speed is not None
    assert np.isclose(speed.inputs or 0.0, theirs["skate_planted_in"])


@pytest.mark.parametrize(
    ("folder", "nearest", "planted"), [("walk", (0.78, 0.93), (5.0, 10.0)), ("jump", (1.8, 3.4), (6.5, 41.0))]
)
def test_real_takes_score_what_is_known(
    data: Path, folder: str, nearest: tuple[float, float], planted: tuple[float, float]
) -> None:
    result = scored(folder)
    for key, (low, high) in (("nearest", nearest), ("planted_speed", planted)):
        figure = result.figure(key)
        assert figure is not None
        assert all(low <= value <= high for value in figure.each), key
