"""The motion of one character: drawn with a separate generator, planted, checked, and placed.

Everything is in metres with y up; a body with heading 0 faces z.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.crowd.route_following import Route, follow_route, smooth_route
from freshtake.crowd.routes import STEP
from freshtake.errors import FormatError, UsageError
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.limbs import Limb, learn_limbs
from freshtake.motion.body.orientation import ADULT_LEG, facing, mean_angle, unit_of
from freshtake.motion.body.roles import leg_length, pelvis
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.clip import Playback
from freshtake.motion.cycles.looping import with_closing_frame
from freshtake.motion.edit import heading, resample, sampled_at, scaled, scaled_skeleton, take_frames, tilt, with_up
from freshtake.motion.features.angles import ground_of
from freshtake.motion.kinds import kind_word
from freshtake.motion.verdict import Verdict, assess
from freshtake.numeric.arrays import Floats
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.numeric.rotations import IDENTITY, about_axis, inverse, multiply, rotate
from freshtake.variation.amount import Amount, guarded
from freshtake.variation.goals.goals import GoalReport, Goals
from freshtake.variation.goals.guidance import Guided
from freshtake.variation.live import planted_at
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import generator

if TYPE_CHECKING:  # most crowds have no character, and reading one is slow to import
    from freshtake.formats.rig import Rig
    from freshtake.workflows.retargeting import Onto

UP = (0.0, 1.0, 0.0)


class Body(NamedTuple):
    """The body that all characters of a model share: skeleton, metres per unit, and the rotation to face z."""

    skeleton: Skeleton
    scale: float
    upright: Floats  # (4,)
    up: str

    def metric(self) -> Skeleton:
        """Return the skeleton in metres with y up, like the motions that `make_motion` returns."""
        skeleton = scaled_skeleton(self.skeleton, self.scale)
        # Nodes above the body in a file are rotated and scaled with it, or they would pull it apart.
        return skeleton if skeleton.base is None else replace(skeleton, base=skeleton.base.tilted(self.upright))


class MotionRequest(NamedTuple):
    """The parameters of one motion; `loop` makes a loop of about `seconds`."""

    seed: int
    number: int
    seconds: float
    fps: float | None
    amount: float = 1.0
    phase: float = 0.0
    plant: bool = True
    guard: bool = True
    loop: bool = False
    route: Floats | None = None  # (steps, 2): positions, in metres of a body of size 1 starting at 0 along z


class MadeMotion(NamedTuple):
    """Root (frames, 3) and joint rotations (frames, joints, 4) of a body that starts at the origin and faces z.

    `travel` (3,) is the travel of a loop, 0 for other motions; `tries` counts the draws. `verdict` is green
    if it passed the guards.
    """

    root: Floats
    rotations: Floats
    travel: Floats
    tries: int
    verdict: Verdict


@lru_cache(maxsize=8)  # cached, since every shard needs the body
def body_of(model: VariationModel, name: str) -> Body:
    """Find the body of a model's motions; raise if they have none."""
    first = model.decode(model.material.values[0])
    if not isinstance(first, Clip):
        raise UsageError(f"{name}: a crowd needs bodies with a skeleton, and this model makes a {kind_word(first)}")
    if first.joint_translations is not None:
        raise UsageError(f"{name}: this model's joints move relative to their parents, but crowds only store rotations")
    # All takes are used together, because the mean direction of one take varies with its steps.
    faced = [facing(model.decode(rows)) for rows in model.material.values]
    headings = [angles for angles in faced if angles is not None]
    faces = mean_angle(np.concatenate(headings))[0] if headings else float(heading(first)[0])
    upright = multiply(about_axis(np.array(UP), -faces), tilt(first.up, "y"))
    return Body(first.skeleton, _unit(first), upright, first.up)


def make_motion(model: VariationModel, body: Body, asked: MotionRequest) -> MadeMotion:
    """Make a motion, which depends only on the seed and its number."""

    def draw(attempt: int, amount: float | Amount) -> Guided:
        rng = generator(asked.seed, asked.number, attempt=attempt)
        if asked.route is not None and len(asked.route):
            return _on_route(model, body, rng, amount, asked)
        return _draw(model, rng, amount, asked)

    with one_blas_thread():
        best, report = guarded(draw, model.body_limits if asked.guard else None, asked.amount)
        verdict = _verdict(model, best, asked, passed=asked.guard and not report.left)
    return _upright(best.motion, body, asked, report.tries, verdict)


