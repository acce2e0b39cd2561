"""The extension's manifest: what it says is so, and a build adds wheels without harming the rest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from integrations.build_blender import PLATFORMS, SOURCE, WHEELS, host, with_wheels

import freshtake

MANIFEST = (SOURCE / "blender_manifest.toml").read_text(encoding="utf-8")


def test_the_extension_is_of_the_librarys_release() -> None:
    said = tomllib.loads(MANIFEST)
    assert said["version"] == freshtake.__version__
    assert said["id"] == "freshtake" and said["blender_version_min"] == "4.2.0"
    assert said["license"] == ["SPDX:GPL-3.0-or-later"]
    assert "GNU GENERAL PUBLIC LICENSE" in (SOURCE / "LICENSE").read_text(encoding="utf-8")


def test_a_build_adds_platforms_and_wheels_and_nothing_else() -> None:
    made = tomllib.loads(with_wheels(MANIFEST, ["linux-x64"], ["a-1-py3-none-any.whl", "b-2-py3-none-any.whl"]))
    wheels = ["./wheels/a-1-py3-none-any.whl", "./wheels/b-2-py3-none-any.whl"]
    assert made == {**tomllib.loads(MANIFEST), "platforms": ["linux-x64"], "wheels": wheels}
    assert re.fullmatch(r"(linux|windows|macos)-(x64|arm64)", host())


def test_every_file_of_the_extension_says_its_licence() -> None:
    silent = [path for path in SOURCE.rglob("*.py") if "SPDX-License-Identifier: GPL-3.0-or-later" not in first(path)]
    assert silent == []


def first(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0]


def test_wheels_are_pinned_by_hash_for_every_platform() -> None:
    pinned = re.findall(
        r"^(\w+)==[\d.]+ \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", WHEELS.read_text(), re.MULTILINE
    )
    counts = {name: hashes.count("sha256") for name, hashes in pinned}
    assert counts == {"llvmlite": len(PLATFORMS), "numba": len(PLATFORMS), "scipy": len(PLATFORMS), "threadpoolctl": 1}
