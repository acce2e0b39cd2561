"""What freshtake is made of, as CycloneDX: python integrations/sbom.py [FILE]

Parts are the locked requirements of users (requirements/studio.txt, which holds those of runtime.txt too) and the code
of others inside the package (integrations/vendored.toml). Licences are those that installed packages state.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\]+?))?\s*\\?$")
HASH = re.compile(r"^\s+--hash=sha256:([0-9a-f]{64})")
# Packages that state their licence in a text of their own, or by a general word: noted here from general
# knowledge; read the text of a package before relying on its row.
READ = {
    "contourpy": "BSD-3-Clause", "cycler": "BSD-3-Clause", "ezc3d": "MIT", "kiwisolver": "BSD-3-Clause",
    "matplotlib": "LicenseRef-matplotlib", "numba": "BSD-2-Clause", "partd": "BSD-3-Clause", "scipy": "BSD-3-Clause",
    "upc-pymotion": "MIT", "usd-core": "LicenseRef-TOST-1.0", "zict": "BSD-3-Clause",
}  # fmt: skip
CLASSIFIERS = {
    "MIT License": "MIT", "BSD License": "BSD-3-Clause", "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "zlib/libpng License": "Zlib",
}  # fmt: skip


class Pin(NamedTuple):
    """One locked package; `marker` says for which Python or system."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def pins(name: str) -> Iterator[Pin]:
    """The packages of a requirement file."""
    found: Pin | None = None
    for line in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if start := PIN.match(line):
            if found is not None:
                yield found
            found = Pin(start[1], start[2], start[3] or "", ())
        elif found is not None and (checksum := HASH.match(line)):
            found = found._replace(hashes=(*found.hashes, checksum[1]))
    if found is not None:
        yield found


def license_of(package: str) -> str | None:
    """The SPDX expression of an installed package; None where it is not installed here."""
    try:
        stated = metadata(package)
    except PackageNotFoundError:
        return None
    if package in READ:
        return READ[package]
    if expression := stated.get("License-Expression"):
        return str(expression)
    kinds = [line.rpartition("::")[2].strip() for line in stated.get_all("Classifier") or () if "License ::" in line]
    word = str(stated.get("License") or "").strip()
    if word and len(word) < 40:
        return {"Apache 2.0": "Apache-2.0", "BSD": "BSD-3-Clause"}.get(word, word)
    return CLASSIFIERS.get(kinds[-1]) if kinds else None


def vendored() -> list[dict[str, Any]]:
    """Code of others inside the package."""
    parts: list[dict[str, Any]] = tomllib.loads((ROOT / "integrations" / "vendored.toml").read_text())["part"]
    return parts


def components() -> Iterator[dict[str, Any]]:
    """Every part as CycloneDX has it."""
    for pin in pins("studio"):
        part: dict[str, Any] = {
            "type": "library", "name": pin.name, "version": pin.version, "purl": f"pkg:pypi/{pin.name}@{pin.version}",
            "bom-ref": f"pkg:pypi/{pin.name}@{pin.version}",
            "properties": [{"name": "freshtake:sha256-of-file", "value": value} for value in pin.hashes],
        }  # fmt: skip
        if pin.marker:
            part["properties"].append({"name": "freshtake:marker", "value": pin.marker})
        if (stated := license_of(pin.name)) is not None:
            part["licenses"] = [{"expression": stated}]
        yield part
    for code in vendored():
        yield {
            "type": "library", "name": code["name"], "version": code["version"],
            "purl": f"pkg:npm/{code['name']}@{code['version']}", "bom-ref": f"pkg:npm/{code['name']}@{code['version']}",
            "licenses": [{"expression": code["license"]}],
            "components": [
                {"type": "file", "name": f"{code['folder']}/{name}", "hashes": [{"alg": "SHA-256", "content": value}]}
                for name, value in code["files"].items()
            ],
        }  # fmt: skip


def document() -> dict[str, Any]:
    """The whole, the same for the same locked requirements."""
    version = re.search(r'__version__ = "([^"]+)"', (ROOT / "src/freshtake/__init__.py").read_text())
    assert version is not None
    about = {"type": "application", "name": "freshtake", "version": version[1], "bom-ref": "freshtake"}
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": about},
        "components": list(components()),
    }  # fmt: skip


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist" / "freshtake.cdx.json")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")
    print(f"wrote {target}: {len(document()['components'])} parts")
