"""Takes for testing the jobs of the bridge, and jobs in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from freshtake import samples
from freshtake.bridge.job_request import Answer, arrays_of, clip_of
from freshtake.bridge.messages import Message, decoded, encoded, packed, unpacked
from freshtake.bridge.serving import run
from freshtake.motion import Clip

Ask = Callable[..., Answer]


def walks(count: int = 4, cycles: int = 1, **style: Any) -> list[Clip]:
    return [
        samples.walk(np.random.default_rng(k), cycles=cycles, **style).changed(name=f"Walk {k}") for k in range(count)
    ]


def sending(**clips: list[Clip]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Values and arrays of a request with these clips."""
    values: dict[str, Any] = {}
    arrays: dict[str, Any] = {}
    for key, some in clips.items():
        values[key], own = packed([arrays_of(clip) for clip in some], key)
        arrays |= own
    return values, arrays


def clips_in(answer: Answer) -> list[Clip]:
    return [clip_of(clip) for clip in unpacked(answer.values["clips"], answer.arrays)]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A job in this process, over the bytes of its messages."""
    count = 0

    def asked(name: str, values: dict[str, Any], arrays: dict[str, Any] | None = None) -> Answer:
        nonlocal count
        count += 1
        folder = tmp_path / str(count)
        folder.mkdir()
        request = decoded(encoded(Message("request", 1, {"name": name, "params": values}, arrays or {})))
        made = run(request, folder, lambda progress: None)
        got = decoded(encoded(Message("result", 1, made.values, made.arrays)))
        return Answer(got.values, got.arrays)

    return asked
