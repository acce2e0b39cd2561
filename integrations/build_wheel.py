"""Build a wheel with machine code for the Python and system it runs on, so nothing is compiled after installing.

    python integrations/build_wheel.py [--out dist] [--processors x86-64-v3 x86-64-v2] [--steps learning variants]

The pure wheel is built too; it works everywhere and compiles on first use. Machine code is bound to the versions of
numba and llvmlite that compiled it, so the wheel requires these.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSIDE = "freshtake/machine_code"
PROCESSORS = ("x86-64-v3", "x86-64-v2")
PLATFORM = "manylinux_2_28_x86_64"  # that of numba's wheels, without which ours is useless
EARLIEST = (1980, 1, 1, 0, 0, 0)


def main() -> int:
    """Build both wheels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--processors", nargs="+", default=PROCESSORS)
    parser.add_argument("--steps", nargs="+", default=[])
    options = parser.parse_args()
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        sys.exit("machine code is built for Linux on x86-64 so far: use the pure wheel, pip wheel --no-deps .")
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, str(ROOT))
        (pure,) = Path(folder).glob("freshtake-*.whl")
        python = installed(Path(folder) / "venv", pure)
        code = Path(folder) / "code"
        for processor in options.processors:
            command = [python, "-m", "freshtake.bridge.shipped_code", str(code / processor), processor, *options.steps]
            run(*command, cwd=folder, HOME=folder)
        versions = run(python, "-c", VERSIONS).split()
        target = options.out / with_tag(pure.name)
        repack(pure, target, code, [f"numba=={versions[0]}", f"llvmlite=={versions[1]}"])
        shutil.copyfile(pure, options.out / pure.name)
    for built in (options.out / pure.name, target):
        print(f"{built}: {built.stat().st_size / 1e6:.1f} MB")
    return 0


VERSIONS = "import numba, llvmlite; print(numba.__version__, llvmlite.__version__)"


def run(*command: str, cwd: str | Path = ROOT, **environment: str) -> str:
    """Return the output of a program, which must succeed."""
    plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    done = subprocess.run(command, cwd=cwd, env={**plain, **environment}, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def installed(folder: Path, wheel: Path) -> str:
    """Return the Python of a new environment with the locked requirements and the wheel."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "runtime.txt"))
    run(*pip, "--no-deps", str(wheel))
    return python


def tag() -> str:
    """Return Python, ABI and platform tags, as wheels name them."""
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{version}-{version}{getattr(sys, 'abiflags', '')}-{PLATFORM}"


def with_tag(pure: str) -> str:
    """Return the name of a pure wheel with this platform's tag."""
    name, version, *_ = pure.split("-")
    return f"{name}-{version}-{tag()}.whl"


def repack(pure: Path, target: Path, code: Path, needs: Iterable[str]) -> None:
    """Rewrite a pure wheel with machine code, its tag and requirements; equal content gives equal bytes."""
    with zipfile.ZipFile(pure) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for file in sorted(code.rglob("*.nbc")):
        members[f"{INSIDE}/{file.relative_to(code).as_posix()}"] = file.read_bytes()
    (info,) = {name.partition("/")[0] for name in members if name.partition("/")[0].endswith(".dist-info")}
    lines = members[f"{info}/WHEEL"].decode().splitlines()
    kept = [line for line in lines if not line.startswith(("Tag:", "Root-Is-Purelib:")) and line]
    members[f"{info}/WHEEL"] = "\n".join([*kept, "Root-Is-Purelib: false", f"Tag: {tag()}", ""]).encode()
    head, blank, text = members[f"{info}/METADATA"].decode().partition("\n\n")
    head += "".join(f"\nRequires-Dist: {need}" for need in needs)
    members[f"{info}/METADATA"] = (head + blank + text).encode()
    del members[f"{info}/RECORD"]
    rows = [f"{name},{checksum(data)},{len(data)}" for name, data in members.items()]
    members[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)


def checksum(data: bytes) -> str:
    """Return a hash as in RECORD."""
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    sys.exit(main())
