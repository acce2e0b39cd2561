"""Loops from a model: one or more cycles whose deviations are periodic, so the last frame leads into the first.

Clips of a pack (`joinable`) all begin and end in the same pose.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.clip import Playback
from freshtake.motion.cycles.looping import closed, facing_forward, planted_loop, played, with_closing_frame
from freshtake.motion.cycles.seams import steps_of
from freshtake.motion.features import Start
from freshtake.motion.tempo import FASTEST, SLOWEST
from freshtake.variation.amount import Amount
from freshtake.variation.goals.goals import GoalReport, Goals, PosePin, ground_speed
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.live import variant_settings
from freshtake.variation.sampling import Variant, draw_loop

if TYPE_CHECKING:
    from freshtake.variation.model import VariationModel


@lru_cache(maxsize=8)
def first_phase(model: VariationModel) -> float:
    """Return the phase at which loops begin: where the examples, closed into loops, are smoothest on average.

    A seam at an impact is as rough as the impact.
    """
    examples = [clip for clip in model.clips if len(clip) > 3]
    if not examples:
        return 0.0
    seams = []
    # compare the seams of at most a dozen examples
    for clip, places in zip(examples[:12], model.phase_frames.T, strict=False):
        loop_steps = steps_of(played(closed(clip, 0, len(clip) - 1), len(clip) + 1, -1))
        both = np.stack([loop_steps.step[:-1], np.maximum(loop_steps.bend, np.roll(loop_steps.bend, 1))])
        seams.append([np.interp(places[:-1], np.arange(len(clip)), np.append(x, x[0])) for x in both])
    example_steps = [np.concatenate(part) for part in zip(*map(steps_of, examples), strict=True)]
    quick = [
        # loops begin where steps and bends are well below the examples' largest, at which variants differ
        x / (share * np.percentile(y, 99.0))
        for x, y, share in zip(np.mean(seams, 0), example_steps, (0.85, 0.5), strict=True)
    ]
    return float(np.maximum(*quick).argmin())


def looped(
    model: VariationModel,
    rng: np.random.Generator,
    goals: Goals,
    *,
    amount: float | Amount = 1.0,
    cycles: int | None = None,
    plant: bool | str = False,
    name: str = "",
) -> Guided:
    """Draw a loop that meets a duration or a speed, its feet planted across the seam."""
    check_loop(model, goals)
    count, frames, rate = cycles or 1, None, 1.0
    usual = float(np.mean([len(x) - 1 for x in model.material.values]))
    if goals.duration is not None:
        frame_count = round(goals.duration / model.frame_time)
        count = cycles or max(1, round(frame_count / usual))
        frames = round(float(np.clip(frame_count, count * usual / FASTEST, count * usual / SLOWEST)))

    def draw() -> tuple[Variant, Any]:
        loop = draw_loop(model.sampler(amount, rate=rate), count, frames, rng, first_phase(model))
        return loop, decoded_loop(model, loop, count, name)

    seed = rng.bit_generator.state
    loop, clip = draw()
    if goals.speed is not None:
        speed = ground_speed(with_closing_frame(clip)) if isinstance(clip, Clip) else None
        if not speed:
            raise UsageError("this motion does not travel: remove the speed")
        rate = float(np.clip(goals.speed / speed, SLOWEST, FASTEST))
        rng.bit_generator.state, frames = seed, None
        loop, clip = draw()
    legs, phases = model.planting_model, loop.phases
    if plant and isinstance(clip, Clip) and legs is not None and legs.gallery is not None:
        settings = variant_settings(plant)
        clip = planted_loop(clip, legs, lambda _, at: model.standing(phases[at]), settings=settings, careful=False)
    speed = ground_speed(with_closing_frame(clip)) if isinstance(clip, Clip) else None
    report = GoalReport(rate, len(loop.rows) * model.frame_time, speed, 0.0, 0.0, ())
    return Guided(clip, report, phases)


def check_loop(model: VariationModel, goals: Goals) -> None:
    """Refuse models that cannot loop, and goals that a loop cannot meet."""
    if not model.cyclic:
        raise UsageError("the model's motion does not repeat, so it has no loops: leave --loop out")
    if goals.start or goals.end or goals.poses or goals.targets or goals.steer:
        raise UsageError("a loop continues straight on forever: leave out poses, pins, headings and paths")


def decoded_loop(model: VariationModel, loop: Variant, cycles: int, name: str) -> Any:
    """Return rows of a loop as a motion that faces forward on average; any net turn is removed evenly along it."""
    recipe, rows = model.material.recipe, loop.rows
    if recipe is None or recipe.motion_type is not Clip:
        return model.decode(rows, name=name)
    turn, start = 0.0, Start()
    if "turn" in recipe.units:  # otherwise the body never turns
        rows, column = rows.copy(), recipe.units.index("turn")
        rate = float(rows[:, column].mean())
        turn = rate * len(rows) * model.frame_time
        rows[:, column] -= rate
        heading = np.cumsum(rows[:, column]) * model.frame_time
        start = Start(heading=-float((heading - heading[0]).mean()))
    whole = model.decode(np.concatenate([rows, rows[:1]]), start=start, name=name)
    travel = whole.root[-1] - whole.root[0]
    travel[whole.up_index] = 0.0
    info = Playback(travel, len(rows) * model.frame_time, loop=True, cycles=cycles, turn=turn)
    moving = whole.joint_translations
    return whole.changed(
        root=whole.root[:-1],
        rotations=whole.rotations[:-1],
        joint_translations=None if moving is None else moving[:-1],
        playback=info,
    )


def joinable(
    model: VariationModel,
    rng: np.random.Generator,
    *,
    amount: float | Amount = 1.0,
    cycles: int | None = None,
    duration: float | None = None,
    plant: bool | str = True,
    name: str = "",
) -> Guided:
    """Draw a loop whose seam is near the model's mean there, so all such loops can be brought to one pose."""
    goals = Goals(duration=duration)
    if model.cyclic:
        return model.guided(rng, goals, amount=amount, cycles=cycles, plant=plant, loop=True, name=name)
    if cycles is not None:
        raise UsageError("the model's motion does not repeat: leave cycles out")
    pose = rest_pose(model)
    goals = Goals(start=PosePin(pose), end=PosePin(pose), duration=duration)
    variant = model.guided(rng, goals, amount=amount, plant=plant, name=name)
    clip: Clip = variant.motion
    return Guided(facing_forward(closed(clip, 0, len(clip) - 1)), variant.report, variant.phases)


@lru_cache(maxsize=8)
def rest_pose(model: VariationModel) -> Clip:
    """Return the pose halfway between the examples' first and last poses, on average, as a clip."""
    ends = [0.5 * (rows[0] + rows[-1]) for rows in model.material.values]
    pose: Clip = model.decode(np.repeat(np.mean(ends, axis=0)[None], 3, axis=0))
    return pose
