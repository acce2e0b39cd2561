"""A root carried by its feet: exactly invertible, piece by piece too, and feet that stand keep standing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.errors import UsageError
from freshtake.motion import Clip, Skeleton, features
from freshtake.motion.contacts import contact_mask
from freshtake.motion.edit import moved, turned, with_up
from freshtake.samples.walking import walk
from tests.conftest import data_files, label


@pytest.fixture(scope="module")
def walking() -> Clip:
    return walk(np.random.default_rng(3), cycles=3, turn_rate=15.0)


@pytest.mark.parametrize("angles", ["euler", "expmap"])
@pytest.mark.parametrize("up", ["y", "z"])
def test_decoding_what_was_encoded(walking: Clip, angles: str, up: str) -> None:
    clip = with_up(moved(turned(walking, 1.0), np.array([30.0, 0.0, -12.0])), up)
    recipe = features.recipe([clip], angles=angles, root="support")
    again = features.decode(recipe, features.encode(recipe, clip))
    assert isinstance(again, Clip)
    assert np.abs(again.positions() - clip.positions()).max() < 1e-9
    assert "Hips.support" in recipe.names


def test_a_stream_is_decoded_piece_by_piece(walking: Clip) -> None:
    recipe = features.recipe([walking], root="support")
    rows = features.encode(recipe, walking)
    start, parts = rows.start, []
    for first in range(0, len(walking), 17):
        piece = rows.values[first : first + 17]
        decoded = features.decode(recipe, piece, start=start, resume=first > 0)
        assert isinstance(decoded, Clip)
        parts.append(decoded.positions())
        start = features.where_it_ends(recipe, piece, start=start, resume=first > 0)
    assert np.abs(np.concatenate(parts) - walking.positions()).max() < 1e-9


def test_feet_stand_however_the_legs_are_bent(walking: Clip) -> None:
    """Legs that slowly bend more and more: the carrying foot stays where it is, and slides with root='heading'."""
    standing = contact_mask(walking)
    slide = {}
    for root in ("support", "heading"):
        recipe = features.recipe([walking], root=root)
        values = features.encode(recipe, walking).values.copy()
        knee = recipe.names.index("LeftLeg.x")
        values[:, knee] += 0.25 * np.sin(np.linspace(0.0, 2.0 * np.pi, len(values)))
        bent = features.decode(recipe, values)
        assert isinstance(bent, Clip)
        toe = bent.positions()[:, bent.skeleton.index("LeftToeBase")]
        speed = np.linalg.norm(np.gradient(toe, axis=0), axis=1) / bent.frame_time
        alone = standing[:, 0] & ~standing[:, 1]
        slide[root] = float(speed[alone].mean())
    assert slide["support"] < 0.35 * slide["heading"]


def test_shares_lie_between_the_feet(walking: Clip) -> None:
    recipe = features.recipe([walking], root="support")
    share = features.encode(recipe, walking).values[:, recipe.names.index("Hips.support")]
    assert share.min() >= 0.0
    assert share.max() <= 1.0
    standing = contact_mask(walking)
    assert share[standing[:, 0] & ~standing[:, 1]].mean() > 0.9
    assert share[standing[:, 1] & ~standing[:, 0]].mean() < 0.1


def test_without_two_feet_it_is_refused() -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.eye(3)[:2])
    clip = Clip(skeleton, 0.1, np.zeros((3, 3)), np.tile([1.0, 0, 0, 0], (3, 2, 1)))
    with pytest.raises(UsageError, match="two feet"):
        features.recipe([clip], root="support")


@pytest.mark.parametrize("path", data_files("walk/walk_*.bvh") + data_files("throw/throw_1.bvh"), ids=label)
def test_real_takes(path: Path) -> None:
    clip = freshtake.read(path)
    assert isinstance(clip, Clip)
    recipe = features.recipe([clip], angles="expmap", root="support")
    again = features.decode(recipe, features.encode(recipe, clip))
    assert isinstance(again, Clip)
    assert np.abs(again.positions() - clip.positions()).max() < 1e-9
