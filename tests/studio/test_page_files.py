"""The files of the page: nothing inline or from elsewhere, every import found."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path, PurePosixPath

import pytest

bundling = pytest.importorskip("freshtake.studio.bundling")
pages = pytest.importorskip("freshtake.studio.pages", reason="the studio is not installed: see make test")
WEB = Path(str(files("freshtake.studio").joinpath("web")))
SERVED = pages.page_files()


def test_the_start_page_holds_nothing_that_the_policy_forbids() -> None:
    text = (WEB / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|https?://", text)
    for address in re.findall(r'(?:src|href)="([^"#]+)"', text):
        assert f"/{address}" in SERVED


MODULES = [name for name in SERVED if name.endswith(".js") and not re.search("/three/|^/v/", name)]


@pytest.mark.parametrize("address", sorted(MODULES))
def test_every_import_is_a_file_that_is_served(address: str) -> None:
    text = SERVED[address].data.decode()
    for target in re.findall(r'^(?:import|export)\b[^"\n]* from "([^"]+)"', text, re.MULTILINE):
        parts: list[str] = []
        for part in (PurePosixPath(address).parent / target).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        assert "/" + "/".join(parts[1:]) in SERVED, f"{address} imports {target}"
    assert not re.search(r"\beval\(|new Function\(|https?://(?!www\.w3\.org)", text)


def test_the_page_is_two_files_of_which_a_slow_link_carries_little() -> None:
    start = SERVED["/"].data.decode()
    asked = set(re.findall(r'(?:src|href)="(v/[^"]+)"', start))
    assert len(asked) == 2 and all(f"/{address}" in SERVED for address in asked)
    assert sum(len(SERVED[f"/{address}"].zipped) for address in asked) < 130_000
    assert sum(len(one.zipped) for name, one in SERVED.items() if name.startswith("/v/")) < 330_000
    assert all("immutable" in SERVED[f"/{address}"].keep for address in asked) and SERVED["/"].keep == "no-cache"


def test_a_bundle_gives_every_module_what_it_asks_for() -> None:
    files = {
        "/a.js": 'import one, { two as second } from "./in/b.js";\nexport const whole = [one, second, third()];\n'
        'import { third } from "./c.js";\n',
        "/in/b.js": 'export { three as two } from "../c.js";\nexport default 1;\n',
        "/c.js": "const three = 2;\nexport function third() { return 3; }\nexport { three };\n",
    }
    text = bundling.bundled("/a.js", files.__getitem__)
    names = re.findall(r"const \{ (.*?) \} = (m\d);", text)
    assert names == [("default: one, two: second", "m1"), ("third: third", "m0")]
    assert "return { two: m0.three, default: the_default };" in text and "export" not in text and "import" not in text


def test_modules_in_a_circle_are_refused() -> None:
    files = {"/a.js": 'import { b } from "./b.js";\n', "/b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(ValueError, match="in a cycle"):
        bundling.bundled("/a.js", files.__getitem__)
