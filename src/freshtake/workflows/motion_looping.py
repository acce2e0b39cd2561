"""A clip in, a loop out: the best part of it, closed, with its feet standing through the seam."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.formats.registry import for_writing
from freshtake.motion import Clip
from freshtake.motion.cycles.loop_search import Span, best_loop
from freshtake.motion.cycles.looping import closed, facing_forward, planted_loop
from freshtake.motion.cycles.seams import Seam, seam_of, steps_of
from freshtake.motion.planting import settings_for
from freshtake.motion.planting.planting_model import own_planting_model
from freshtake.motion.verdict import Verdict, check_result
from freshtake.workflows.motion_finishing import FINISH, Finish
from freshtake.workflows.takes_reading import read_clips


class Looped(NamedTuple):
    """What was written, where in the take it came from, and its seam beside the steps that the take makes."""

    path: Path
    motion: Clip
    span: Span
    seam: Seam
    usual: Seam  # 99 of 100 steps and bends of the take are smaller
    verdicts: list[Verdict]

    def summary(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        playback = None if self.motion.playback is None else self.motion.playback.summary()
        return {
            "written": str(self.path),
            "frames": len(self.motion),
            "from": {"start": self.span.start, "stop": self.span.stop},
            "seam": {**self.seam._asdict(), "step_of_take_99": self.usual.step, "bend_of_take_99": self.usual.bend},
            "playback": playback,
            "verdicts": [{"color": one.color, "remarks": one.sentences} for one in self.verdicts],
        }


def motion_loop(
    source: Path,
    target: Path,
    *,
    cycles: int | None = 1,
    finish: Finish = FINISH,
    reading: dict[str, Any] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Looped:
    """Read a clip, make the best loop of it and write it; `cycles` None: the clip as a whole is one cycle.

    A loop that no body makes is refused, unless `finish.keep_going` (see motion.verdict).
    """
    for_writing(target)
    ((take,),) = read_clips([[source]], reading, "only clips with a skeleton become loops")
    loop, span = loop_of(take, cycles, plant=finish.plant)
    loop = loop.changed(name=target.stem)
    steps = steps_of(take)
    usual = Seam(float(np.percentile(steps.step, 99)), float(np.percentile(steps.bend, 99)))
    verdicts = check_result(
        loop, [take], name=target.name, keep_going=finish.keep_going, warn=warn,
        remedy="the clip does not end as it begins: leave --whole out" if cycles is None else "try other --cycles",
    )  # fmt: skip
    ready = finish.ready(loop)
    assert isinstance(ready, Clip)
    finish.write(target, ready)
    return Looped(target, ready, span, seam_of(loop), usual, verdicts)


def loop_of(take: Clip, cycles: int | None = 1, *, plant: bool | str = True) -> tuple[Clip, Span]:
    """The best loop of `cycles` cycles (None: the whole take is one), and where in the take it lies."""
    span = Span(0, len(take) - 1, 1) if cycles is None else best_loop(take, cycles)
    loop = facing_forward(closed(take, span.start, span.stop, cycles=span.cycles))
    base = own_planting_model(take)
    if plant and base.feet:
        stood = base.example_contacts(take)[span.start :]  # in the take itself, which nothing has bent yet
        loop = planted_loop(loop, base, lambda _, frames: stood[frames], settings=settings_for(plant), careful=False)
    return loop, span
