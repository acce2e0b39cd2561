"""The motion of one character: drawn with a generator of its own, planted, checked, and put in its place.

Everything is in metres with y up; a body with heading 0 faces z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.facing import facing, mean_angle
from freshtake.motion.body.roles import leg_length
from freshtake.motion.body.size import unit_of
from freshtake.motion.cycles.looping import with_closing_frame
from freshtake.motion.edit import heading, resample, sampled_at, take_frames, tilt
from freshtake.motion.kind_words import kind_word
from freshtake.motion.planting import plant as plant_feet
from freshtake.motion.planting import settings_for
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.rotations import about_axis, multiply, rotate
from freshtake.variation.goals.goals import GoalReport, Goals
from freshtake.variation.goals.guarding import guarded
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.model import VariationModel
from freshtake.variation.synthesis.amount import Amount
from freshtake.workflows.variation_varying import generator

LEG = 0.9  # metres, of bodies whose unit nobody knows
UP = (0.0, 1.0, 0.0)


class Body(NamedTuple):
    """What all characters of a model share: the skeleton in its unit, metres per unit, what turns it to face z."""

    skeleton: Skeleton
    scale: float
    upright: Floats  # (4,)


class Asked(NamedTuple):
    """What is asked of one motion; `loop` makes a loop of about `seconds`."""

    seed: int
    number: int
    seconds: float
    fps: float | None
    amount: float = 1.0
    phase: float = 0.0
    plant: bool = True
    guard: bool = True
    loop: bool = False


class Made(NamedTuple):
    """Root (frames, 3) and joint rotations (frames, joints, 4) of a body that starts at the origin and faces z.

    `travel` (3,) is the way once through a loop, 0 for what is none; `tries` counts what was drawn.
    """

    root: Floats
    rotations: Floats
    travel: Floats
    tries: int


def body_of(model: VariationModel, name: str) -> Body:
    """The body of a model's motions; refused where they have none."""
    first = model.decode(model.material.values[0])
    if not isinstance(first, Clip):
        raise UsageError(f"{name}: a crowd needs bodies with a skeleton, and this model makes a {kind_word(first)}")
    if first.joint_translations is not None:
        raise UsageError(f"{name}: joints of this model move against their parents, and crowds hold rotations only")
    faced = [facing(model.decode(rows)) for rows in model.material.values]
    known = [angles for angles in faced if angles is not None]
    faces = mean_angle(np.concatenate(known))[0] if known else float(heading(first)[0])
    unit = unit_of(first)
    scale = LEG / leg_length(first.skeleton) if unit is None else unit
    upright = multiply(about_axis(np.array(UP), -faces), tilt(first.up, "y"))
    return Body(first.skeleton, scale, upright)


def made_motion(model: VariationModel, body: Body, asked: Asked) -> Made:
    """One motion, the same whoever makes it: its generator is that of the seed and its number."""

    def draw(attempt: int, amount: float | Amount) -> Guided:
        words = (asked.seed, asked.number, attempt) if attempt else (asked.seed, asked.number)
        return _drawn(model, generator(*words), amount, asked)

    with one_blas_thread():
        best, report = guarded(draw, model.body_limits if asked.guard else None, asked.amount)
    return _upright(best.motion, body, asked.fps, report.tries)


def _drawn(model: VariationModel, rng: np.random.Generator, much: float | Amount, asked: Asked) -> Guided:
    if asked.loop and model.cyclic and model.kernel is None:
        return model.guided(rng, Goals(duration=asked.seconds), amount=much, plant=asked.plant, loop=True)
    frames = 1 + round(asked.seconds / model.frame_time)
    skip = round(asked.phase * (len(model.material.values[0]) - 1)) if model.cyclic else 0
    made = model.made(rng, amount=much, frames=frames + skip)
    clip: Clip = take_frames(model.decode(made.rows), skip) if skip else model.decode(made.rows)
    if asked.plant and model.planting_model is not None:
        stand = None if made.phases is None else model.standing(clip, made.phases[skip:])
        settings = settings_for(True)
        clip = plant_feet(clip, stand, examples=model.planting_model, settings=settings, careful=False).clip
    return Guided(clip, GoalReport(1.0, clip.duration, None, 0.0, 0.0, ()))


def _upright(clip: Clip, body: Body, fps: float | None, tries: int) -> Made:
    travel = np.zeros(3)
    if clip.playback is not None and clip.playback.loop:
        travel = body.scale * rotate(body.upright, clip.playback.travel)
        clip = clip if fps is None else _loop_at(clip, fps)
    elif fps is not None:
        clip = resample(clip, fps)
    root = body.scale * rotate(body.upright, clip.root)
    root[:, [0, 2]] -= root[0, [0, 2]]
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(body.upright, rotations[:, 0])
    return Made(root, rotations, travel, tries)


def _loop_at(clip: Clip, fps: float) -> Clip:
    """A loop at another rate: a whole number of frames, nearly as long."""
    closed = with_closing_frame(clip)
    count = max(2, round((len(closed) - 1) * clip.frame_time * fps))
    return sampled_at(closed, np.arange(count) * (len(closed) - 1) / count, 1.0 / fps)


def in_place(made: Made, ground: Floats, heading: float, size: float) -> tuple[Floats, Floats]:
    """Root and rotations of a motion that starts at a place (x, z), turned to a heading, of a body of that size."""
    turn = about_axis(np.array(UP), heading)
    root = size * rotate(turn, made.root)
    root[:, [0, 2]] += ground
    rotations = made.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return root, rotations
