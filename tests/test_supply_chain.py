"""Third-party code that we ship or need: unchanged, listed, pinned by hash, under permissive licences."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACE = ROOT / "integrations" / "sbom.py"
spec = importlib.util.spec_from_file_location("sbom", PLACE)
assert spec is not None and spec.loader is not None
sbom = importlib.util.module_from_spec(spec)
sys.modules["sbom"] = sbom  # its named tuples look for their module
spec.loader.exec_module(sbom)

FREE = {
    "0BSD", "MIT-0", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "MIT",
    "MIT-CMU", "PSF-2.0", "Zlib", "LicenseRef-matplotlib",
}  # fmt: skip
# Considered one by one: MPL binds only changes to its files; usd-core (an extra) is nearly Apache-2.0; pyopengl (for
# tests) states "BSD" and holds no text.
WEIGHED = {
    "certifi": "MPL-2.0", "hypothesis": "MPL-2.0", "pathspec": "MPL-2.0", "usd-core": "LicenseRef-TOST-1.0",
    "pyopengl": "LicenseRef-BSD",
}  # fmt: skip
# Inside wheels of numpy and scipy: runtime libraries of the compiler, which bind those who change them only; inside
# those of matplotlib: fonts, which may be passed on with programs.
INSIDE_WHEELS = {
    "GPL-3.0-or-later WITH GCC-exception-3.1", "LGPL-2.1-or-later", "BSD-3-Clause-Open-MPI", "OFL-1.1",
    "BaKoMa Fonts Licence", "Bitstream-Charter", "FTL OR GPL-2.0-or-later", "MIT-Modern-Variant", "Qhull",
}  # fmt: skip


def test_vendored_files_are_those_that_were_published_and_all_are_listed() -> None:
    for part in sbom.vendored():
        folder = ROOT / part["folder"]
        assert {path.name for path in folder.iterdir() if path.is_file()} == set(part["files"])
        for name, checksum in part["files"].items():
            assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == checksum, name
        documented = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
        assert part["version"] in documented


def test_no_minified_code_is_outside_the_listed_folders() -> None:
    listed = {part["folder"] for part in sbom.vendored()}
    for path in (ROOT / "src").rglob("*.js"):
        if str(path.parent.relative_to(ROOT)) not in listed:
            longest = max(map(len, path.read_text(encoding="utf-8").splitlines()), default=0)
            assert ".min." not in path.name and longest < 1000, f"{path} looks like the code of others: list it"


@pytest.mark.parametrize("name", ["runtime", "studio", "test", "docs"])
def test_every_package_is_pinned_by_hash_and_no_host_is_named(name: str) -> None:
    found = list(sbom.pins(name))
    assert len(found) > 10
    for pin in found:
        assert pin.hashes, pin.name
    assert "://" not in (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", sorted({pin.name for file in ("studio", "test") for pin in sbom.pins(file)}))
def test_licences_are_free(name: str) -> None:
    stated = sbom.license_of(name)
    if stated is None:
        pytest.skip(f"{name} is not installed here")
    if name in WEIGHED:
        assert stated == WEIGHED[name]
        return
    assert set(re.split(r" AND | OR ", stated.replace("(", "").replace(")", ""))) <= FREE, stated


def test_licences_are_read_from_texts_where_metadata_is_vague() -> None:
    mit = "MIT License\n\nPermission is hereby granted, free\nof charge, to any person"
    bsd = "Copyright\nRedistribution and use in source and binary forms, with or without modification"
    assert sbom.license_by_text(mit) == "MIT"
    assert sbom.license_by_text(bsd) == "BSD-2-Clause"
    assert sbom.license_by_text(bsd + "\nNeither the name may be used to endorse or promote") == "BSD-3-Clause"
    assert sbom.license_by_text("All rights reserved.") == "LicenseRef-unknown"
    assert sbom.license_of("numba") == "BSD-2-Clause"  # its metadata says "BSD"


@pytest.mark.parametrize("name", sorted({pin.name for pin in sbom.pins("studio")}))
def test_libraries_inside_wheels_are_free(name: str) -> None:
    for library, stated in sbom.bundled(name):
        assert stated in FREE | INSIDE_WHEELS, (library, stated)


def test_libraries_inside_wheels_are_listed() -> None:
    assert "OpenBLAS" in dict(sbom.bundled("scipy"))
    assert sbom.bundled("rich") == []


def test_the_list_of_parts_is_complete_and_repeatable(tmp_path: Path) -> None:
    for name in ("one", "two"):
        subprocess.run([sys.executable, str(PLACE), str(tmp_path / name)], check=True, capture_output=True)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    document = json.loads((tmp_path / "one").read_text())
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    names = {part["name"] for part in document["components"]}
    assert {"numpy", "numba", "fastapi", "three", "htm"} <= names
    references = [part["bom-ref"] for part in document["components"]]
    assert len(references) == len(set(references))
    for part in document["components"]:
        assert part["version"] and (part["purl"].startswith(("pkg:pypi/", "pkg:npm/")))


def test_the_container_installs_what_is_locked() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "--require-hashes -r" in text and "requirements/runtime.txt" in text
    for copied in re.findall(r"^COPY (?!--from)(\S+) ", text, re.MULTILINE):
        assert (ROOT / copied).exists()


def test_what_is_promised_about_security_names_things_that_are_there() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:src|tests|docs|integrations)/[^`]+)`", text):
        assert (ROOT / path).exists(), path


@pytest.mark.parametrize(
    ("printed", "code", "sentence"),
    [
        ({"dependencies": [{"name": "a", "version": "1", "vulns": []}]}, 0, "1 of 1 packages were looked up, 0 vuln"),
        (
            {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "X-1", "fix_versions": ["2"]}]}]},
            1,
            "a 1: X-1, mended in 2",
        ),
        ({"dependencies": [{"name": "a", "skip_reason": "not found"}]}, 2, "0 of 1 packages were looked up"),
        (None, 2, "nothing was audited"),
    ],
)
def test_an_audit_that_did_not_reach_its_data_does_not_pass(
    tmp_path: Path, printed: dict[str, object] | None, code: int, sentence: str
) -> None:
    program = tmp_path / "pip-audit"
    program.write_text(f"#!{sys.executable}\nprint({(json.dumps(printed) if printed else '')!r})\n")
    program.chmod(0o755)
    command = [sys.executable, str(ROOT / "integrations" / "audit.py"), str(program)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == code and sentence in answer.stdout and answer.stderr == ""
