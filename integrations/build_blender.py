"""Build the Blender extension: one zip per platform, with wheels, checked by Blender's own validator.

    python integrations/build_blender.py --blender .clients/venv/bin/python --platforms linux-x64

`--blender` is a Python that has Blender's module (bpy): the zips are for Blender versions with the same Python. Its
tool `blender_ext.py` builds and validates them, and it compiles the machine code that comes with the zip for this
platform.
"""

from __future__ import annotations

import argparse
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "integrations" / "blender"
LARGEST = 110_000_000  # bytes of a zip
NEEDED = ("llvmlite", "numba", "threadpoolctl")
MACHINE_CODE = "machine_code"  # where the extension looks for it


class Blenders(NamedTuple):
    """Blender versions with the same Python: the first, the first with another one, and where wheels are pinned."""

    first: str
    before: str
    pins: Path


BLENDERS = {
    "3.11": Blenders("4.2.0", "5.1.0", ROOT / "integrations" / "blender-wheels.txt"),
    "3.13": Blenders("4.3.0", "5.3.0", ROOT / "requirements" / "runtime.txt"),  # 4.3 is Debian's
}
# Blender's name of a platform, and the tags of wheels that run on what Blender itself requires there.
PLATFORMS = {
    "linux-x64": ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64"),
    "windows-x64": ("win_amd64",),
    "macos-arm64": ("macosx_11_0_arm64", "macosx_12_0_arm64"),
}


def main() -> int:
    """Build the zips given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--blender", type=Path, required=True, help="a Python with the module bpy")
    parser.add_argument("--platforms", nargs="+", choices=PLATFORMS, default=[host()])
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    python = version_of(options.blender)
    options.out.mkdir(parents=True, exist_ok=True)
    for platform_name in options.platforms:
        with tempfile.TemporaryDirectory() as folder:
            staged = stage(Path(folder) / "freshtake", platform_name, python)
            if platform_name == host():
                add_machine_code(staged, options.blender, Path(folder) / "installed")
            built = build(staged, Path(folder) / "out", options.blender)
            target = options.out / f"{built.stem}-py{python.replace('.', '')}.zip"
            shutil.move(built, target)
            print(f"{target}: {target.stat().st_size / 1e6:.1f} MB")
    return 0


def version_of(blender: Path) -> str:
    """Return the version of a Python, which has to be one that Blender has."""
    python = _run(blender, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").strip()
    if python not in BLENDERS:
        raise SystemExit(f"{blender} is Python {python}, but Blender has Python {' or '.join(BLENDERS)}")
    return python


def host() -> str:
    """Return Blender's name of the platform that this runs on."""
    system = {"linux": "linux", "win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine())
    return f"{system}-{machine}"


def stage(folder: Path, platform_name: str, python: str) -> Path:
    """Make the extension's folder with wheels for a platform, and a manifest that lists them."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    wheels, pins = folder / "wheels", folder.with_name("pins.txt")
    wheels.mkdir()
    _pip("wheel", "--no-deps", "--wheel-dir", wheels, ROOT)
    pins.write_text(pins_of(BLENDERS[python].pins.read_text(encoding="utf-8"), python), encoding="utf-8")
    tags = [word for tag in PLATFORMS[platform_name] for word in ("--platform", tag)]
    only = ("--only-binary", ":all:", "--python-version", python, "--implementation", "cp")
    _pip("download", "--no-deps", "--require-hashes", *only, *tags, "--dest", wheels, "-r", pins)
    manifest = folder / "blender_manifest.toml"
    names = sorted(path.name for path in wheels.glob("*.whl"))
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(completed(text, BLENDERS[python], platform_name, names), encoding="utf-8")
    return folder


def pins_of(requirements: str, python: str) -> str:
    """Return the bundled packages from a file of pinned requirements: with hashes, without markers."""
    out = []
    for pin in re.findall(r"^\S.*(?:\n .*)*", requirements, re.MULTILINE):
        name, _, marker = pin.partition("\n")[0].rstrip(" \\").partition(" ; ")
        limit = re.fullmatch(r"python_full_version (<|>=) '3\.(\d+)'", marker)
        minor = int(python.partition(".")[2])
        wanted = limit is None or (minor < int(limit[2])) == (limit[1] == "<")
        if name.partition("==")[0] in NEEDED and wanted:
            hashes = re.findall(r"--hash=sha256:[0-9a-f]{64}", pin)
            out.append(" ".join([name, *hashes]) + "\n")
    if len(out) != len(NEEDED):
        raise SystemExit(f"{len(NEEDED)} pinned packages were expected for Python {python}, but there are {len(out)}")
    return "".join(out)


def completed(manifest: str, blenders: Blenders, platform_name: str, wheels: list[str]) -> str:
    """Return the manifest with values from this build, inserted before its first table."""
    lines = "".join(f'  "./wheels/{name}",\n' for name in wheels)
    added = (
        f'blender_version_min = "{blenders.first}"\nblender_version_max = "{blenders.before}"\n'
        f'platforms = ["{platform_name}"]\nwheels = [\n{lines}]\n\n'
    )
    place = re.search(r"^\[", manifest, re.MULTILINE)
    assert place is not None
    return manifest[: place.start()] + added + manifest[place.start() :]


def add_machine_code(staged: Path, blender: Path, installed: Path) -> None:
    """Compile all kernels with Blender's Python and NumPy and the staged wheels."""
    wheels = sorted((staged / "wheels").glob("*.whl"))
    _run(blender, "-m", "pip", "--quiet", "install", "--no-deps", "--no-compile", "--target", installed, *wheels)
    start = "import sys; sys.path.insert(0, sys.argv.pop(1)); from freshtake.bridge.shipped_code import main; main()"
    _run(blender, "-I", "-c", start, installed, staged / MACHINE_CODE)


def build(staged: Path, out: Path, blender: Path) -> Path:
    """Build a zip and let Blender validate it."""
    out.mkdir()
    tool = extension_tool(blender)
    _run(blender, tool, "build", "--source-dir", staged, "--output-dir", out, "--split-platforms")
    (path,) = out.glob("*.zip")
    _run(blender, tool, "validate", path)
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size / 1e6:.0f} MB, more than {LARGEST / 1e6:.0f}")
    return path


def extension_tool(blender: Path) -> Path:
    """Return Blender's command for extensions, which comes with its module."""
    program = "import importlib.util as u, pathlib; print(pathlib.Path(u.find_spec('bpy').origin).parent)"
    tools = sorted(Path(_run(blender, "-c", program).strip()).glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py"))
    if not tools:
        raise SystemExit(f"{blender} has no Blender 4.2 or later: install its module bpy there")
    return tools[0]


def _pip(*words: object) -> None:
    _run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words)


def _run(*words: object) -> str:
    """Return what a program prints; if it fails, exit with its last line."""
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, words[:4]))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
