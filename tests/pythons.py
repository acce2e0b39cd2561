"""Run the suite under every available Python: python -m tests.pythons [tests ...]

For each version, an environment in .pythons/ is filled from the locked requirements. If there is no interpreter of a
version, only the wheels are checked: all packages that freshtake and the studio need must have one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
PLACE = ROOT / ".pythons"
RESOLVED = ("runtime", "studio")  # requirements that have wheels for every version


def interpreter(version: str) -> str | None:
    """Return a Python of a version: on PATH, or installed by pyenv."""
    installed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"), reverse=True)
    names = [f"python{version}", "python3", "python", *map(str, installed)]
    for found in filter(None, map(shutil.which, names)):
        said = subprocess.run(
            [found, "-c", "import sys; print(*sys.version_info[:2], sep='.')"], capture_output=True, text=True
        )
        if said.stdout.strip() == version:
            return found
    return None


def uv() -> str:
    """Return the installer, from PATH or in a separate environment."""
    found = shutil.which("uv")
    if found is None:
        python = environment(PLACE / "uv", sys.executable)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv")
        found = str(Path(python).with_name("uv"))
    return found


def environment(folder: Path, base: str) -> str:
    """Return the interpreter of an environment, which is created if it does not exist."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        if Path(base).resolve() == Path(sys.executable).resolve():
            venv.create(folder, with_pip=True)
        else:
            run(base, "-m", "venv", str(folder))
    return str(python)


def run(*command: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT)


def main(tests: Sequence[str]) -> int:
    """Print a row for each version; return 1 if something failed."""
    rows = {}
    for version in VERSIONS:
        base = interpreter(version)
        try:
            if base is None:
                for name in RESOLVED:
                    there = ["--python-version", version, "--target", str(PLACE / "none"), "--only-binary", ":all:"]
                    locked = ["--require-hashes", "-r", f"requirements/{name}.txt"]
                    run(uv(), "pip", "install", "--quiet", "--dry-run", *there, *locked)
                rows[version] = "no interpreter here; all wheels are there"
                continue
            python = environment(PLACE / version, base)
            run(
                uv(), "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", "requirements/test.txt"
            )
            run(uv(), "pip", "install", "--quiet", "--python", python, "--no-deps", "-e", ".")
            run(python, "-m", "pytest", "-q", *(tests or ["-n", "auto", "--dist", "loadfile"]))
            rows[version] = "passed"
        except subprocess.CalledProcessError as error:
            rows[version] = f"failed: {' '.join(map(str, error.cmd))[:100]}"
    for version, said in rows.items():
        print(f"{version}: {said}")
    return int(any(said.startswith("failed") for said in rows.values()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
