"""Model files: loaded models equal saved ones, bit for bit; what cannot be a model is refused with a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freshtake as ft
from freshtake.formats.archive import write_archive
from freshtake.formats.ftm import is_model, read_stored
from freshtake.motion.features import Recipe
from freshtake.variation import Settings, VariationModel, learn
from tests.formats.ftm.opened import Opened, places, put

QUICK = Settings()


def series(count: int = 3) -> list[np.ndarray[Any, Any]]:
    """Plain arrays: three waves with different phases and sizes."""
    rng = np.random.default_rng(5)
    time = np.linspace(0.0, 2.0 * np.pi, 30)
    waves = [np.stack([np.sin(time), np.cos(time), np.sin(2.0 * time)], axis=1) for _ in range(count)]
    return [wave * rng.uniform(0.8, 1.2, 3) + rng.uniform(-0.1, 0.1, 3) for wave in waves]


@pytest.fixture(scope="module")
def plain() -> VariationModel:
    return learn(series(), QUICK, rng=np.random.default_rng(0), names=["a", "b", "ç"], frame_time=0.02, cyclic=True)


@pytest.fixture(scope="module")
def letters() -> VariationModel:
    takes = [ft.samples.letter_a(np.random.default_rng(k)) for k in range(4)]
    return learn(takes, QUICK)


@pytest.fixture(scope="module")
def written() -> VariationModel:
    takes = [ft.samples.letter_a(np.random.default_rng(k)) for k in range(4)]
    return learn(takes[:1], Settings(prior=1.5))


@pytest.fixture(scope="module")
def walk() -> VariationModel:
    takes = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(4)]
    return learn(takes, QUICK, rng=np.random.default_rng(0))


@pytest.fixture(params=["plain", "letters", "written", "walk", "one walk"])
def model(request: pytest.FixtureRequest) -> VariationModel:
    if request.param == "one walk":
        single = ft.samples.walk(np.random.default_rng(9), cycles=1)
        known: VariationModel = request.getfixturevalue("walk")
        return known.with_examples([single])
    found: VariationModel = request.getfixturevalue(request.param)
    return found


def same(a: Any, b: Any) -> bool:
    """Equal in every field and every bit."""
    if isinstance(a, Recipe):
        a, b = tuple(a.to_parts()), tuple(b.to_parts())
    if is_dataclass(a) and not isinstance(a, type):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def test_every_field_comes_back(model: VariationModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "m.ftm", model, sources=["one.bvh", "zwei ü.bvh"])
    stored = read_stored(tmp_path / "m.ftm")
    assert same(stored.model, model)
    assert stored.sources == ("one.bvh", "zwei ü.bvh")
    assert (stored.method, stored.written_by) == ("variation", ft.__version__)


def test_a_loaded_model_synthesizes_the_same_motion_bit_for_bit(model: VariationModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "m.ftm", model)
    loaded = ft.load(tmp_path / "m.ftm")
    for amount in (0.0, 1.0):
        a, b = (m.sample(np.random.default_rng(3), amount=amount) for m in (model, loaded))
        assert same(a, b)
    rows = [m.rows(np.random.default_rng(4), frames=200) for m in (model, loaded)]
    assert same(*rows)


def test_numbers_that_float32_cannot_hold_are_kept(plain: VariationModel, tmp_path: Path) -> None:
    from dataclasses import replace

    exact = replace(plain, sizes=plain.sizes + 1e-12)
    ft.save(tmp_path / "m.ftm", exact)
    assert same(ft.load(tmp_path / "m.ftm"), exact)


def test_equal_models_give_equal_bytes(letters: VariationModel, tmp_path: Path) -> None:
    first, second = tmp_path / "1.ftm", tmp_path / "2.ftm"
    ft.save(first, letters)
    ft.save(second, ft.load(first))
    assert first.read_bytes() == second.read_bytes()


def test_a_model_is_hardly_larger_than_its_examples(walk: VariationModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "m.ftm", walk)
    inputs = sum(4 * rows.size for rows in walk.material.values)
    assert (tmp_path / "m.ftm").stat().st_size <= 1.2 * inputs + 16_000


def test_loading_does_not_import_the_learner(plain: VariationModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "m.ftm", plain)
    program = (
        "import sys, numpy as np, freshtake as ft; ft.load(sys.argv[1]).rows(np.random.default_rng(0), frames=9); "
        "learners = ('learning', 'selecting'); "
        "print(*[m for m in sys.modules if m.split('.')[-1] in learners])"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "m.ftm")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# --- files that are damaged or forged --------------------------------------------------------------------------------


@pytest.fixture
def opened(letters: VariationModel, tmp_path: Path) -> Opened:
    ft.save(tmp_path / "good.ftm", letters)
    return Opened(tmp_path / "good.ftm")


@pytest.fixture
def opened_default(written: VariationModel, tmp_path: Path) -> Opened:
    ft.save(tmp_path / "good.ftm", written)
    return Opened(tmp_path / "good.ftm")


@pytest.fixture
def opened_walk(walk: VariationModel, tmp_path: Path) -> Opened:
    ft.save(tmp_path / "good.ftm", walk)
    return Opened(tmp_path / "good.ftm")


def refused(path: Path) -> str:
    """The sentence with which a file is refused, or nothing if it is a working model."""
    try:
        model = ft.load(path)
    except ft.FormatError as error:
        assert str(path) in str(error)
        return str(error)
    model.rows(np.random.default_rng(0), frames=5)
    return ""


@pytest.mark.parametrize("name", ["opened", "opened_default"])
def test_every_field_of_the_header_is_checked(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    opened: Opened = request.getfixturevalue(name)
    good = opened.header
    wrong = [None, True, -1, 0, 10**30, 1e308, "x", "\ud800", [], {}, [[]], [None], [-1], {"x": 1}]
    told = 0
    for path in places(good):
        for value in wrong:
            opened.header = put(good, path, value)
            sentence = refused(opened.write(tmp_path / "bad.ftm"))
            named = next(key for key in reversed(path) if isinstance(key, str))
            told += named in sentence
    assert told > 200  # most say the field's own name; those of a recipe may speak of what does not fit together


def test_every_field_of_a_skeleton_is_checked(opened_walk: Opened, tmp_path: Path) -> None:
    good = opened_walk.header
    for path in places(good["recipe"], ("recipe",)):
        for value in (None, True, -1, 10**30, "x", [], {}, [None]):
            opened_walk.header = put(good, path, value)
            refused(opened_walk.write(tmp_path / "bad.ftm"))


@pytest.mark.parametrize("name", ["opened", "opened_default"])
def test_a_missing_field_is_named(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    opened: Opened = request.getfixturevalue(name)
    good = opened.header
    for path in places(good):
        if isinstance(path[-1], int) or (path[0] == "settings" and len(path) > 1):  # settings have defaults
            continue
        opened.header = put(good, path, put)
        assert repr(path[-1])[1:-1] in refused(opened.write(tmp_path / "bad.ftm"))


@pytest.mark.parametrize("name", ["opened", "opened_walk"])
def test_every_array_is_checked(name: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    opened: Opened = request.getfixturevalue(name)
    good = dict(opened.arrays)
    for key, array in good.items():
        for bad in (array[:-1], array[None], array.astype("U8"), np.full(array.shape, np.nan), np.zeros(0)):
            opened.arrays = {**good, key: bad}
            sentence = refused(opened.write(tmp_path / "bad.ftm"))
            assert sentence or array.dtype == np.bool_, (key, bad.shape)
        opened.arrays = {name: value for name, value in good.items() if name != key}
        assert key.removeprefix("recipe_").removeprefix("layout_") in refused(opened.write(tmp_path / "bad.ftm"))


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("format", "another format", "not a freshtake model"),
        ("version", 2, "update"),
        ("method", "magic", "variation"),
        ("names", ["x", "x"], "different names"),
        ("frame_time", 0.5, "recipe"),
        ("lengths", [1, 2, 3], "from 4"),
    ],
)
def test_what_does_not_fit_together(opened: Opened, tmp_path: Path, field: str, value: Any, says: str) -> None:
    opened.header[field] = value
    assert says in refused(opened.write(tmp_path / "bad.ftm"))


def test_damaged_phases_and_sizes_are_refused_in_one_sentence(opened: Opened, tmp_path: Path) -> None:
    """Frames that go back, more phases than the takes have, negative or huge sizes: never a model that runs away."""
    arrays = dict(opened.arrays)

    def said(**changed: Any) -> str:
        opened.arrays = {**arrays, **changed}
        sentence = refused(opened.write(tmp_path / "bad.ftm"))
        assert "\n" not in sentence
        return sentence

    frames, sizes = arrays["phase_frames"], arrays["sizes"]
    assert said() == ""
    assert "phase_frames" in said(phase_frames=frames[::-1].copy())
    assert "phase_frames" in said(phase_frames=np.repeat(frames, 2, axis=0))
    assert "phase_frames" in said(phase_frames=1000.0 * frames)
    assert "phase_frames" in said(phase_frames=0.5 * frames)
    assert "sizes" in said(sizes=-sizes - 1.0)
    assert "sizes" in said(sizes=1e15 + sizes)
    assert "sizes" in said(sizes=np.repeat(sizes, 3, axis=0))
    assert "starts" in said(starts=1e12 + arrays["starts"])


def test_a_model_whose_root_was_carried_by_its_feet_is_refused(opened_walk: Opened, tmp_path: Path) -> None:
    opened_walk.header["recipe"]["layout"]["root"] = "support"
    assert "'root' of a stored recipe is 'support', not one of absolute, heading" in refused(
        opened_walk.write(tmp_path / "bad.ftm")
    )


def test_a_model_that_asks_for_more_than_it_brings(opened: Opened, tmp_path: Path) -> None:
    opened.header["names"] = [f"x{k}" for k in range(100_000)]
    assert "2048" in refused(opened.write(tmp_path / "bad.ftm"))
    opened.header["settings"]["future"] = 1
    assert "future" in refused(opened.write(tmp_path / "bad.ftm"))


def test_an_example_that_is_too_short_is_refused(opened: Opened, tmp_path: Path) -> None:
    first, *others, last = opened.header["lengths"]
    opened.header["lengths"] = [3, *others, last + first - 3]
    assert "whole numbers from 4" in refused(opened.write(tmp_path / "bad.ftm"))


def test_a_changed_array_is_noticed(opened: Opened, tmp_path: Path) -> None:
    examples = opened.arrays["examples"].copy()
    examples[0, 0] += 1.0
    write_archive(
        tmp_path / "bad.ftm", {**opened.arrays, "examples": examples}, {"header.json": json.dumps(opened.header)}
    )
    assert "'sha256.examples'" in refused(tmp_path / "bad.ftm")


def test_flipped_and_cut_bytes_never_end_in_anything_else(letters: VariationModel, tmp_path: Path) -> None:
    ft.save(tmp_path / "good.ftm", letters)
    good = (tmp_path / "good.ftm").read_bytes()
    rng = np.random.default_rng(0)
    bad = tmp_path / "bad.ftm"
    for round_ in range(150):
        data = bytearray(good)
        if round_ % 3:
            for place in rng.integers(0, len(data), rng.integers(1, 6)):
                data[place] = rng.integers(0, 256)
        else:
            del data[int(rng.integers(0, len(data))) :]
        bad.write_bytes(bytes(data))
        refused(bad)


@pytest.mark.parametrize("text", ["", "[]", "{", "NaN", '{"format": NaN}', "[" * 100_000, "1" * 5000, '{"format": 1}'])
def test_headers_that_are_none(text: str, tmp_path: Path) -> None:
    write_archive(tmp_path / "bad.ftm", {}, {"header.json": text})
    assert "header" in refused(tmp_path / "bad.ftm")


def test_other_files_are_no_models_and_models_no_motions(letters: VariationModel, tmp_path: Path) -> None:
    stroke = ft.samples.letter_a(np.random.default_rng(0))
    ft.write(tmp_path / "stroke.npz", stroke)
    (tmp_path / "stroke.npz").rename(tmp_path / "stroke.ftm")
    assert "not a freshtake model" in refused(tmp_path / "stroke.ftm")
    ft.save(tmp_path / "m.ftm", letters)
    (tmp_path / "m.ftm").rename(tmp_path / "m.npz")
    assert is_model(tmp_path / "m.npz")
    with pytest.raises(ft.FormatError, match="learned model"):
        ft.read(tmp_path / "m.npz")
    with pytest.raises(ft.FormatError, match=r"no such file"):
        ft.load(tmp_path / "absent.ftm")


def test_saving_names_what_is_wrong(letters: VariationModel, tmp_path: Path) -> None:
    with pytest.raises(ft.FormatError, match=r"\.ftm"):
        ft.save(tmp_path / "model.zip", letters)
    with pytest.raises(ft.UsageError, match="Stroke"):
        ft.save(tmp_path / "m.ftm", ft.samples.letter_a(np.random.default_rng(0)))
    assert list(tmp_path.iterdir()) == []


def test_where_feet_stand_is_read_and_not_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = [ft.samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(3)]
    model = learn(walks, cyclic=True)
    ft.save(tmp_path / "walk.ftm", model)
    found = model.footing.stands

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("contacts were found again")

    monkeypatch.setattr("freshtake.motion.planting.planting_model.joint_contacts", fail)
    loaded = ft.load_variation(tmp_path / "walk.ftm")
    assert np.array_equal(loaded.footing.stands, found)
    assert np.array_equal(loaded.standing_share, model.standing_share)
