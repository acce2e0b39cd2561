"""Write the software bill of materials of freshtake as CycloneDX: python integrations/sbom.py [FILE]

Parts are the locked requirements of users (requirements/studio.txt, which includes runtime.txt) and third-party code
inside the package (integrations/vendored.toml). Licences are those that installed packages declare, or whose texts
they contain.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution, metadata
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\]+?))?\s*\\?$")
HASH = re.compile(r"^\s+--hash=sha256:([0-9a-f]{64})")
# Words in a package's metadata that identify one licence; "BSD" means several, so its text has to be read.
WORDS = {"Apache 2.0": "Apache-2.0"}
CLASSIFIERS = {
    "MIT License": "MIT", "Apache Software License": "Apache-2.0", "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "zlib/libpng License": "Zlib",
}  # fmt: skip
# How the texts of licences begin; BSD texts differ in whether names may be used for endorsement.
TEXTS = (
    ("permission is hereby granted, free of charge", "MIT"),
    ("license agreement for matplotlib", "LicenseRef-matplotlib"),
    ("redistribution and use in source and binary forms", "BSD"),
)
TEXT_FILE = re.compile(r"(LICEN[CS]E|COPYING)(\.\w+)?", re.IGNORECASE)
# Libraries inside a wheel, as the texts of numpy and scipy list them.
BUNDLED = re.compile(r"^Name: (.+)\nFiles: (.+)\n(?:.*\n)*?License: (.+)$", re.MULTILINE)


class Pin(NamedTuple):
    """One locked package; `marker` restricts it to a Python version or system."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def pins(name: str) -> Iterator[Pin]:
    """Yield the packages of a requirement file."""
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
    """Return the SPDX expression of an installed package; None if it is not installed here.

    What its metadata declares, or the licence whose text it contains if the metadata has only a general word.
    """
    try:
        stated = metadata(package)
    except PackageNotFoundError:
        return None
    if expression := stated.get("License-Expression"):
        return str(expression)
    word = str(stated.get("License") or "").strip()
    if word in WORDS or (word != "BSD" and re.fullmatch(r"[\w.+-]{1,40}", word)):
        return WORDS.get(word, word)
    kinds = [line.rpartition("::")[2].strip() for line in stated.get_all("Classifier") or () if "License ::" in line]
    if (by_classifier := CLASSIFIERS.get(kinds[-1] if kinds else "")) is not None:
        return by_classifier
    text = license_text(package)
    if not text and (word == "BSD" or "BSD License" in kinds):
        return "LicenseRef-BSD"  # one of several, without saying which
    return license_by_text(text)


def license_text(package: str) -> str:
    """Return the licence text in an installed package; empty if there is none."""
    found = distribution(package)
    for file in found.files or ():
        if file.parent.parts[:1] and ".dist-info" in file.parts[0] and TEXT_FILE.fullmatch(file.name):
            return Path(str(found.locate_file(file))).read_text(encoding="utf-8", errors="replace")
    return ""


def license_by_text(text: str) -> str:
    """Return the SPDX name of the licence with this text."""
    plain = " ".join(text.split()).lower()
    name = next((name for words, name in TEXTS if words in plain[:1500]), "LicenseRef-unknown")
    if name != "BSD":
        return name
    return "BSD-3-Clause" if "endorse or promote" in plain else "BSD-2-Clause"


def bundled(package: str) -> list[tuple[str, str]]:
    """Return the names and licences of third-party libraries inside an installed wheel, as its text lists them."""
    try:
        return [(name, stated) for name, _, stated in BUNDLED.findall(license_text(package))]
    except PackageNotFoundError:
        return []


def vendored() -> list[dict[str, Any]]:
    """Return the third-party code inside the package."""
    parts: list[dict[str, Any]] = tomllib.loads((ROOT / "integrations" / "vendored.toml").read_text())["part"]
    return parts


def components() -> Iterator[dict[str, Any]]:
    """Yield every part in CycloneDX form."""
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
        if inside := bundled(pin.name):
            part["components"] = [
                {"type": "library", "name": name, "licenses": [{"license": {"name": words}}]} for name, words in inside
            ]
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
    """Return all parts, deterministically for the same locked requirements."""
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
