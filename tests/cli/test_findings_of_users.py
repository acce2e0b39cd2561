"""Problems that users ran into, each as a test of the command they used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import FreshtakeError, UsageError
from freshtake.formats.files import Existing, choose_existing, replacing_folder
from freshtake.motion.verdict import AMBER, Remark
from freshtake.requests import Pack, Stream
from freshtake.workflows import pack, pack_clips

Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("findings")
    for name in ("walk", "jump"):
        for k in range(3):
            ft.write(place / f"{name}_{k}.bvh", getattr(ft.samples, name)(np.random.default_rng(k)))
        takes = [str(place / f"{name}_{k}.bvh") for k in range(3)]
        assert run(["learn", *takes, "-o", str(place / f"{name}.ftm"), "-q"]) == 0
    return place


def refused(capsys: Said, *words: object) -> str:
    assert run([str(word) for word in words]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    return said


@pytest.mark.parametrize("option", ["--keep", "--cycles"])
def test_structure_refuses_what_it_would_ignore(home: Path, tmp_path: Path, capsys: Said, option: str) -> None:
    words = ["learn", home / "walk_0.bvh", "-o", tmp_path / "m.ftm", "--structure", home / "walk.ftm", option]
    assert "--structure brings its own settings" in refused(capsys, *words)


def test_a_duration_that_no_pace_gives_is_refused_before_anything_is_written(
    home: Path, tmp_path: Path, capsys: Said
) -> None:
    said = refused(capsys, "vary", home / "jump.ftm", "-n", 1, "--seconds", 20, "-o", tmp_path / "jump.bvh")
    assert "do not repeat" in said and "not 20 s" in said
    assert not (tmp_path / "jump.bvh").exists()


def test_live_streams_are_checked_at_every_door() -> None:
    with pytest.raises(UsageError, match="--path is for files"):
        Stream(model=Path("m.ftm"), live="vmc://127.0.0.1:39539", path=Path("way.csv"))
    with pytest.raises(UsageError, match="--style is for files"):
        Stream(model=Path("m.ftm"), live="vmc://127.0.0.1:39539", style=Path("limp.ftm"))
    with pytest.raises(UsageError, match="belong to --live"):
        Stream(model=Path("m.ftm"), out=Path("a.bvh"), listen=39541)


def test_replacing_files_in_a_folder_is_all_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "b.bvh").mkdir()
    (tmp_path / "a.bvh").write_text("old")
    choose_existing(Existing.REPLACE)
    try:
        with pytest.raises(FreshtakeError, match=r"b\.bvh"), replacing_folder(tmp_path) as place:
            for name in ("a.bvh", "b.bvh", "c.bvh"):
                (place / name).write_text("new")
        assert (tmp_path / "a.bvh").read_text() == "old" and not (tmp_path / "c.bvh").exists()
        (tmp_path / "b.bvh").rmdir()
        with replacing_folder(tmp_path) as place:
            (place / "a.bvh").write_text("new")
        assert [path.name for path in tmp_path.iterdir()] == ["a.bvh"] and (tmp_path / "a.bvh").read_text() == "new"
    finally:
        choose_existing(Existing.REPLACE_FILES)


def test_one_input_is_not_judged_and_the_body_checks_count(home: Path, tmp_path: Path, capsys: Said) -> None:
    one, other = str(home / "walk_0.bvh"), str(home / "walk_1.bvh")
    assert run(["evaluate", "--inputs", one, "--outputs", other]) == 0
    assert "Not assessed: there are no real takes to compare with" in capsys.readouterr().out
    walk = ft.read_clip(home / "walk_1.bvh")
    root = walk.root.copy()
    root[20:, 1] -= 60.0  # half of the body below the floor
    ft.write(tmp_path / "sunk.bvh", walk.changed(root=root))
    assert run(["evaluate", "--inputs", one, "--outputs", str(tmp_path / "sunk.bvh")]) == 0
    assert "1 of 1 variants fail the body checks" in capsys.readouterr().out


def test_a_clip_with_remarks_is_drawn_again(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = Pack(models=[str(home / "walk.ftm")], out=tmp_path / "a", count=1, format=["npz"], preview=False)
    first = pack(request).facts["clips"][0]
    assess = pack_clips.assess
    calls = 0

    def strict(*given: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        verdict = assess(*given, **options)  # type: ignore[arg-type]
        remark = Remark("test", AMBER, "something is amiss", None, "draw again")
        return verdict._replace(remarks=(remark,)) if calls == 1 else verdict

    monkeypatch.setattr(pack_clips, "assess", strict)
    made = pack(Pack(models=request.models, out=tmp_path / "b", count=1, format=["npz"], preview=False))
    assert made.verdicts[0].color == "green" and calls == 2
    assert made.facts["clips"][0]["travel"] != first["travel"]


def test_a_range_that_ends_before_it_begins_says_so(home: Path, tmp_path: Path, capsys: Said) -> None:
    words = ["cut", home / "jump_0.bvh", "-o", tmp_path / "cut"]
    assert "ends before it begins" in refused(capsys, *words, "--range", "2s:1s")
    assert "beyond jump_0, which ends at frame" in refused(capsys, *words, "--range", "1s:90s")


def test_what_is_left_out_is_called_missing(capsys: Said) -> None:
    assert refused(capsys, "vary", "a.ftm") == "freshtake: --out is missing; see freshtake vary --help\n"


def test_an_option_without_its_value_names_the_choices(capsys: Said) -> None:
    words = refused(capsys, "vary", "a.ftm", "-o", "b", "--root-motion")
    assert words == "freshtake: --root-motion needs a value: hips, joint or none; see freshtake vary --help\n"
    words = refused(capsys, "vary", "a.ftm", "--seconds", "-o", "b")
    assert words == "freshtake: --seconds needs a value; see freshtake vary --help\n"


def test_a_unit_that_makes_a_giant_of_a_person_is_questioned(home: Path, tmp_path: Path, capsys: Said) -> None:
    doubt = "freshtake: note: in metres the legs are 97 m long: by its size the body is in centimetres (--unit cm)\n"
    assert run(["convert", str(home / "walk_0.bvh"), "-o", str(tmp_path / "a.glb"), "--unit", "m"]) == 0
    assert capsys.readouterr().err == doubt
    assert run(["vary", str(home / "walk.ftm"), "-n", "2", "-o", str(tmp_path / "b.glb"), "--unit", "m"]) == 0
    assert capsys.readouterr().err.count(doubt) == 1
    assert run(["learn", str(home / "walk_0.bvh"), "-o", str(tmp_path / "c.ftm"), "--unit", "mm"]) == 0
    assert "in millimetres the legs are 0.097 m long" in capsys.readouterr().err
    assert run(["convert", str(home / "walk_0.bvh"), "-o", str(tmp_path / "d.glb"), "--unit", "cm"]) == 0
    assert capsys.readouterr().err == ""


def test_a_body_that_is_carried_off_to_a_pin_is_noted(home: Path, tmp_path: Path, capsys: Said) -> None:
    clip, pins = home / "walk_0.bvh", tmp_path / "pins.json"
    words = ["plant", str(clip), "--pins", str(pins), "--force", "-o", str(tmp_path / "a.bvh")]
    pins.write_text(json.dumps([{"joint": "LeftHand", "frame": 20, "position": [20, 100, 70]}]))
    assert run(words) == 0 and "out of reach" not in capsys.readouterr().err
    pins.write_text(json.dumps([{"joint": "LeftHand", "frame": 20, "position": [200, 1000, 700]}]))
    assert run(words) == 0
    said = capsys.readouterr().err
    assert "a pin is out of reach: the body is moved by up to" in said and "in the clip's unit, centimetres" in said


def test_a_gap_in_a_path_is_named_with_its_file(home: Path, tmp_path: Path, capsys: Said) -> None:
    path = tmp_path / "way.csv"
    path.write_text("x,z\n0,0\n0,400\n,\n200,700\n")
    said = refused(capsys, "stream", home / "walk.ftm", "--seconds", 2, "-o", tmp_path / "a.bvh", "--path", path)
    assert said == f"freshtake: {path}: point 3 of the path has no x or no z\n"
    path.write_text("x,z\n0,0\n")
    said = refused(capsys, "stream", home / "walk.ftm", "--seconds", 2, "-o", tmp_path / "a.bvh", "--path", path)
    assert said == f"freshtake: {path}: a path needs at least two points, not 1: add a row for each\n"


def test_a_pin_that_does_not_fit_is_named_with_its_file(home: Path, tmp_path: Path, capsys: Said) -> None:
    pins = tmp_path / "pins.json"
    pins.write_text(json.dumps([{"joint": "LeftHand", "frame": 500}]))
    said = refused(capsys, "plant", home / "walk_0.bvh", "--pins", pins, "-o", tmp_path / "a.bvh")
    assert said.startswith(f"freshtake: {pins}: the pin of 'LeftHand' at frame 500 is beyond the clip's")
    assert not (tmp_path / "a.bvh").exists()


def test_a_pose_that_does_not_fit_is_named_with_its_file(home: Path, tmp_path: Path, capsys: Said) -> None:
    words = ["vary", home / "walk.ftm", "-n", 1, "-o", tmp_path / "a.bvh", "--begin"]
    take, stroke = home / "walk_0.bvh", tmp_path / "line.csv"
    last = len(ft.read_clip(take)) - 1
    said = refused(capsys, *words, f"{take}:999")
    assert said == f"freshtake: {take}: there is no frame 999: give one from 0 to {last}, or -1 for the last\n"
    ft.write(stroke, ft.samples.circle(np.random.default_rng(1)))
    assert "line is a stroke, but the model is of clips: give a clip" in refused(capsys, *words, stroke)


def test_a_length_with_its_unit_where_a_number_is_expected(home: Path, tmp_path: Path, capsys: Said) -> None:
    said = refused(capsys, "vary", home / "walk.ftm", "-n", 1, "-o", tmp_path / "a.bvh", "--seconds", "6s")
    assert 'Invalid value for --seconds: a number was expected, not "6s"' in said


def test_a_file_has_one_duration(home: Path, tmp_path: Path, capsys: Said) -> None:
    out = tmp_path / "a.bvh"
    words = ["stream", str(home / "walk.ftm"), "--seconds", "1.5", "-o", str(out)]
    assert run(words) == 0 and "(1.50 s)" in capsys.readouterr().out
    assert run([*words, "--force", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["duration_s"] == pytest.approx(1.5)
    assert run(["info", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["duration_s"] == pytest.approx(1.5)


def test_metres_in_a_file_without_a_unit_are_announced(home: Path, tmp_path: Path, capsys: Said) -> None:
    assert run(["convert", str(home / "walk_0.bvh"), str(tmp_path / "a.glb"), "--unit", "cm", "-q"]) == 0
    assert run(["convert", str(tmp_path / "a.glb"), str(tmp_path / "a.bvh")]) == 0
    assert "a.bvh: BVH files state no unit; this one is in metres" in capsys.readouterr().err
