"""A model to an endless motion of a given length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.formats.read_options import Motion
from freshtake.formats.registry import for_writing
from freshtake.methods.progress import Progress, Report, silent
from freshtake.motion import Clip
from freshtake.motion.planting import plant as plant_feet
from freshtake.motion.verdict import Verdict, require_possible
from freshtake.variation.amount import Amount
from freshtake.variation.goals.steering import Followed, Steering
from freshtake.variation.model import VariationModel
from freshtake.variation.planting import variant_settings
from freshtake.workflows.lengths import Length, frame_count
from freshtake.workflows.model_kinds import model_of
from freshtake.workflows.motion_delivering import Delivery, delivered
from freshtake.workflows.motion_retargeting import Onto, put_onto, write_onto
from freshtake.workflows.path_following import followed_by
from freshtake.workflows.seeds import generator
from freshtake.workflows.variation_making import MOST_FRAMES, begun, judged, motion_of, warn_of_amount


class Streamed(NamedTuple):
    """What was written."""

    path: Path
    motion: Motion
    followed: Followed | None = None
    verdicts: Sequence[Verdict] = ()


def variation_stream(
    source: Path,
    target: Path,
    length: Length,
    *,
    amount: float | Amount = 1.0,
    steer: Steering | None = None,
    plant: bool | str = True,
    delivery: Delivery | None = None,
    onto: Onto | None = None,
    unit_m: float | None = None,
    keep_going: bool = False,
    seed: int = 0,
    report: Report = silent,
    warn: Callable[[str], None] | None = None,
) -> Streamed:
    """Write exactly this much of a cyclic model's endless motion, standing feet held still.

    Along a path it begins on its first point, in its direction.
    """
    for_writing(target)
    model: VariationModel = model_of(source, "variation")
    frames = frame_count(length, model.frame_time)
    if not 1 <= frames <= MOST_FRAMES:
        raise UsageError(f"the number of frames must lie between 1 and {MOST_FRAMES}, but is {frames}")
    warn_of_amount(amount, warn)
    if not model.cyclic:
        raise UsageError(f"{source} is a model of a motion that ends by itself: use freshtake vary")
    report(Progress(0.0, f"making {frames} frames"))
    body_steer, start = (None, None) if steer is None else begun(model, steer)
    block = model.made(generator(seed), amount=amount, frames=frames, steer=body_steer)
    motion = motion_of(model, model.decode(block.rows, start=start or block.start, name=target.stem), target.stem)
    if plant and isinstance(motion, Clip) and model.planting_model is not None:
        report(Progress(0.3, "planting feet"))
        stand = model.standing(motion, block.phases)
        motion = plant_feet(
            motion, stand, examples=model.planting_model, settings=variant_settings(plant), careful=False
        ).clip
    way = None
    if steer is not None and steer.path is not None and isinstance(motion, Clip):
        way = followed_by(np.asarray(steer.path), motion)
    verdicts = judged(motion, model.standard, target.name, amount=amount, followed=way)
    require_possible(verdicts, keep_going, warn)
    report(Progress(0.8, f"writing {target.name}"))
    motion = delivered(put_onto(onto, motion), delivery or Delivery())
    write_onto(target, motion, unit_m, onto)
    return Streamed(target, motion, way, verdicts)
