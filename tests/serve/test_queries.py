"""Queries about motions: scenes, pictures, curves, networks, files; the same as without a server."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import freshtake as ft
from freshtake.evaluation.comparable import unpacked
from freshtake.reports.explanation import explanation
from freshtake.reports.viewport.packing import packed
from freshtake.reports.viewport.staging import scene_of
from tests.serve.studio import Studio


def motions(studio: Studio, ids: list[str]) -> list[ft.Clip]:
    assert studio.project is not None
    return [ft.read_clip(studio.project.path(id)).changed(name=studio.item(id)["name"]) for id in ids]


def test_a_scene_is_what_the_viewport_packs(studio: Studio, takes: list[str], variants: list[str]) -> None:
    ids = [*takes[:2], *variants]
    data = studio.http.get("/api/scene", params={"items": ",".join(ids)}).content
    (length,) = struct.unpack_from("<I", data)
    manifest = json.loads(data[4 : 4 + length])
    clips = motions(studio, ids)
    wanted = packed(scene_of([("input" if k < 2 else "variant", [clip]) for k, clip in enumerate(clips)]))
    assert [shape.pop("id") for shape in manifest["shapes"]] == ids
    assert manifest == wanted.manifest
    assert data[4 + length + (-4 - length) % 4 :] == wanted.data


def test_a_trim_is_seen_everywhere(studio: Studio, takes: list[str]) -> None:
    id = takes[2]
    studio.http.patch(f"/api/items/{id}", json={"trim": [10, 29]})
    data = studio.http.get("/api/scene", params={"items": id}).content
    assert json.loads(data[4 : 4 + struct.unpack_from("<I", data)[0]])["shapes"][0]["frames"] == 20
    dof = studio.get(f"/dofs/{id}")[0]["name"]
    assert len(studio.get("/curves", items=id, dof=dof)["curves"][0]["values"]) == 20
    (export,) = studio.made("export", [id], format="npz")
    found = np.load(io.BytesIO(studio.http.get(f"/api/exports/{export}").content))
    assert found["root"].shape[0] == 20
    studio.http.post("/api/undo")


def test_small_pictures_move(studio: Studio, takes: list[str], variants: list[str]) -> None:
    moving = Image.open(io.BytesIO(studio.http.get(f"/api/thumbnail/{takes[0]}.gif").content))
    still = Image.open(io.BytesIO(studio.http.get(f"/api/thumbnail/{variants[0]}.png").content))
    assert moving.format == "GIF" and moving.n_frames > 8 and still.format == "PNG"  # type: ignore[attr-defined]
    colors = np.asarray(still.convert("RGB"), dtype=int)
    green = (colors[..., 1] > colors[..., 0] + 40) & (colors[..., 1] > colors[..., 2] + 20)
    assert 0.02 < green.mean() < 0.5, "a variant is green and fills a good part"
    assert "not a motion" in studio.refused("GET", f"/thumbnail/{studio.item(variants[0])['parent']}.gif", 400)
    studio.refused("GET", f"/thumbnail/{takes[0]}.exe", 422)


def test_curves_and_components(studio: Studio, takes: list[str], variants: list[str]) -> None:
    ids = [*takes[:2], variants[0]]
    dofs = studio.get(f"/dofs/{takes[0]}")
    names = [dof["name"] for dof in dofs]
    assert dofs[0]["unit"] == "°" and "hip" in dofs[0]["words"]
    told = studio.get("/curves", items=",".join(ids), dof=names[0], against=names[1])
    first, *others = motions(studio, ids)
    material = unpacked([first], others, ())
    columns = [material.layout.dofs.index(name) for name in names[:2]]
    for curve, track in zip(told["curves"], [*material.inputs, *material.variants], strict=True):
        np.testing.assert_allclose(curve["values"], np.degrees(track.dofs[:, columns[0]]), atol=1e-4)
        np.testing.assert_allclose(curve["against"], np.degrees(track.dofs[:, columns[1]]), atol=1e-4)
    assert [curve["role"] for curve in told["curves"]] == ["input", "input", "variant"]
    assert "no DOF" in studio.refused("GET", f"/curves?items={ids[0]}&dof=Wing.x", 400)
    parts = studio.get("/pca", items=",".join(ids))
    assert 0.9 < sum(parts["shares"]) <= 1.0 and parts["shares"] == sorted(parts["shares"], reverse=True)
    rows = np.concatenate([np.array(course["components"]).T for course in parts["courses"]])
    off = np.corrcoef(rows.T) - np.eye(4)
    assert np.abs(off).max() < 1e-3, "components do not go together"


def test_the_network_is_what_explain_says(studio: Studio, model: str, takes: list[str]) -> None:
    assert studio.project is not None
    told = studio.get(f"/network/{model}")
    wanted = explanation(ft.load_variation(studio.project.path(model)))
    assert told["links"][:20] == json.loads(json.dumps([link._asdict() for link in wanted.links[:20]]))
    assert len(told["edges"]) == len(wanted.parents)
    assert {node["name"] for node in told["nodes"]} >= {link["child"] for link in told["links"]}
    assert len(told["body"]["names"]) == len(told["body"]["places"]) == 31 and told["sentences"]
    assert "not a model" in studio.refused("GET", f"/network/{takes[0]}", 400)


@pytest.mark.parametrize("format", ["bvh", "glb", "fbx", "npz"])
def test_exports_are_read_again(studio: Studio, variants: list[str], format: str, tmp_path: Path) -> None:
    (id,) = studio.made("export", variants, format=format, name="../my walks/..")
    answer = studio.http.get(f"/api/exports/{id}")
    name = studio.item(id)["facts"]["file"]
    assert f'filename="{name}"' in answer.headers["content-disposition"] and "/" not in name and ".." not in name
    wanted = motions(studio, variants)
    if format in ("glb", "fbx"):
        (tmp_path / name).write_bytes(answer.content)
        clips = [ft.read_clip(tmp_path / name, animation=k) for k in range(3)]
    else:
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert all("/" not in file for file in archive.namelist())
            archive.extractall(tmp_path)
        clips = [ft.read_clip(path) for path in sorted(tmp_path.iterdir())]
    for clip, source in zip(clips, wanted, strict=True):
        assert len(clip) == len(source) and set(clip.skeleton.names) >= set(source.skeleton.names)


def test_models_and_packs_are_files_too(studio: Studio, model: str, variants: list[str], tmp_path: Path) -> None:
    (tmp_path / "m.ftm").write_bytes(studio.http.get(f"/api/exports/{model}").content)
    assert ft.load_variation(tmp_path / "m.ftm").cyclic
    (id,) = studio.send("copy.ftm", (tmp_path / "m.ftm").read_bytes())["made"]
    assert studio.item(id)["kind"] == "model" and studio.item(id)["facts"]["method"] == "variation"
    (pack,) = studio.made("export", variants[:2], format="pack", number=1)
    said = studio.item(pack)
    assert said["name"] == "walk_pack.zip" and said["facts"]["count"] == 1, "loops that it holds, not what was starred"
    with zipfile.ZipFile(io.BytesIO(studio.http.get(f"/api/exports/{pack}").content)) as archive:
        assert {"pack.json", "preview.html", "walk.glb"} <= set(archive.namelist())
    assert "not a file to download" in studio.refused("GET", f"/exports/{variants[0]}", 400)


def test_a_character_moves_as_the_variants_do(studio: Studio, variants: list[str], tmp_path: Path) -> None:
    character = tmp_path / "hero.glb"
    ft.write(character, motions(studio, variants[:1])[0], unit_m=0.01)
    (id,) = studio.send("hero.glb", character.read_bytes())["made"]
    answer = studio.http.get("/api/scene", params={"items": ",".join([id, *variants[:2]]), "character": id})
    shapes = json.loads(answer.content[4 : 4 + int.from_bytes(answer.content[:4], "little")])["shapes"]
    assert [shape["skin"] for shape in shapes] == [0, 0, 0]
    refusal = studio.refused("GET", f"/scene?items={variants[0]}&character={variants[1]}", 400)
    assert "not a character" in refusal
    (export,) = studio.made("export", variants[:2], format="glb", character=id)
    (tmp_path / "out.glb").write_bytes(studio.http.get(f"/api/exports/{export}").content)
    assert len(ft.read_clip(tmp_path / "out.glb", animation=1)) == len(motions(studio, variants[1:2])[0])


def test_poses_of_a_variant_are_one_wide_picture(studio: Studio, variants: list[str]) -> None:
    from PIL import Image

    answer = studio.http.get(f"/api/strip/{variants[0]}.png")
    picture = Image.open(io.BytesIO(answer.content)).convert("RGB")
    assert picture.size == (480, 96)
    painted = np.asarray(picture).astype(int)
    green = painted[..., 1] - painted[..., [0, 2]].max(axis=-1) > 25
    assert all(green[:, left : left + 120].any() for left in range(0, 480, 120)), "bodies from one side to the other"


def test_the_page_is_served_and_nothing_else(studio: Studio) -> None:
    page = studio.http.get("/")
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    assert studio.http.get("/", headers={"if-none-match": page.headers["etag"]}).status_code == 304
    for path in ("/viewport/viewport.js", "/viewport/three/three.module.min.js"):
        assert studio.http.get(path).headers["content-type"].startswith("text/javascript")
    for path in ("/viewport/../packing.py", "/viewport/%2e%2e/packing.py", "/pages.py", "/web/index.html"):
        assert studio.http.get(path).status_code == 404
