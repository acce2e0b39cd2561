"""`augment`: groups by name or similarity, labels that say where every file comes from, nothing lost."""

from __future__ import annotations

import csv
import hashlib
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.motion.edit import mirror
from freshtake.workflows.augmenting import grouped, swapped_sides


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("takes")
    assert run(["samples", "write", "letter_a", "digit_2", "-n", "4", "-o", str(place)]) == 0
    (place / "more").mkdir()
    (place / "digit_2_4.csv").rename(place / "more" / "stranger.csv")
    (place / "notes.txt").write_text("no take")
    return place


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_groups_are_names_without_their_number() -> None:
    root = Path("x")
    paths = [
        root / name for name in ("walk_1.bvh", "walk_02.bvh", "walk10.bvh", "3.bvh", "b/walk_1.bvh", "run-fast.bvh")
    ]
    found = grouped(paths, root)
    assert {name: len(group) for name, group in found.items()} == {"walk": 3, "3": 1, "b/walk": 1, "run-fast": 1}


def test_takes_are_copied_and_variants_stand_beside_them(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["augment", str(takes), "-o", str(out), "-n", "3", "--seed", "5", "--json"]) == 0
    told = capsys.readouterr()
    said, rows = json.loads(told.out), table(out)
    assert said["files"] == json.loads((out / "labels.json").read_text())["files"]
    assert [row["file"] for row in rows] == [entry["file"] for entry in said["files"]]
    assert "more/stranger: a single take" in told.err and list(said["only_copied"]) == ["more/stranger"]
    files = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    models = {"models/letter_a.ftm", "models/digit_2.ftm"}
    assert files == {row["file"] for row in rows} | {"labels.csv", "labels.json"} | models
    for row in rows:
        if row["kind"] == "real":
            assert (out / row["file"]).read_bytes() == (takes / row["file"]).read_bytes()
            assert row["sources"] == row["file"] and row["seed"] == ""
        else:
            assert row["seed"] == "5" and row["group"] in ("letter_a", "digit_2") and row["amount"] == "1.0"
            model = out / "models" / f"{row['group']}.ftm"
            assert row["model"] == hashlib.sha256(model.read_bytes()).hexdigest()
            assert all(source.startswith(row["group"]) for source in row["sources"].split(";"))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("real") == 8 and kinds.count("variant") == 6


def test_a_variant_is_that_of_vary_with_its_seed_and_number(takes: Path, tmp_path: Path) -> None:
    out, model = tmp_path / "out", tmp_path / "a.ftm"
    assert run(["augment", str(takes), "-o", str(out), "-n", "2", "--seed", "5", "--quiet"]) == 0
    letters = [str(takes / f"letter_a_{k}.csv") for k in range(1, 5)]
    assert run(["learn", *letters, "-o", str(model), "--seed", "5"]) == 0
    assert run(["vary", str(model), "-n", "2", "-o", str(tmp_path / "v"), "--seed", "5"]) == 0
    again = ft.read(tmp_path / "v" / "variant_002.csv")
    np.testing.assert_allclose(ft.read(out / "letter_a_variant_002.csv").points, again.points, atol=1e-6)


