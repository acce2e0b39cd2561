"""Sentences of commands, as shown in the studio and in Blender."""

from __future__ import annotations

import pytest

from freshtake.workflows.sentences import plainly

SAID = {
    "walk.amc: AMC files carry no rate, so 120 fps are assumed: give the rate with --fps": (
        "walk.amc: AMC files carry no rate, so 120 fps are assumed"
    ),
    "my walk.amc: give the rate with --fps": "my walk.amc: give the rate with --fps",  # nothing else is said
    "a point is missing: fill the gaps first (freshtake convert --repair fill-gaps)": (
        "a point is missing: fill the gaps first"
    ),
    "a.glb: only the first is read; choose with --animation from a, b": "a.glb: only the first is read",
    "takes are unlike each other: choose others": "takes are unlike each other: choose others",
    "the well--known walk: choose another": "the well--known walk: choose another",
}


@pytest.mark.parametrize(("said", "plain"), SAID.items())
def test_advice_that_names_an_option_is_left_out(said: str, plain: str) -> None:
    assert plainly(said) == plain
