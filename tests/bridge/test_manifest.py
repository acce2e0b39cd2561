"""The extension's manifest is correct, and a build adds wheels without harming the rest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from integrations.build_blender import BLENDERS, NEEDED, PLATFORMS, SOURCE, completed, host, pins_of

import freshtake

MANIFEST = (SOURCE / "blender_manifest.toml").read_text(encoding="utf-8")


def test_the_extension_is_of_the_librarys_release() -> None:
    said = tomllib.loads(MANIFEST)
    assert said["version"] == freshtake.__version__
    assert said["id"] == "freshtake"
    assert said["license"] == ["SPDX:GPL-3.0-or-later"]
    assert "GNU GENERAL PUBLIC LICENSE" in (SOURCE / "LICENSE").read_text(encoding="utf-8")


def test_a_build_adds_blenders_platform_and_wheels_and_nothing_else() -> None:
    names = ["a-1-py3-none-any.whl", "b-2-py3-none-any.whl"]
    made = tomllib.loads(completed(MANIFEST, BLENDERS["3.11"], "linux-x64", names))
    added = {
        "blender_version_min": "4.2.0", "blender_version_max": "5.1.0", "platforms": ["linux-x64"],
        "wheels": [f"./wheels/{name}" for name in names],
    }  # fmt: skip
    assert made == {**tomllib.loads(MANIFEST), **added}
    assert re.fullmatch(r"(linux|windows|macos)-(x64|arm64)", host())


def test_every_file_of_the_extension_says_its_licence() -> None:
    silent = [path for path in SOURCE.rglob("*.py") if "SPDX-License-Identifier: GPL-3.0-or-later" not in first(path)]
    assert silent == []


def first(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0]


@pytest.mark.parametrize("python", BLENDERS)
def test_wheels_are_pinned_by_hash_for_every_platform(python: str) -> None:
    pins = pins_of(BLENDERS[python].pins.read_text(encoding="utf-8"), python).splitlines()
    assert [re.match(r"(\w+)==[\d.]+ --hash=", pin)[1] for pin in pins] == sorted(NEEDED)  # type: ignore[index]
    for pin in pins:
        assert pin.count("--hash=sha256:") >= (1 if pin.startswith("threadpoolctl") else len(PLATFORMS))


def test_a_pin_is_that_of_the_python() -> None:
    text = "".join(f"{name}==1 \\\n    --hash=sha256:{'0' * 64}\n    # via x\n" for name in NEEDED if name != "numba")
    hashes = {">=": "a" * 64, "<": "b" * 64}
    text += "".join(
        f"numba==2 ; python_full_version {sign} '3.12' \\\n    --hash=sha256:{hash}\n" for sign, hash in hashes.items()
    )
    assert f"numba==2 --hash=sha256:{hashes['<']}\n" in pins_of(text, "3.11")
    assert f"numba==2 --hash=sha256:{hashes['>=']}\n" in pins_of(text, "3.13")
    with pytest.raises(SystemExit, match="3 pinned packages were expected"):
        pins_of(text.replace("numba", "other"), "3.11")
