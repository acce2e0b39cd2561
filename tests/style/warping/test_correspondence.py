from __future__ import annotations

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import mirror, turned, with_up
from freshtake.samples import punch
from freshtake.style import match
from freshtake.style.warping.correspondence import content, content_distances, described
from tests.style.warping.known_warps import walk_clip

GRID = [(speed, turn) for speed in (0.9, 1.3, 1.7) for turn in (-30.0, 0.0, 30.0)]


@pytest.fixture(scope="module")
def styles() -> tuple[list[Clip], list[Clip]]:
    """Normal walks, and crouched ones at 0.8 times the speed, both over speeds and turns."""
    return (
        [walk_clip(k, speed=speed, turn_rate=turn, cycles=2.0, amount=0.3) for k, (speed, turn) in enumerate(GRID)],
        [
            walk_clip(50 + k, speed=0.8 * speed, turn_rate=turn, cycles=2.0, style="crouch")
            for k, (speed, turn) in enumerate(GRID)
        ],
    )


def test_contents_are_measured(styles: tuple[list[Clip], list[Clip]]) -> None:
    for clip, (speed, turn) in zip(styles[0], GRID, strict=True):
        found = content(clip)
        assert found.turn == pytest.approx(np.radians(turn), abs=np.radians(4.0))
        assert abs(found.direction) < 0.2
        assert found.acting.sum() == pytest.approx(1.0)
        assert found.speed == pytest.approx(content(styles[0][4]).speed * speed / 1.3, rel=0.06)


def test_content_does_not_depend_on_place_heading_or_axes(styles: tuple[list[Clip], list[Clip]]) -> None:
    clip = styles[0][2]
    for other in (turned(clip, 1.0), with_up(clip, "z")):
        np.testing.assert_allclose(content(other)[:3], content(clip)[:3], atol=1e-9)


def test_equal_contents_find_each_other_in_any_order(styles: tuple[list[Clip], list[Clip]]) -> None:
    order = np.random.default_rng(0).permutation(len(GRID))
    found = match(styles[0], [styles[1][k] for k in order])
    assert [int(order[pair.target]) for pair in found] == list(range(len(GRID)))
    assert [pair.source for pair in found] == list(range(len(GRID)))
    assert max(pair.apart for pair in found) < 1.0


def test_all_pairs_within_the_limit(styles: tuple[list[Clip], list[Clip]]) -> None:
    found = {(pair.source, pair.target) for pair in match(*styles, every=True, limit=1.0)}
    distances = content_distances([content(c) for c in styles[0]], [content(c) for c in styles[1]])
    assert found == set(map(tuple, np.argwhere(distances <= 1.0).tolist()))
    assert {(k, k) for k in range(len(GRID))} <= found


def test_a_clip_without_partner_is_left_out(styles: tuple[list[Clip], list[Clip]]) -> None:
    turning = walk_clip(1, turn_rate=80.0, cycles=2.0)
    found = match([styles[0][1], turning, styles[0][4]], [styles[1][1], styles[1][4]])
    assert [(pair.source, pair.target) for pair in found] == [(0, 0), (2, 1)]


def test_limbs_that_act_tell_punches_apart() -> None:
    rng = np.random.default_rng(3)
    right = [punch(rng) for _ in range(2)]
    left = [mirror(clip) for clip in right]
    again = [mirror(punch(rng)), punch(rng)]
    found = match([right[0], left[0]], again)
    assert [(pair.source, pair.target) for pair in found] == [(0, 1), (1, 0)]


def test_styles_without_common_content_are_refused(styles: tuple[list[Clip], list[Clip]]) -> None:
    turning = [walk_clip(k, turn_rate=75.0, cycles=2.0) for k in range(2)]
    with pytest.raises(UsageError, match="no clip has the same content"):
        match([styles[0][1], styles[0][4]], turning)
    with pytest.raises(UsageError, match="no clip has the same content"):
        match([styles[0][4]], [punch(np.random.default_rng(0))])
    backwards = styles[0][4].changed(root=styles[0][4].root[::-1], rotations=styles[0][4].rotations[::-1])
    with pytest.raises(UsageError, match="backwards"):
        match([styles[0][4]], [backwards])
    with pytest.raises(UsageError, match="at least one clip"):
        match([], turning)


def test_words() -> None:
    assert described(content(walk_clip(0, speed=1.3, cycles=2.0))).endswith("straight")
    assert "to the left" in described(content(walk_clip(0, turn_rate=30.0, cycles=2.0)))
    assert described(content(punch(np.random.default_rng(0)))).startswith("in place")


@pytest.mark.parametrize("style", ["limp", "crouch", "proud", "sad"])
def test_styles_at_several_speeds_and_turns_find_their_partners(style: str) -> None:
    wanted = [(speed, turn) for speed in (0.9, 1.2, 1.5) for turn in (0.0, 25.0)]

    def takes(name: str, seed: int) -> list[Clip]:
        return [
            samples.walk(np.random.default_rng(seed + k), cycles=3, style=name, speed=speed, turn_rate=turn)
            for k, (speed, turn) in enumerate(wanted)
        ]

    found = match(takes("normal", 0), takes(style, 100))
    assert [(m.source, m.target) for m in found] == [(k, k) for k in range(len(wanted))]
