"""How often a learned texture jumps, changed without learning it again."""

from __future__ import annotations

from dataclasses import replace

from freshtake.errors import UsageError
from freshtake.texture.jump_map import calibrated, hold_of, totals
from freshtake.texture.model import TextureModel
from freshtake.texture.paper_jump_map import Sigmas


def jumps_per_frame(seconds: float, frame_time: float) -> float:
    """Of a mean time from jump to jump, less the frames after a jump in which there is none."""
    return 1.0 / max(1.0 + 1e-9, seconds / frame_time - hold_of(frame_time))


def with_jump_time(model: TextureModel, seconds: float) -> TextureModel:
    """The model with another mean time from jump to jump, as if it had been learned with it."""
    if model.settings.method == "paper":
        raise UsageError("the rate of jumps of the method paper is learned: learn again with another jump_time")
    settings = model.settings.changed(jump_time=seconds, sigma=None)
    successor, jumps = model.live
    costs = totals(successor, jumps, settings.anticipation)
    rate = jumps_per_frame(seconds, model.frame_time)
    sigma, reluctance = calibrated(successor, jumps, costs, model.reach.alive, rate)
    return replace(model, settings=settings, sigmas=Sigmas(sigma, sigma, reluctance))