def _verdict(model: VariationModel, made: Guided, asked: MotionRequest, *, passed: bool) -> Verdict:
    """Check a motion; one that passed the guards and is finite is not checked again, to save time."""
    name = f"motion {asked.number}"
    if passed and np.isfinite(made.motion.rotations).all() and np.isfinite(made.motion.root).all():
        return Verdict(name)
    assert model.standard is not None
    return assess(made.motion, model.standard, amount=asked.amount, rate=made.report.rate, name=name)


def _draw(model: VariationModel, rng: np.random.Generator, amount: float | Amount, asked: MotionRequest) -> Guided:
    if asked.loop and model.cyclic:
        return model.guided(rng, Goals(duration=asked.seconds), amount=amount, plant=asked.plant, loop=True)
    frames = 1 + round(asked.seconds / model.frame_time)
    # To reach a phase, skip frames: a model that began there would draw different random numbers.
    skip = round(asked.phase * (len(model.material.values[0]) - 1)) if model.cyclic else 0
    variant = model.draw(rng, amount=amount, frames=frames + skip)
    clip: Clip = take_frames(model.decode(variant.rows), skip) if skip else model.decode(variant.rows)
    return _finish(model, clip, variant.phases[skip:], 1.0, asked.plant)


def _on_route(
    model: VariationModel, body: Body, rng: np.random.Generator, amount: float | Amount, asked: MotionRequest
) -> Guided:
    assert asked.route is not None
    cycle = round(float(np.mean([len(rows) - 1 for rows in model.material.values])))
    frames = 1 + round(asked.seconds / model.frame_time)
    route = smooth_route(asked.route, STEP, model.frame_time, frames)
    # Routes are in metres along z, the model's motion in the units and direction of its takes.
    forward = ground_of(rotate(inverse(body.upright), np.array([0.0, 0.0, 1.0])), body.up).item()
    route = Route(route.ground * forward / body.scale, route.direction + np.angle(forward), route.distance / body.scale)
    skip = round(asked.phase * cycle)
    # A third more frames than at the usual speed, because variants may be slower.
    needed = round(1.3 * route.distance[-1] / max(model.travel.speed, 1e-9) / model.frame_time)
    # One more cycle at each end, over which the body's path is averaged.
    drawn = model.draw(rng, amount=amount, frames=skip + 2 * cycle + needed)
    routed = follow_route(take_frames(model.decode(drawn.rows), skip), route, cycle)
    phases = np.interp(routed.frames, np.arange(len(drawn.phases) - skip), drawn.phases[skip:])
    return _finish(model, routed.clip, phases, routed.rate, asked.plant)


def _finish(model: VariationModel, clip: Clip, phases: Floats, rate: float, plant: bool) -> Guided:
    if plant and model.planting_model is not None:
        clip = planted_at(model, clip, phases, True).clip
    return Guided(clip, GoalReport(rate, clip.duration, None, 0.0, 0.0, ()))


def _upright(clip: Clip, body: Body, asked: MotionRequest, tries: int, verdict: Verdict) -> MadeMotion:
    travel, fps = np.zeros(3), asked.fps
    if clip.playback is not None and clip.playback.loop:
        travel = body.scale * rotate(body.upright, clip.playback.travel)
        clip = clip if fps is None else _loop_at(clip, fps)
    elif fps is not None:
        clip = resample(clip, fps)
    root, rotations = _upright_pose(clip, body)
    if asked.route is None or not len(asked.route):
        root[:, [0, 2]] -= root[0, [0, 2]]
    return MadeMotion(root, rotations, travel, tries, verdict)


def _upright_pose(clip: Clip, body: Body) -> tuple[Floats, Floats]:
    """Convert root and rotations to metres with y up, facing z."""
    rotations = clip.rotations.copy()
    rotations[:, 0] = multiply(body.upright, rotations[:, 0])
    return body.scale * rotate(body.upright, clip.root), rotations


def _loop_at(clip: Clip, fps: float) -> Clip:
    """Resample a loop to another rate, with an integer number of frames and about the same duration."""
    closed = with_closing_frame(clip)
    count = max(2, round((len(closed) - 1) * clip.frame_time * fps))
    return sampled_at(closed, np.arange(count) * (len(closed) - 1) / count, 1.0 / fps)


def put_in_place(made: MadeMotion, ground: Floats, heading: float, size: float) -> tuple[Floats, Floats]:
    """Return root and rotations of a motion moved to a position (x, z), rotated to a heading and scaled to a size.

    The rotations of `made` are changed in place if possible: copying takes longer than rotating.
    """
    rotations = made.rotations if made.rotations.flags.writeable else made.rotations.copy()
    turn = about_axis(np.array(UP), heading)
    root = size * rotate(turn, made.root)
    root[:, [0, 2]] += ground
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    return root, rotations


