"""Speed and stability of style translation: learning, simulation, streaming, a million frames."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.timing import least_cpu, table
from freshtake.numeric.arrays import Floats
from freshtake.style.learning import learn
from freshtake.style.model import Settings, StyleModel


def speed(walks: list[Any], styled: list[Any]) -> str:
    """Measure learning, simulation, streaming and a million frames."""
    pairs = [(a, b) for a in walks for b in styled]
    clock = time.perf_counter()
    learning = least_cpu(lambda: learn(pairs), 2)
    wall = (time.perf_counter() - clock) / 3.0
    rows = [
        ["learning from ten pairs", f"{learning:.1f} s of CPU ({wall:.1f} s wall, shared machine)", "10 s on two cores"]
    ]
    rows += streaming(learn(pairs, Settings(order=4)), walks[0])
    return table("Speed and stability", ["what", "measured", "target"], rows)


def streaming(model: StyleModel, clip: Any) -> list[list[str]]:
    rows_in = np.ascontiguousarray(np.tile(model.encode(clip).values, (40, 1)))
    inputs, bank, tool = model.source.down(rows_in), model.bank, model.translator()
    count, name = len(rows_in), f"{bank.size} numbers of state"
    out = [
        [f"simulation alone ({name})", per_second(count, least_cpu(lambda: bank.run(bank.start(), inputs))), "400,000"],
        ["with time warp and generalization",
         per_second(count, least_cpu(lambda: tool.advance(tool.start(), rows_in))), ""],
        ["the same, called frame by frame", per_second(4000, least_cpu(lambda: one_by_one(tool, rows_in[:4000]))),
         "50,000"],
    ]  # fmt: skip
    encode = least_cpu(lambda: model.encode(clip))
    both = least_cpu(lambda: model.decode(model.encode(clip).values, model.encode(clip))) - encode
    out.append(
        [
            "encoding a clip / encoding and decoding",
            f"{per_second(len(clip), encode)} / {per_second(len(clip), both)}",
            "",
        ]
    )
    out.append(["spectral radius", f"{bank.radius:.4f}", "below 1"])
    out.append(["1,000,000 frames streamed", million(model, rows_in), "no drift, finite"])
    return out


def one_by_one(tool: Any, rows: Floats) -> None:
    state = tool.start(rows[:100])
    for row in rows:
        state, _ = tool.advance(state, row)


def million(model: StyleModel, rows: Floats) -> str:
    """Return the ranges of all DOFs in the first and in the last 20,000 frames."""
    tool = model.translator()
    state, done, spans, finite = tool.start(rows[:100]), 0, [], True
    piece = rows[: 10 * (len(rows) // 10)]
    while done < 1_000_000:
        state, made = tool.advance(state, piece)
        finite &= bool(np.isfinite(made.rows).all())
        spans.append(np.ptp(made.rows, axis=0))
        done += len(piece)
    change = np.abs(spans[-1] - spans[1]).max() / spans[1].max()
    return f"largest change of a DOF's span {100 * change:.4f} %, {'all finite' if finite else 'not finite'}"


def per_second(frames: int, seconds: float) -> str:
    return f"{frames / seconds:,.0f} frames/s"
