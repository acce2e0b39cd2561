"""A variant's file does not depend on how many there are, on earlier ones, or on threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from freshtake import samples
from freshtake.formats.ftm import save
from freshtake.requests import Vary
from freshtake.variation import Settings, learn
from freshtake.workflows import vary


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    walks = [samples.walk(np.random.default_rng(seed), cycles=1) for seed in range(3)]
    learned = learn(walks, Settings(), rng=np.random.default_rng(0), cyclic=True)
    path = tmp_path_factory.mktemp("models") / "walk.ftm"
    save(path, learned, sources=["walk_1.bvh"])
    return path


def made(model: Path, folder: Path, count: int, ending: str) -> list[bytes]:
    return [path.read_bytes() for path in vary(Vary(model=model, out=folder, count=count, seed=3, format=ending)).paths]


@pytest.mark.parametrize("ending", ["bvh", "npz", "glb"])
def test_files_are_the_same_alone_and_among_others(model: Path, tmp_path: Path, ending: str) -> None:
    many = made(model, tmp_path / "many", 5, ending)
    assert len(set(many)) == 5
    assert made(model, tmp_path / "few", 2, ending) == many[:2]
    with ThreadPoolExecutor(3) as pool:
        beside = list(pool.map(lambda k: made(model, tmp_path / f"{k}", 5, ending), range(3)))
    assert beside == [many] * 3