class Character(NamedTuple):
    """A body to retarget a model's motions to; it walks `ratio` times as far as the model's body."""

    onto: Onto
    body: Body
    ratio: float
    legs: tuple[Limb, ...]

    def rig(self) -> Rig | None:
        """Return joints, bind pose and meshes of the file, in metres; None for files without a skin."""
        if not self.onto.gltf:
            return None
        from freshtake.formats.gltf.character import character_rig

        filed = character_rig(self.onto.path, as_filed(self.onto.clip))[1]
        unit = _unit(self.onto.clip)
        if unit == 1.0:
            return filed
        meshes = tuple(mesh._replace(vertices=unit * mesh.vertices) for mesh in filed.meshes)
        return replace(filed, translations=unit * filed.translations, meshes=meshes)

    def put(self, made: MadeMotion, source: Body, fps: float) -> MadeMotion:
        """Retarget a motion to this body; root and travel are then scaled to it."""
        playback = None
        if made.travel.any():
            playback = Playback(made.travel, len(made.root) / fps, loop=True)
        clip = Clip(
            source.metric(), 1.0 / fps, made.root, made.rotations, name="motion", unit_m=1.0,
            playback=playback,
        )  # fmt: skip
        clip = _on_its_root(_put(self.onto, clip), self.onto.path)
        return MadeMotion(clip.root, clip.rotations, self.ratio * made.travel, made.tries, made.verdict)


@lru_cache(maxsize=8)
def _onto(path: Path, model: Path) -> Onto:
    from freshtake.workflows.retargeting import onto_character

    # A new retargeter for each model: it takes the source's rest pose from the first clip.
    return onto_character(path)


def character_of(path: Path, model: VariationModel, body: Body, model_path: Path) -> Character:
    """Read the character in a file for motions of a model; raise if they cannot be retargeted to it."""
    onto = _onto(path, model_path)
    take = model.decode(model.material.values[0])
    root, rotations = _upright_pose(take, body)
    example = Clip(body.metric(), take.frame_time, root, rotations, name=take.name, unit_m=1.0)
    on_character = _on_its_root(_put(onto, example), path)
    new = Body(on_character.skeleton, 1.0, IDENTITY.copy(), "y")
    ratio = leg_length(on_character.skeleton) / leg_length(example.skeleton)
    if onto.ways:
        ratio = onto.ways[0][1].transfer.leg_ratio * _unit(onto.clip)
    return Character(onto, new, float(ratio), tuple(limb for limb in learn_limbs([on_character]) if limb.is_leg))


def _unit(clip: Clip) -> float:
    unit = unit_of(clip)
    return ADULT_LEG / leg_length(clip.skeleton) if unit is None else unit


def _put(onto: Onto, clip: Clip) -> Clip:
    """Retarget a clip to the character, in metres with y up."""
    moved = onto.put(clip)
    if moved is clip:  # it has the same joints, perhaps in another order and size
        order = [clip.skeleton.index(name) for name in onto.clip.skeleton.names]
        target = scaled(with_up(onto.clip, "y"), _unit(onto.clip))
        ratio = leg_length(target.skeleton) / leg_length(clip.skeleton)
        return clip.changed(skeleton=target.skeleton, root=ratio * clip.root, rotations=clip.rotations[:, order])
    return scaled(with_up(as_filed(moved), "y"), _unit(moved))


def _on_its_root(clip: Clip, path: Path) -> Clip:
    """Let joint 0 travel instead of a joint below it; all others keep their positions relative to their parents."""
    if clip.joint_translations is None:
        return clip
    still = clip.changed(joint_translations=None)
    away = clip.positions() - still.positions()
    body = pelvis(clip.skeleton)
    moved = still.changed(root=clip.root + away[:, body])
    below = [joint for joint in range(len(clip.skeleton)) if body in clip.skeleton.chain(joint)]
    # Only the travelling joint may move relative to its parent; a tenth of a millimetre is rounding.
    if np.abs(moved.positions()[:, below] - clip.positions()[:, below]).max() > 1e-4:
        raise FormatError(path, "this character's joints move relative to their parents; crowds store only rotations")
    return moved


def speed_of(model: VariationModel, body: Body) -> float:
    """Measure the speed of a steerable cyclic model in metres per second; 0 for other models, which stand."""
    recipe = model.material.recipe
    if not model.cyclic or recipe is None or "turn" not in recipe.units:
        return 0.0
    speed = model.travel.speed * body.scale
    # Slower characters are treated as standing.
    return speed if speed >= 0.2 else 0.0
