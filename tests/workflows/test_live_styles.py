"""Styles on endless motion: without strength nothing changes, and with it the body leans as in the style."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

from freshtake import samples
from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.edit import at_rate
from freshtake.numeric.rotations import multiply
from freshtake.style.learning import learn as learn_style
from freshtake.variation.learning import learn_examples as learn_variation
from freshtake.workflows.live import MARGIN, STREAMS, Steers, joined, styled


def test_a_live_motion_wears_a_style_as_strongly_as_the_control_says() -> None:
    walks = [samples.walk(np.random.default_rng(k)) for k in range(3)]
    model = learn_variation(walks)
    style = learn_style([(walk, _bent(walk)) for walk in walks])
    steers = Steers(strength=0.0)

    def plain() -> Iterator[Clip]:
        return STREAMS["variation"](model, Steers(), False, np.random.default_rng(1))

    frames = styled(plain(), style, lambda: steers.strength)
    first, source = joined(list(islice(frames, 40))), joined(list(islice(plain(), 40 + MARGIN)))
    turned = np.abs((first.rotations[:, 1:] * source.rotations[MARGIN:, 1:]).sum(axis=-1))  # q and -q are one rotation
    assert turned.min() > np.cos(1e-3)
    steers.strength = 1.0
    later = joined(list(islice(frames, 40)))
    head = later.skeleton.index("Spine1")
    lean = [np.abs(np.diff(clip.positions()[:, [0, head]][..., [0, 2]], axis=1)).max() for clip in (first, later)]
    assert lean[1] > 1.5 * lean[0]


def _bent(clip: Clip) -> Clip:
    """Leaning forwards."""
    rotations = clip.rotations.copy()
    spine = clip.skeleton.index("Spine")
    rotations[:, spine] = multiply(np.array([np.cos(0.3), np.sin(0.3), 0.0, 0.0]), rotations[:, spine])
    return clip.changed(rotations=rotations)


def test_another_frame_rate_is_one_sentence() -> None:
    walk = samples.walk(np.random.default_rng(0))
    style = learn_style([(walk, _bent(walk))])
    with pytest.raises(UsageError, match="different frame rates"):
        next(styled(iter(at_rate(walk, 30.0).single_frames()), style, lambda: 1.0))
