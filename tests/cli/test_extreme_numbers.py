"""Files with numbers of 1e308: a sentence or a result, and no warning of numpy's on the screen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.cli.entry import run
from freshtake.errors import FormatError


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extreme")
    assert run(["samples", "write", "walk", "-n", "2", "-o", str(folder), "-q"]) == 0
    text = (folder / "walk_1.bvh").read_text()
    head, _, rows = text.partition("MOTION")
    lines = rows.splitlines()
    for place, value in (("root", "1e308"), ("angle", "-1e308")):
        numbers = lines[20].split()
        numbers[0 if place == "root" else 9] = value
        body = "\n".join([*lines[:20], " ".join(numbers), *lines[21:]])
        (folder / f"{place}.bvh").write_text(f"{head}MOTION{body}\n")
    return folder


@pytest.mark.parametrize("damage", ["root", "angle"])
@pytest.mark.parametrize(
    "command",
    [
        ["info", "IN"], ["convert", "IN", "OUT.npz"], ["convert", "IN", "OUT.glb", "--unit", "cm"],
        ["learn", "IN", "walk_2.bvh", "-o", "OUT.ftm"], ["loop", "IN", "-o", "OUT.bvh"],
        ["plant", "IN", "-o", "OUT.bvh"], ["cut", "IN", "-o", "OUT"], ["texture", "learn", "IN", "-o", "OUT.ftm"],
        ["align", "IN", "walk_2.bvh"], ["select", "IN", "--trusted", "walk_2.bvh", "walk_1.bvh", "walk_2.bvh"],
    ],
    ids=lambda words: " ".join(words[:2]),
)  # fmt: skip
def test_the_screen_shows_sentences_only(
    command: list[str], damage: str, takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(takes)
    words = [word.replace("OUT", str(tmp_path / "out")).replace("IN", f"{damage}.bvh") for word in command]
    assert run(words) in (0, 2)
    said = capfd.readouterr().err
    assert "Warning" not in said and "encountered" not in said and "Traceback" not in said
    assert all(line.startswith("freshtake: ") for line in said.splitlines())


def test_extreme_numbers_in_a_model_are_refused_when_it_is_loaded(tmp_path: Path) -> None:
    import hashlib
    import io
    import json
    import zipfile

    walks = [ft.samples.walk(np.random.default_rng(k), cycles=1) for k in range(2)]
    model = ft.variation.learn(walks, rng=np.random.default_rng(0))
    ft.save(tmp_path / "good.ftm", model)
    with zipfile.ZipFile(tmp_path / "good.ftm") as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["header.json"])
    refused = []
    for name in list(header["sha256"]):
        values = np.load(io.BytesIO(parts[f"{name}.npy"]))
        if values.dtype.kind != "f" or not values.size:
            continue
        extreme = values.astype(np.float64)
        extreme.flat[0] = 1e300
        buffer = io.BytesIO()
        np.save(buffer, extreme)
        sums = {**header["sha256"], name: hashlib.sha256(buffer.getvalue()).hexdigest()}
        changed = {
            **parts,
            f"{name}.npy": buffer.getvalue(),
            "header.json": json.dumps({**header, "sha256": sums}).encode(),
        }
        with zipfile.ZipFile(tmp_path / "bad.ftm", "w") as archive:
            for part, content in changed.items():
                archive.writestr(part, content)
        with pytest.raises(FormatError):
            ft.load(tmp_path / "bad.ftm")
        refused.append(name)
    assert len(refused) > 3