def test_by_likeness_a_stranger_joins_its_kind(takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert run(["augment", str(takes), "-o", str(out), "-n", "1", "--by-likeness"]) == 0
    assert "stranger.csv is like the takes of digit_2" in capsys.readouterr().err
    (row,) = [row for row in table(out) if row["file"] == "more/stranger.csv"]
    assert row["group"] == "digit_2"


def test_bad_requests_are_one_sentence_and_leave_nothing(
    takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "a_1.csv").write_bytes((takes / "letter_a_1.csv").read_bytes())
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a_1.bvh").write_text("HIERARCHY nonsense")
    for source, target, more, word in (
        (tmp_path / "none", "o", [], "not a folder"),
        (tmp_path / "empty", "o", [], "no takes"),
        (tmp_path / "alone", "o", ["--quiet"], "a single take"),
        (tmp_path / "broken", "o", [], "a_1.bvh"),
        (takes, "o", ["-n", "0"], "count must lie"),
        (takes, "o", ["--seed", "-1"], "seed"),
    ):
        assert run(["augment", str(source), "-o", str(tmp_path / target), *more]) == 2
        said = capsys.readouterr().err
        assert word in said and len(said.splitlines()) == 1, said
        assert not (tmp_path / target).exists()
    assert run(["augment", str(takes), "-o", str(takes / "more"), "--force"]) == 2
    assert "outside" in capsys.readouterr().err


@pytest.fixture(scope="module")
def kicks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("kicks")
    assert run(["samples", "write", "walk", "-n", "2", "-o", str(place)]) == 0
    for k in (1, 2):
        clip = ft.read_clip(place / f"walk_{k}.bvh")
        (place / f"walk_{k}.bvh").unlink()
        ft.write(place / f"kick_left_{k}.bvh", clip.changed(root=clip.root[:40], rotations=clip.rotations[:40]))
    (place / "LICENSE.txt").write_text("CC0")
    return place


def test_mirrored_and_faster_takes_are_labelled_as_what_they_are(kicks: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(["augment", str(kicks), "-o", str(out), "-n", "1", "--mirror", "--speed", "0.5", "2", "--quiet"]) == 0
    rows = {row["file"]: row for row in table(out)}
    assert len(rows) == (2 + 1) * 4 and {row["licence"] for row in rows.values()} == {"LICENSE.txt"}
    assert (out / "LICENSE.txt").read_text() == "CC0"
    take, mirrored = ft.read_clip(out / "kick_left_1.bvh"), ft.read_clip(out / "kick_left_1_mirrored.bvh")
    assert rows["kick_left_1_mirrored.bvh"]["group"] == "kick_right", "the other leg kicks"
    np.testing.assert_allclose(mirrored.positions(), mirror(take).positions(), atol=1e-3)
    slow, fast = (ft.read_clip(out / f"kick_left_1_speed_{s}.bvh") for s in ("0_5", "2"))
    assert (len(slow), len(fast)) == (2 * len(take) - 1, (len(take) + 1) // 2) and slow.fps == pytest.approx(take.fps)
    np.testing.assert_allclose(fast.positions(), take.positions()[::2], atol=1e-3)
    np.testing.assert_allclose(slow.positions()[::2], take.positions(), atol=1e-3)
    changed = rows["kick_left_variant_001_speed_2.bvh"]
    assert (changed["kind"], changed["change"], changed["group"]) == ("variant", "speed 2", "kick_left")
    assert swapped_sides("Left_kick RIGHT") == "Right_kick LEFT"


def test_a_webdataset_holds_what_the_folder_holds(kicks: Path, tmp_path: Path) -> None:
    folder, tar, again = tmp_path / "out", tmp_path / "out.tar", tmp_path / "again.tar"
    for out in (folder, tar, again):
        assert run(["augment", str(kicks), "-o", str(out), "-n", "1", "--mirror", "--licence", "CC0"]) == 0
    assert tar.read_bytes() == again.read_bytes()
    with tarfile.open(tar) as archive:
        names = archive.getnames()
        content = {name: archive.extractfile(name).read() for name in names}  # type: ignore[union-attr]
    # As WebDataset groups: members of one name follow one another, the name ends at the first dot.
    assert [name.split(".")[0] for name in names[::2]] == [name.split(".")[0] for name in names[1::2]]
    labels = [json.loads(content[name]) for name in names if name.endswith(".json")]
    wanted = json.loads((folder / "labels.json").read_text())["files"]
    assert [{key: label[key] for key in row} for label, row in zip(labels, wanted, strict=True)] == wanted
    for label in labels:
        stem = label["file"].removesuffix(".bvh")
        (tmp_path / "one.npz").write_bytes(content[f"{stem}.npz"])
        clip, filed = ft.read_clip(tmp_path / "one.npz"), ft.read_clip(folder / label["file"])
        np.testing.assert_allclose(clip.positions(), filed.positions(), atol=1e-3)
        arrays = np.load(io.BytesIO(content[f"{stem}.npz"]))
        np.testing.assert_allclose(arrays["positions"], clip.positions(), atol=1e-3)
        assert label["fps"] == pytest.approx(clip.fps) and label["frames"] == len(clip)


def test_an_npz_has_all_frames_and_one_body(
    kicks: Path, takes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data.npz"
    assert run(["augment", str(kicks), "-o", str(out), "-n", "2"]) == 0
    data = np.load(out)
    labels = [json.loads(text) for text in data["labels"]]
    assert [label["kind"] for label in labels] == ["real", "real", "variant", "variant"]
    clip = ft.read_clip(kicks / "kick_left_2.bvh")
    first, last = data["first"][1:3]
    np.testing.assert_allclose(data["positions"][first:last], clip.positions(), atol=1e-3)
    assert tuple(data["names"]) == clip.skeleton.names and data["offsets"].shape == (4, len(clip.skeleton), 3)
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for path in (*kicks.glob("*.bvh"), *takes.glob("*.csv")):
        (mixed / path.name).write_bytes(path.read_bytes())
    capsys.readouterr()
    assert run(["augment", str(mixed), "-o", str(tmp_path / "no.npz"), "-n", "1", "--quiet"]) == 2
    assert "different body" in capsys.readouterr().err and not (tmp_path / "no.npz").exists()


def test_parquet_is_a_table_or_one_sentence(kicks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "data.parquet"
    code = run(["augment", str(kicks), "-o", str(out), "-n", "1"])
    try:
        import pyarrow.parquet as parquet  # type: ignore[import-not-found]
    except ImportError:
        assert code == 2 and "pip install pyarrow" in capsys.readouterr().err and not out.exists()
        return
    rows = parquet.read_table(out).to_pylist()
    clip = ft.read_clip(kicks / rows[1]["file"])
    shape = rows[1]["positions_shape"]
    np.testing.assert_allclose(np.reshape(rows[1]["positions"], shape), clip.positions(), atol=1e-3)
    assert rows[2]["sources"] == ["kick_left_1.bvh", "kick_left_2.bvh"]


def torch_python() -> str | None:
    """The Python that has torch: this one, or the one that FRESHTAKE_TORCH names."""
    return sys.executable if importlib.util.find_spec("torch") else os.environ.get("FRESHTAKE_TORCH")


def test_the_manuals_twelve_lines_of_pytorch_learn(kicks: Path, tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "augmenting.md"
    (block,) = re.findall(r"```py\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(block.splitlines()) == 12
    compile(block, page.name, "exec")
    python = torch_python()
    if python is None:
        pytest.skip("torch is not installed, and FRESHTAKE_TORCH names no Python that has it")
    assert run(["augment", str(kicks), "-o", str(tmp_path / "training.npz"), "-n", "3", "--mirror", "--quiet"]) == 0
    ending = "print(loss.item(), len(names))"
    done = subprocess.run(
        [python, "-c", block + ending], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=300
    )
    loss, groups = done.stdout.split()
    assert float(loss) < 0.3 and int(groups) == 2
