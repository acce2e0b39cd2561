"""Build the Blender extension: one zip per platform, with wheels, checked by Blender's own validator.

    python integrations/build_blender.py --blender .clients/venv/bin/python --platforms linux-x64

`--blender` is a Python that has Blender's module (bpy): its tool `blender_ext.py` builds and validates the zips.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "integrations" / "blender"
WHEELS = ROOT / "integrations" / "blender-wheels.txt"
LARGEST = 110_000_000  # bytes of a zip
PYTHON = "3.11"  # Blender 4.2 to 5.0
# Blender's name of a platform, and the tags of wheels that run on what Blender itself asks for there.
PLATFORMS = {
    "linux-x64": ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_11_0_arm64", "macosx_12_0_arm64"),
}


def main() -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blender", type=Path, required=True, help="a Python with the module bpy")
    parser.add_argument("--platforms", nargs="+", choices=PLATFORMS, default=[host()])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        staged = stage(Path(folder) / "freshtake", asked.platforms)
        built = build(staged, Path(folder) / "out", asked.blender, asked.platforms)
        asked.out.mkdir(parents=True, exist_ok=True)
        for path in built:
            target = asked.out / path.name
            shutil.move(path, target)
            print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0


def host() -> str:
    """Blender's name of the platform that this runs on."""
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine())
    return f"{system}-{machine}"


def stage(folder: Path, platforms: Sequence[str]) -> Path:
    """The extension's folder with wheels for the platforms, and a manifest that lists them."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    wheels = folder / "wheels"
    wheels.mkdir()
    _pip("wheel", "--no-deps", "--wheel-dir", wheels, ROOT)
    for one in platforms:
        tags = [word for tag in PLATFORMS[one] for word in ("--platform", tag)]
        only = ("--only-binary", ":all:", "--python-version", PYTHON, "--implementation", "cp")
        _pip("download", "--no-deps", "--require-hashes", *only, *tags, "--dest", wheels, "-r", WHEELS)
    manifest = folder / "blender_manifest.toml"
    names = sorted(path.name for path in wheels.glob("*.whl"))
    manifest.write_text(with_wheels(manifest.read_text(encoding="utf-8"), platforms, names), encoding="utf-8")
    return folder


def with_wheels(manifest: str, platforms: Sequence[str], wheels: Sequence[str]) -> str:
    """The manifest with what only this build knows, before its first table."""
    lines = "".join(f'  "./wheels/{name}",\n' for name in wheels)
    listed = ", ".join(f'"{one}"' for one in platforms)
    added = f"platforms = [{listed}]\nwheels = [\n{lines}]\n\n"
    place = re.search(r"^\[", manifest, re.MULTILINE)
    assert place is not None
    return manifest[: place.start()] + added + manifest[place.start() :]


def build(staged: Path, out: Path, blender: Path, platforms: Sequence[str]) -> list[Path]:
    """Zips, each of which Blender finds valid."""
    out.mkdir()
    tool = extension_tool(blender)
    _run(blender, tool, "build", "--source-dir", staged, "--output-dir", out, "--split-platforms")
    built = sorted(out.glob("*.zip"))
    if len(built) != len(platforms):
        raise SystemExit(f"{len(platforms)} zips were expected, but there are {len(built)}")
    for path in built:
        _run(blender, tool, "validate", path)
        if path.stat().st_size > LARGEST:
            raise SystemExit(f"{path.name} has {path.stat().st_size / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f}")
    return built


def extension_tool(blender: Path) -> Path:
    """Blender's command for extensions, which comes with its module."""
    asked = "import importlib.util as u, pathlib; print(pathlib.Path(u.find_spec('bpy').origin).parent)"
    found = subprocess.run([blender, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()
    tools = sorted(Path(found).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise SystemExit(f"{blender} has no Blender 4.2 or later: install its module bpy there")
    return tools[0]


def _pip(*words: object) -> None:
    _run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words)


def _run(*words: object) -> None:
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words[:4]))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    sys.exit(main())
