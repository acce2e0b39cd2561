"""Model files, glTF with morph targets, workflows and the command: complete, equal after loading, or refused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from freshtake import load_texture
from freshtake.cli.entry import run
from freshtake.errors import FormatError, FreshtakeError
from freshtake.formats import read, write
from freshtake.formats.archive import npy_bytes, open_archive, write_archive
from freshtake.formats.ftm import load, save
from freshtake.formats.gltf.writing import Morphs, Playing, write_morphs
from freshtake.motion import MeshSequence, Stroke
from freshtake.motion.edit import take_frames
from freshtake.requests import TextureLearn, TextureSample
from freshtake.texture import Settings, learn
from freshtake.texture.loop_making import ranked_loops
from freshtake.workflows import compression_table, texture_learn, texture_sample
from freshtake.workflows.texture_study import error_table
from tests.clients.test_gltf_validator import CLIENTS, NODE, troubles, validated
from tests.texture.made import FRAME_TIME, circling, long_walk, played_rows, sheet


def _models():
    walk = long_walk(4)
    half = len(walk) // 2
    stroke = Stroke(circling()[:, :2], np.arange(300) * FRAME_TIME, ("x", "y"))
    return {
        "mesh": learn(sheet()),
        "normals": learn(sheet(normals=True, attribute=True), Settings(components=4, normals="own", bits=16)),
        "parts": learn(sheet(), Settings(components=3, parts=3, bits=8)),
        "still": learn(sheet(), Settings(root="absolute")),
        "clip": learn(walk),
        "cells": learn({"a": take_frames(walk, 0, half), "b": take_frames(walk, half)}),
        "paper": learn(circling(3.0), Settings(method="paper"), frame_time=FRAME_TIME),
        "rows": learn(circling(), frame_time=FRAME_TIME),
        "stroke": learn(stroke),
    }


def test_a_loaded_model_plays_the_same(tmp_path: Path) -> None:
    for name, model in _models().items():
        save(tmp_path / "m.ftm", model, sources=["take.npz"])
        again = load(tmp_path / "m.ftm")
        assert again.settings == model.settings and again.sigmas == model.sigmas, name
        rows = [played_rows(m, 4, 90) for m in (model, again)]
        np.testing.assert_array_equal(rows[0], rows[1], err_msg=name)
        a, b = (m.decode(rows[0]) for m in (model, again))
        if isinstance(a, MeshSequence):
            np.testing.assert_array_equal(a.vertices, b.vertices, err_msg=name)
        if name == "cells":
            plans = [m.steer(m.start(np.random.default_rng(1), cell="a"), "b").plan for m in (model, again)]
            assert plans[0] == plans[1] and plans[0]


@pytest.mark.parametrize("name", ["parts", "cells"])
def test_damaged_models_are_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / "m.ftm"
    save(path, _models()[name])
    archive = open_archive(path)
    header = json.loads(archive.text("header.json"))
    arrays = {key: archive.array(key) for key in archive.keys}
    changes = [("bounds", [0, 1]), ("cells", []), ("sigmas", [0.0, 1.0, 0.0]), ("frame_time", -1.0), ("entries", 7)]
    if name == "parts":
        changes += [("groups", []), ("groups", [["x", 5, 1]]), ("layout", {})]
    for key, value in changes:
        write_archive(path, arrays, {"header.json": json.dumps({**header, key: value})})
        with pytest.raises(FormatError):
            load(path)
    none = np.zeros_like(arrays["alive"])
    sums = {**header["sha256"], "alive": hashlib.sha256(npy_bytes(none)).hexdigest()}
    write_archive(path, {**arrays, "alive": none}, {"header.json": json.dumps({**header, "sha256": sums})})
    with pytest.raises(FormatError, match="frames that can be played were expected in every cell"):
        load(path)
    for key in arrays:
        rest = {k: v for k, v in arrays.items() if k != key}
        sums = {k: v for k, v in header["sha256"].items() if k != key}
        write_archive(path, rest, {"header.json": json.dumps({**header, "sha256": sums})})
        with pytest.raises(FreshtakeError):
            load(path)


def test_gltf_by_modes_reads_back_as_the_mesh(tmp_path: Path) -> None:
    for name, settings in (
        ("plain", Settings()),
        ("facing", Settings(components=6)),
        ("still", Settings(root="absolute")),
    ):
        mesh = sheet(normals=name == "facing")
        save(tmp_path / "m.ftm", learn(mesh, settings))
        model = load(tmp_path / "m.ftm")
        texture_sample(TextureSample(model=tmp_path / "m.ftm", out=tmp_path / f"{name}.glb", frames=80, seed=3))
        back = read(tmp_path / f"{name}.glb", mesh=True)
        rows = played_rows(model, 3, 80)
        made = model.decode(rows)
        assert isinstance(back, MeshSequence)
        np.testing.assert_allclose(back.vertices, made.vertices, atol=2e-4)
        np.testing.assert_array_equal(back.faces, made.faces)
        assert back.frame_time == pytest.approx(FRAME_TIME)
        np.testing.assert_allclose(back.attributes["uv"], mesh.attributes["uv"], atol=1e-6)
        if name == "facing":
            assert back.normals is not None and made.normals is not None
            assert np.sum(back.normals * made.normals, axis=-1).min() > 0.99


def test_gltf_grows_by_weights_only(tmp_path: Path) -> None:
    save(tmp_path / "m.ftm", learn(sheet(), Settings(components=5)))
    sizes = []
    for frames in (100, 1100):
        texture_sample(TextureSample(model=tmp_path / "m.ftm", out=tmp_path / "x.glb", frames=frames))
        sizes.append((tmp_path / "x.glb").stat().st_size)
    assert sizes[1] - sizes[0] < 1000 * 4 * (5 + 1 + 3 + 4) + 400


def test_z_up_is_turned_upright(tmp_path: Path) -> None:
    base = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    modes = np.zeros((1, 3, 3))
    modes[0, 2] = [0.0, -1.0, 0.0]
    playing = Playing(np.array([[0.0], [1.0]]), 0.1, None)
    write_morphs(tmp_path / "z.gltf", Morphs(base, modes, np.array([[0, 1, 2]]), up="z"), playing, 0.01)
    back = read(tmp_path / "z.gltf", mesh=True)
    assert isinstance(back, MeshSequence)
    np.testing.assert_allclose(back.vertices[1, 2], [0.0, 0.02, 0.01], atol=1e-7)


@pytest.mark.client
@pytest.mark.skipif(
    NODE is None or not (CLIENTS / "node_modules" / "gltf-validator").is_dir(), reason="the glTF validator is absent"
)
def test_gltf_by_modes_is_valid(tmp_path: Path) -> None:
    paths = []
    for name, mesh in (("a.glb", sheet()), ("b.gltf", sheet(normals=True))):
        save(tmp_path / "m.ftm", learn(mesh))
        texture_sample(TextureSample(model=tmp_path / "m.ftm", out=tmp_path / name, frames=50))
        paths.append(tmp_path / name)
    assert [troubles(report) for report in validated(*paths)] == [[], []]


def test_the_command_from_take_to_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "sheet.npz", sheet())
    assert run(["texture", "learn", str(tmp_path / "sheet.npz"), "-o", str(tmp_path / "s.ftm"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["raw_bytes"] == 150 * 20 * 3 * 4 and facts["bytes"] == (tmp_path / "s.ftm").stat().st_size
    for out, options in (("x.npz", []), ("frames", []), ("l.npz", ["--loop", "--times", "2"])):
        assert (
            run(["texture", "sample", str(tmp_path / "s.ftm"), "--frames", "40", "-o", str(tmp_path / out), *options])
            == 0
        )
        assert len(read(tmp_path / out)) == (80 if options else 40)
    assert run(["info", str(tmp_path / "s.ftm")]) == 0
    assert "texture, default" in capsys.readouterr().out


def test_the_command_steers_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    walk = long_walk(4)
    half = len(walk) // 2
    write(tmp_path / "a.bvh", take_frames(walk, 0, half))
    write(tmp_path / "b.bvh", take_frames(walk, half))
    model, picture = str(tmp_path / "c.ftm"), str(tmp_path / "p.png")
    assert (
        run(["texture", "learn", f"go={tmp_path}/a.bvh", f"on={tmp_path}/b.bvh", "-o", model, "--picture", picture])
        == 0
    )
    assert Path(picture).stat().st_size > 1000
    steer = ["--cell", "go", "--steer", "0.5:on", "1.2:go"]
    assert run(["texture", "sample", model, "--frames", "120", "-o", str(tmp_path / "s.bvh"), *steer]) == 0
    assert len(read(tmp_path / "s.bvh")) == 120
    assert (
        run(["texture", "sample", model, "--frames", "9", "-o", str(tmp_path / "no.bvh"), "--steer", "1:nowhere"]) == 2
    )
    assert "there is no cell 'nowhere'" in capsys.readouterr().err and not (tmp_path / "no.bvh").exists()


def test_a_take_without_recurrences_is_drawn_and_warned_of(tmp_path: Path) -> None:
    t = np.arange(60) * FRAME_TIME
    line = Stroke(np.stack([10 * t, (3 * t) ** 2], axis=1), t, ("x", "y"), "line")
    write(tmp_path / "line.npz", line)
    heard: list[str] = []
    texture_learn(TextureLearn(takes=[str(tmp_path / "line.npz")], out=tmp_path / "m.ftm"), warn=heard.append)
    assert len(heard) == 1 and "no frame is close to an earlier one" in heard[0]
    assert (tmp_path / "m.png").stat().st_size > 1000


def test_a_loop_with_a_large_jump_is_warned_of(tmp_path: Path) -> None:
    t = np.arange(200) * FRAME_TIME
    ring = np.stack([np.cos(2 * np.pi * 0.3 * t), np.sin(2 * np.pi * 0.3 * t)], axis=1)
    write(tmp_path / "ring.npz", Stroke(ring, t, ("x", "y"), "ring"))
    texture_learn(TextureLearn(takes=[str(tmp_path / "ring.npz")], out=tmp_path / "m.ftm"))
    heard: list[str] = []
    for frames in (160, 200):
        asked = TextureSample(model=tmp_path / "m.ftm", out=tmp_path / "l.npz", frames=frames, loop=True)
        texture_sample(asked, warn=heard.append)
    assert len(heard) == 1 and heard[0].startswith("a loop of 160 frames needs a jump of") and "; loops of " in heard[0]


def test_a_loop_that_turns_faster_than_its_takes_is_warned_of(tmp_path: Path) -> None:
    write(tmp_path / "walk.bvh", long_walk(4))
    texture_learn(TextureLearn(takes=[str(tmp_path / "walk.bvh")], out=tmp_path / "m.ftm"))
    model, heard = load_texture(tmp_path / "m.ftm"), list[str]()
    enough = int(np.ceil(2.0 * np.pi / model.bearings.most / model.frame_time))
    for frames, course in ((100, "closed"), (enough, "closed"), (100, "straight"), (100, 10.0), (100, -200.0)):
        asked = TextureSample(model=tmp_path / "m.ftm", out=tmp_path / "l.bvh", frames=frames, loop=True, course=course)
        texture_sample(asked, warn=heard.append)
    heard = [message for message in heard if "turns by" in message]
    assert len(heard) == 2 and f"; {enough} or more frames would not" in heard[0] and "-" not in heard[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["learn", "{one}", "-o", "{dir}/m.ftm"], "has one frame"),
        (
            ["learn", "{mesh}", "-o", "{dir}/m.ftm", "--components", "500"],
            "500 components were requested, but 150 frames",
        ),
        (["learn", "{mesh}", "{other}", "-o", "{dir}/m.ftm"], "different vertices or faces"),
        (["learn", "{mesh}", "-o", "{dir}/m.ftm", "--turns"], "only walks with a skeleton can be cut"),
        (["learn", "{nan}", "-o", "{dir}/m.ftm"], "finite"),
        (["learn", "{mesh}", "-o", "{dir}/m.ftm", "--picture", "{dir}/p.xyz"], "a picture's name ends in"),
        (["learn", "a={mesh}", "b=", "-o", "{dir}/m.ftm"], "either all takes must be NAME=FILE"),
        (["sample", "{model}", "--frames", "0", "-o", "{dir}/o.npz"], "must lie between 1 and"),
        (["sample", "{model}", "--frames", "5", "-o", "{dir}/o.npz", "--steer", "x:y"], "--steer wants SECONDS:CELL"),
        (["sample", "{model}", "--frames", "9900000", "-o", "{dir}/o.npz"], "GB: write .glb"),
        (["sample", "{model}", "--frames", "5", "-o", "{dir}/o.bvh"], "choose .glb, .npz, .abc"),
        (["sample", "{model}", "--frames", "5", "-o", "{dir}/o.npz", "--seed", "-1"], "seed must lie between 0 and"),
        (["figures", "{one}", "-o", "{dir}/pictures"], "at least 3"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    mesh = sheet()
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    write(tmp_path / "in" / "mesh.npz", mesh)
    write(tmp_path / "in" / "one.npz", MeshSequence(mesh.vertices[:1], mesh.faces, FRAME_TIME, name="one"))
    write(tmp_path / "in" / "other.npz", MeshSequence(mesh.vertices[:, :19], mesh.faces[:3], FRAME_TIME, name="other"))
    np.savez(tmp_path / "in" / "nan.npz", vertices=np.full((4, 3, 3), np.nan, "f4"), faces=[[0, 1, 2]], fps=30.0)
    save(tmp_path / "in" / "model.ftm", learn(mesh))
    names = {name: tmp_path / "in" / f"{name}.npz" for name in ("mesh", "one", "other", "nan")}
    given = [part.format(dir=tmp_path / "out", model=tmp_path / "in" / "model.ftm", **names) for part in arguments]
    assert run(["texture", *given]) == 2
    said = capsys.readouterr().err.strip()
    assert says in said and "\n" not in said
    assert list((tmp_path / "out").iterdir()) == []


def test_learn_points_meshes_to_texture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flag = np.random.default_rng(0).normal(size=(12, 700, 3)).astype(np.float32)
    write(tmp_path / "flag.npz", MeshSequence(flag, np.array([[0, 1, 2]]), FRAME_TIME, name="flag"))
    assert run(["learn", str(tmp_path / "flag.npz"), "-o", str(tmp_path / "m.ftm")]) == 2
    assert "freshtake texture learn" in capsys.readouterr().err and not (tmp_path / "m.ftm").exists()


def test_tables_and_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = sheet(normals=True)
    rows = compression_table(mesh, [(2, 0), (6, 0), (6, 8)])
    assert rows[0].bytes < rows[1].bytes and rows[2].bytes < rows[1].bytes
    assert rows[1].relative_error < rows[0].relative_error < 1.0
    assert rows[0].ratio == mesh.vertices.nbytes / rows[0].bytes
    errors = error_table(mesh, (0, 4))
    assert errors[1].position < 0.5 * errors[0].position
    write(tmp_path / "s.npz", mesh)
    assert run(["texture", "tables", str(tmp_path / "s.npz")]) == 0
    assert "E(c)/E(0)" in capsys.readouterr().out
    assert run(["texture", "figures", str(tmp_path / "s.npz"), "-o", str(tmp_path / "pictures")]) == 0
    names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
    assert [name.split("_")[0] for name in names] == ["default", "fig3", "fig3", "fig5", "fig6", "fig7", "fig9"]


def test_morphs_are_read_as_a_mesh(tmp_path: Path) -> None:
    save(tmp_path / "m.ftm", learn(sheet(), Settings()))
    texture_sample(TextureSample(model=tmp_path / "m.ftm", out=tmp_path / "m.glb", frames=8, seed=3))
    assert isinstance(read(tmp_path / "m.glb"), MeshSequence)


def test_a_loop_names_its_part_and_the_nearest_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(tmp_path / "m.ftm", learn(long_walk(6)))
    sample = ["texture", "sample", str(tmp_path / "m.ftm"), "--loop", "-o", str(tmp_path / "l.bvh"), "--force"]
    assert run([*sample, "--frames", "80", "--from", "1s", "--to", "240", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert all(60 <= a <= b < 240 for loop in facts["candidates"] for a, b in loop["pieces"])
    picture = tmp_path / "loops.png"
    assert run([*sample, "--frames", "80", "--candidates", str(picture)]) == 0
    assert "loop 1 of" in capsys.readouterr().out and picture.read_bytes()[:4] == b"\x89PNG"
    for wrong, says in (
        (["--frames", "80", "--from", "5s", "--to", "2s"], "is not within the take"),
        (["--frames", "80", "--from", "soon"], "is not a moment of a take"),
        (["--frames", "80", "--candidate", "99"], "but no loop 99"),
    ):
        assert run([*sample, *wrong]) == 2
        assert says in capsys.readouterr().err
    assert run([*sample[:3], "--frames", "80", "--to", "2s", "-o", str(tmp_path / "x.bvh")]) == 2
    assert "add --loop" in capsys.readouterr().err and not (tmp_path / "x.bvh").exists()
    once = learn(Stroke(circling(1.04, 50)[:, :2], np.arange(52) * FRAME_TIME, ("x", "y")))
    save(tmp_path / "once.ftm", once)
    target = tmp_path / "once.csv"
    assert run(["texture", "sample", str(tmp_path / "once.ftm"), "--loop", "--frames", "70", "-o", str(target)]) == 0
    said = capsys.readouterr().err
    assert "there is no loop of exactly 70 frames; this one has" in said
    assert f"this one has {len(read(target))}," in said


def test_a_loop_that_is_unlike_its_take_says_so() -> None:
    from freshtake.texture.action import Likeness
    from freshtake.workflows.texture_playing import _warn_of_likeness

    loop = ranked_loops(learn(long_walk(4)), np.random.default_rng(0), 70, course=None)[0]
    said: list[str] = []
    _warn_of_likeness(loop.likeness, 70, said.append)
    assert not said
    _warn_of_likeness(Likeness(0.4, 1.1, 0.7), 70, said.append)
    assert "travels 0.40 times as fast and has poses 0.70 times as far apart as the moving part of the takes" in said[0]


def test_the_papers_letters_are_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "s.npz", sheet())
    letters = ["--velocity-components", "3", "--q", "0.1", "--velocity-q", "0.2", "--recent", "2"]
    learned = ["texture", "learn", str(tmp_path / "s.npz"), "-o", str(tmp_path / "m.ftm"), "--method", "paper"]
    assert run([*learned, *letters]) == 0
    settings = load(tmp_path / "m.ftm").settings
    assert (settings.q, settings.velocity_q, settings.recent) == (0.1, 0.2, 2)
    assert settings.velocity_components == 3
    assert run([*learned, "--force", "--q", "7"]) == 2
    assert "q must lie between 0 and 1" in capsys.readouterr().err


def test_loops_of_a_mesh_are_drawn_and_a_model_larger_than_its_zip_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = sheet()
    for name, frames in (("long", len(mesh)), ("short", 12)):
        write(tmp_path / f"{name}.npz", replace(mesh, vertices=mesh.vertices[:frames]))
        assert run(["texture", "learn", str(tmp_path / f"{name}.npz"), "-o", str(tmp_path / f"{name}.ftm")]) == 0
        assert ("times the size of the zipped vertices" in capsys.readouterr().err) == (name == "short")
    model, out = str(tmp_path / "long.ftm"), str(tmp_path / "a.npz")
    command = ["texture", "sample", model, "--frames", "60", "--loop", "-o", out]
    assert run([*command, "--candidates", str(tmp_path / "a.png")]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert run([*command, "--force", "--action", "nowhere"]) == 2
    assert "there is no cell 'nowhere'" in capsys.readouterr().err
