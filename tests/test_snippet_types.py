"""The README's Python in a user's editor: no errors from a strict type checker, and useful help."""

from __future__ import annotations

import pydoc
import subprocess
import sys
from pathlib import Path

import freshtake as ft
from tests.test_printed_blocks import HOME, blocks

TYPED = ("README.md", "docs/index.md", "docs/variation.md", "docs/loops.md", "docs/tutorials/variants.md")
USES = """
import numpy as np
import freshtake as ft

clip: ft.Clip = ft.read_clip("walk.bvh", fps=60.0, up="y")
letter: ft.Stroke = ft.read_stroke("a.csv")
markers: ft.PointClip = ft.read_points("m.c3d")
cloth: ft.MeshSequence = ft.read_mesh("Fox.glb", animation="Walk")
walk: ft.Clip = ft.load_variation("walk.ftm").sample(np.random.default_rng(1))
limp: ft.Clip = ft.load_style("limp.ftm").translate(clip)
model = ft.load("any.ftm")
ft.save("copy.ftm", model)
ft.write("walk.glb", clip, unit_m=0.01)
"""


def test_snippets_have_no_type_error(tmp_path: Path) -> None:
    for number, page in enumerate(TYPED):
        text = "\n".join(text for language, text in blocks(HOME / page) if language == "python")
        (tmp_path / f"snippet_{number}.py").write_text(text)
    (tmp_path / "uses.py").write_text(USES)
    (tmp_path / "wrong.py").write_text(
        'import freshtake as ft\nft.read("a.bvh", fsp=60)\nft.read_clip("a.bvh").faces\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(HOME / ".mypy_cache"), "--config-file",
         str(HOME / "pyproject.toml"), *map(str, sorted(tmp_path.glob("*.py")))],
        capture_output=True, text=True, check=False, cwd=HOME,
    )  # fmt: skip
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    assert [line for line in errors if "wrong.py" not in line] == [], done.stderr
    assert len(errors) == 2  # an unknown option, and a clip without faces


def test_help_names_what_there_is() -> None:
    text = pydoc.plain(pydoc.render_doc(ft))
    for name in ("read_clip", "load_variation", "variation", "samples", "write", "Clip"):
        assert name in text
    assert "ft.variation.learn(takes" in text
