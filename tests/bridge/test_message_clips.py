"""Clips as plain arrays: nothing is lost on the way, and anything that is not a clip is refused."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from freshtake import samples
from freshtake.bridge.job_request import arrays_of, clip_of
from freshtake.bridge.messages import PARTS, PLAIN, Message, decoded, encoded, packed, unpacked
from freshtake.errors import FreshtakeError
from freshtake.motion import Clip
from freshtake.motion.cycles.looping import with_root_motion
from freshtake.workflows.editing import loop_of
from tests.formats.made_clips import made_clip, moving_layout, usual_layout


@cache
def walk() -> Clip:
    return samples.walk(np.random.default_rng(0), cycles=2).changed(name="Walk ü 1")


def sent(clip: Clip) -> Clip:
    """A clip as it arrives."""
    listing, arrays = packed([arrays_of(clip)], "takes")
    got = decoded(encoded(Message("result", 1, {"takes": listing}, arrays)))
    return clip_of(unpacked(got.values["takes"], got.arrays, "takes")[0])


CLIPS = {
    "walk": walk,
    "translated": lambda: made_clip(moving_layout()),
    "tips": lambda: made_clip(usual_layout()),
    "loop": lambda: with_root_motion(loop_of(walk(), plant=False)[0], "none"),
}


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_arrives_bit_for_bit(name: str) -> None:
    clip = CLIPS[name]()
    got = sent(clip)
    for field in ("root", "rotations", "joint_translations"):
        mine, other = getattr(clip, field), getattr(got, field)
        assert (mine is None) == (other is None)
        assert mine is None or mine.tobytes() == other.tobytes()
    for field in ("frame_time", "name", "up", "unit_m", "playback"):
        assert getattr(got, field) == getattr(clip, field)
    for field in ("names", "end_sites", "channels", "orders"):
        assert getattr(got.skeleton, field) == getattr(clip.skeleton, field)
    assert np.array_equal(got.skeleton.offsets, clip.skeleton.offsets)
    assert np.array_equal(got.skeleton.parents, clip.skeleton.parents)


@given(st.sampled_from(PLAIN), st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=3))
@settings(max_examples=40, deadline=None)
def test_values_of_the_wrong_kind_are_one_sentence_or_a_clip(field: str, value: Any) -> None:
    listing, arrays = packed([arrays_of(walk())])
    listing[0][field] = value
    try:
        clip_of(unpacked(listing, arrays)[0])
    except FreshtakeError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("part", PARTS[:-1])
def test_arrays_that_are_absent_or_of_another_shape_are_refused(part: str) -> None:
    listing, arrays = packed([arrays_of(walk())])
    key = f"clips/0/{part}"
    for bad in (
        arrays[key][..., :1],
        arrays[key][:0],
        arrays[key] * 10**6 if part == "parents" else arrays[key] * np.nan,
    ):
        with pytest.raises(FreshtakeError):
            clip_of(unpacked(listing, {**arrays, key: bad})[0])
    del arrays[key]
    with pytest.raises(FreshtakeError, match=f"lacks {part}"):
        unpacked(listing, arrays)
