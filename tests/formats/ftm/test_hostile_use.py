"""Models from forged files with valid checksums: using them is refused, or works, and never costs much."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import FormatError, FreshtakeError, UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import take_frames
from freshtake.texture.loop_making import loop_rows
from tests.formats.ftm.opened import Opened, changed, places, put

MODELS = ("texture", "mesh", "density", "style")
TRIES = 40  # of each; `make fuzz` loads many more
SECONDS = 30.0  # of processor time for one use, which takes 0.1; compiled before


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    walks, limps = ([ft.samples.walk(rng(k), cycles=3, style=s) for k in range(2)] for s in ("normal", "limp"))
    models: dict[str, Any] = {
        "texture": ft.texture.learn(ft.samples.walk(rng(), cycles=5)),
        "mesh": ft.texture.learn(ft.samples.flag(rng(), frames=60)),
        "density": ft.density.learn({"walk": walks[:1], "run": [ft.samples.run(rng(), cycles=3)]}),
        "style": ft.style.learn(list(zip(walks, limps, strict=True))),
    }
    folder = tmp_path_factory.mktemp("models")
    for name, model in models.items():
        ft.save(folder / f"{name}.ftm", model)
        use(folder / f"{name}.ftm")
    return {name: folder / f"{name}.ftm" for name in models}


def use(path: Path) -> Iterator[Any]:
    """What a model makes when used as commands use it."""
    model: Any = ft.load(path)
    if path.stem.startswith("style"):
        return iter([model.translate(ft.samples.walk(rng(5), cycles=1))])
    if path.stem.startswith("density"):
        first = {model.classes[0]: 1.0}
        return iter([model.sample(rng(), frames=60, weights=first), next(model.stream(rng(), weights=first))])
    return iter([model.sample(rng(), frames=60), model.loop(rng(), frames=45), next(model.stream(rng(), decode=True))])


def size_of(made: Any) -> float:
    return float(np.abs(made.root).max()) if isinstance(made, Clip) else 0.0


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.filterwarnings("ignore")  # of numpy, as on the command line: results are checked
def test_made_up_models_are_refused_or_work(learned: dict[str, Path], kind: str, tmp_path: Path) -> None:
    opened, refused = Opened(learned[kind]), 0
    for number in range(TRIES):
        path = changed(opened, random.Random(f"{kind} {number}")).write(tmp_path / f"{kind}_{number}.ftm")
        began = time.process_time()
        try:
            assert all(size_of(made) < 1e9 for made in use(path)), number
        except FreshtakeError:
            refused += 1
        assert time.process_time() - began < SECONDS, number
    assert 0 < refused < TRIES


def alter(opened: Opened, change: Callable[[Opened], Any], path: Path) -> Path:
    out = copy.copy(opened)
    out.header, out.arrays = copy.deepcopy(opened.header), dict(opened.arrays)
    change(out)
    return out.write(path)


def frame_times(opened: Opened, seconds: float) -> None:
    for where in places(opened.header):
        if where[-1] == "frame_time":
            opened.header = put(opened.header, where, seconds)


@pytest.mark.parametrize("seconds", [1e-8, 1e-6, 1e4])
def test_frames_are_as_long_as_frames_can_be(learned: dict[str, Path], seconds: float, tmp_path: Path) -> None:
    path = alter(Opened(learned["density"]), lambda out: frame_times(out, seconds), tmp_path / "density.ftm")
    with pytest.raises(FormatError, match="'frame_time': a time between"):
        ft.load(path)


def test_a_model_that_could_not_be_read_is_not_written(learned: dict[str, Path], tmp_path: Path) -> None:
    model = replace(ft.load_texture(learned["texture"]), frame_time=5e-6)
    with pytest.raises(FormatError, match="'frame_time': a time between"):
        ft.save(tmp_path / "quick.ftm", model)
    assert not list(tmp_path.iterdir())


def test_a_fade_is_no_longer_than_the_takes(learned: dict[str, Path], tmp_path: Path) -> None:
    def long(out: Opened) -> None:
        out.header["settings"]["blend_frames"] = 100_000

    model: Any = ft.load(alter(Opened(learned["texture"]), long, tmp_path / "texture.ftm"))
    assert model.fade == len(model.rows) and model.rules.length == len(model.rows)
    quick = alter(Opened(learned["texture"]), lambda out: frame_times(out, 1e-5), tmp_path / "quick.ftm")
    hold = ft.load(quick)
    assert isinstance(hold, type(model)) and hold.rules.hold == len(hold.rows)


def test_a_loop_without_jumps_is_refused(learned: dict[str, Path], tmp_path: Path) -> None:
    def dear(out: Opened) -> None:
        out.arrays["jumps_costs"] = np.full_like(out.arrays["jumps_costs"], 1e12)

    model: Any = ft.load(alter(Opened(learned["texture"]), dear, tmp_path / "texture.ftm"))
    with pytest.raises(UsageError, match="there is no loop of exactly 50 frames"):
        model.loop(rng(), frames=50)


@pytest.mark.parametrize(
    "kind, array", [("texture", "rows"), ("density", "rates"), ("style", "target_deviation"), ("style", "system_D")]
)
@pytest.mark.filterwarnings("ignore")
def test_a_body_that_is_flung_about_is_refused(learned: dict[str, Path], kind: str, array: str, tmp_path: Path) -> None:
    def large(out: Opened) -> None:
        out.arrays[array] = 1e12 * out.arrays[array].astype(np.float64)

    path = alter(Opened(learned[kind]), large, tmp_path / f"{kind}.ftm")
    with pytest.raises(UsageError, match="flings the body about"):
        list(use(path))


@pytest.mark.parametrize("kind, array", [("mesh", "rows"), ("points", "mean"), ("plain", "mean")])
@pytest.mark.filterwarnings("ignore")
def test_numbers_that_no_recording_has_are_refused(kind: str, array: str, tmp_path: Path) -> None:
    """Meshes, markers and plain rows have no bones to compare with."""
    circle = np.stack([np.sin(np.arange(90) / 5.0 + k) for k in range(6)], axis=1)
    markers = [ft.PointClip(("a", "b"), circle.reshape(-1, 2, 3), 1 / 30)]
    models: dict[str, Callable[[], Any]] = {
        "mesh": lambda: ft.texture.learn(ft.samples.flag(rng(), frames=60)),
        "points": lambda: ft.density.learn({"a": markers, "b": markers}),
        "plain": lambda: ft.density.learn({"a": [circle], "b": [1.5 * circle]}, frame_time=1 / 30),
    }
    ft.save(tmp_path / "good.ftm", models[kind]())

    def large(out: Opened) -> None:
        out.arrays[array] = 1e12 * (out.arrays[array].astype(np.float64) + 1.0)

    model: Any = ft.load(alter(Opened(tmp_path / "good.ftm"), large, tmp_path / "large.ftm"))
    with pytest.raises(UsageError, match="numbers that no recording has"):
        model.sample(rng(), frames=30)


def test_looking_a_day_ahead_costs_no_more_than_the_frames_there_are(tmp_path: Path) -> None:
    """A look-ahead of 100,000 s once needed 5.7 GB."""
    walk = ft.samples.walk(rng(), cycles=2)
    half = len(walk) // 2
    ft.save(tmp_path / "good.ftm", ft.texture.learn({"a": take_frames(walk, 0, half), "b": take_frames(walk, half)}))

    def far(out: Opened) -> None:
        out.header["settings"]["lookahead"] = 1e6

    model: Any = ft.load(alter(Opened(tmp_path / "good.ftm"), far, tmp_path / "far.ftm"))
    assert model.cell_of(model.steer(model.start(rng(), cell="a"), "b")) in model.cells


def test_a_loop_among_jumps_without_size(learned: dict[str, Path], tmp_path: Path) -> None:
    def small(out: Opened) -> None:
        out.header["limits"] = [0.0]

    model: Any = ft.load(alter(Opened(learned["texture"]), small, tmp_path / "texture.ftm"))
    try:
        loop_rows(model, rng(), 40)
    except UsageError as error:
        assert "loop" in str(error)
