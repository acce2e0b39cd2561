from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.errors import FormatError, UsageError
from freshtake.requests import StyleAlign
from freshtake.workflows import style_align
from tests.style.warping.known_warps import walk_clip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("pair")
    paths = folder / "normal.bvh", folder / "crouch.bvh"
    for path, clip in zip(paths, (walk_clip(1), walk_clip(2, style="crouch")), strict=True):
        ft.write(path, clip)
    return paths


def test_the_second_is_written_on_the_clock_of_the_first(files: tuple[Path, Path], tmp_path: Path) -> None:
    done = style_align(StyleAlign(first=files[0], second=files[1], out=tmp_path / "b.bvh", plot=tmp_path / "p.png"))
    written = ft.read(tmp_path / "b.bvh")
    assert len(written) == len(done.alignment)
    np.testing.assert_allclose(written.root[0], done.second.root[done.alignment.second[0]], atol=1e-4)
    assert (tmp_path / "p.png").stat().st_size > 10_000
    assert not done.identical


def test_the_first_can_be_written_on_the_clock_of_the_second(files: tuple[Path, Path], tmp_path: Path) -> None:
    done = style_align(StyleAlign(first=files[0], second=files[1], out=tmp_path / "a.bvh", onto="second"))
    assert len(ft.read(tmp_path / "a.bvh")) == done.alignment.rows


def test_identical_files_are_noticed(files: tuple[Path, Path]) -> None:
    assert style_align(StyleAlign(first=files[0], second=files[0])).identical


def test_nothing_is_read_or_written_where_the_target_is_impossible(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(FormatError):
        style_align(StyleAlign(first=files[0], second=files[1], out=tmp_path / "b.unknown"))
    with pytest.raises(FormatError, match="picture"):
        style_align(StyleAlign(first=files[0], second=files[1], out=tmp_path / "b.bvh", plot=tmp_path / "p.gif"))
    with pytest.raises(UsageError, match="no DOF"):
        style_align(
            StyleAlign(
                first=files[0], second=files[1], out=tmp_path / "b.bvh", plot=tmp_path / "p.png", dof="nothing.x"
            )
        )
    assert list(tmp_path.iterdir()) == []


def test_meshes_are_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "flag.npz"
    ft.write(path, ft.samples.flag(np.random.default_rng(0), frames=12))
    with pytest.raises(UsageError, match="clips with a skeleton and strokes"):
        style_align(StyleAlign(first=files[0], second=path))
