from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import UsageError
from freshtake.formats.ftm import save
from freshtake.motion.gait import gait_of
from freshtake.requests.variation import Learn, Stream
from freshtake.workflows import learn, stream
from tests.style.pairs_of_clips import model, walk


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("steered")
    ft.write(home / "walk.bvh", walk(80, cycles=8))
    learn(Learn(takes=[home / "walk.bvh"], out=home / "walk.ftm"))
    save(home / "limp.ftm", model())
    steps = np.arange(40) * 0.25
    rows = "\n".join(f"{0.6 * np.sin(z):.4f},{z:.4f}" for z in steps)
    (home / "way.csv").write_text(f"x,z\n{rows}\n")
    return home


def test_a_path_is_followed_in_a_style(folder: Path, tmp_path: Path) -> None:
    asked = {"model": folder / "walk.ftm", "frames": 360, "path": folder / "way.csv"}
    plain = stream(Stream(**asked, out=tmp_path / "plain.bvh"))
    styled = stream(Stream(**asked, out=tmp_path / "styled.bvh", style=folder / "limp.ftm"))
    assert len(styled.motion) == len(plain.motion) == 360
    assert plain.followed is not None and styled.followed is not None
    assert styled.followed.mean_off < 1.5 * plain.followed.mean_off + 0.02
    assert isinstance(styled.motion, ft.Clip)
    limp, usual = gait_of(styled.motion), gait_of(plain.motion)
    assert limp is not None and usual is not None and limp.strides > 0.7 * usual.strides
    apart = np.abs(styled.motion.rotations - plain.motion.rotations).mean()
    assert apart > 0.01, "the style is to be seen"


def test_a_style_for_what_has_no_skeleton_is_refused() -> None:
    from freshtake.requests.fields import Feet
    from freshtake.workflows.streaming import in_style

    with pytest.raises(UsageError, match="leave --style out"):
        in_style(model(), ft.samples.letter_a(np.random.default_rng(0)), lambda count, scale: None, Feet())
