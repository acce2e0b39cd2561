"""Read takes of an FBX file as clips: the largest skeleton, moved by the curves of a take."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from freshtake.formats.fbx.objects import (
    Curve,
    Curves,
    Joints,
    Properties,
    Scene,
    find_joints,
    local_matrices,
    take_curves,
)
from freshtake.formats.fbx.records import parse
from freshtake.formats.fbx.writing import RATES
from freshtake.formats.files import MOST_NUMBERS, SLOWEST_KEYS, read_bytes, stored_note
from freshtake.formats.read_options import ReadOptions, WriteOptions
from freshtake.formats.rig import (
    choose_number,
    compose,
    distinct,
    moving_translations,
    naming,
    same_skeleton,
    scale_free,
    stored_playback,
)
from freshtake.motion import Clip, EndSite, MeshSequence, Skeleton
from freshtake.motion.edit import nominal_frame_time
from freshtake.numeric.arrays import Floats


def read(path: Path, options: ReadOptions) -> Clip | MeshSequence:
    """Return one take of the largest skeleton, or with `options.mesh` its skin, baked in metres and y up.

    `options.animation` chooses among several takes; the default is the first that moves, with a note.
    """
    clip = _clips_in(path, options, every=False)[0]
    if not options.mesh:
        return clip
    from freshtake.formats.gltf import bake_onto  # this package can read FBX characters

    (ready,) = same_skeleton(path, [clip], WriteOptions(warn=options.warn), "FBX")
    return bake_onto(path, ready, options)


def read_animations(path: Path, options: ReadOptions | None = None) -> list[Clip]:
    """Return all takes, one clip each."""
    return _clips_in(path, options or ReadOptions(), every=True)


def _clips_in(path: Path, options: ReadOptions, every: bool) -> list[Clip]:
    """Return all takes of a file, or the chosen take; the rest pose if there is no take."""
    with naming(path):
        data = read_bytes(path)
        return _clips(Scene(path, parse(path, data)), options, every, len(data))


class _Take(NamedTuple):
    """A stack of the file, its name, and what it moves."""

    stack: int | None
    name: str
    curves: Curves


def _clips(scene: Scene, options: ReadOptions, every: bool, size: int) -> list[Clip]:
    stacks = scene.of_kind("AnimationStack")
    names = distinct([scene.name(stack) or "take" for stack in stacks])
    curves = [take_curves(scene, stack) for stack in stacks]
    animated = {model for moved_by in curves for model, _, _ in moved_by}
    joints = find_joints(scene, animated)
    tips = tips_of(scene, joints, animated)
    acting = [k for k in range(len(stacks)) if any(np.ptp(c.values) > 0.0 for c in _used(joints, curves[k]))]
    # Exporters put an empty stack ("Take 001") before the animation: it is not a take.
    chosen = [k for k in range(len(stacks)) if curves[k] or not acting]
    if stacks and not every:
        chosen = [choose_number(scene.path, names, options, acting)]
    takes = [_Take(stacks[k], names[k], curves[k]) for k in chosen] or [_Take(None, scene.path.stem, {})]
    return [_clip(scene, joints, tips, take, options, size) for take in takes]


def _used(joints: Joints, curves: Curves) -> list[Curve]:
    """Return the curves that move a joint or a model above the joints."""
    models = {*joints.models, *joints.above}
    roles = ("Lcl Rotation", "Lcl Translation", "Lcl Scaling")
    return [curve for (model, role, _), curve in curves.items() if model in models and role in roles]


def moving_joints(scene: Scene) -> set[int]:
    """Return the models that any take moves."""
    return {model for stack in scene.of_kind("AnimationStack") for model, _, _ in take_curves(scene, stack)}


def tips_of(scene: Scene, joints: Joints, animated: set[int]) -> set[int]:
    """Return the indices of leaf joints that no take moves and no skin uses: they only mark the end of a joint."""
    # Without any take, an end marker cannot be distinguished from a joint.
    if not animated:
        return set()
    inner = set(joints.parents)
    return {
        k
        for k, model in enumerate(joints.models)
        if k > 0
        and k not in inner
        and model not in animated
        and not any(scene.objects[link.number].name == "Deformer" for link in scene.above[model] if link.number)
    }


def joint_names(scene: Scene, joints: Joints) -> list[str]:
    """Return a unique name for every joint."""
    return distinct([scene.name(model) or "joint" for model in joints.models])


def rest_world(scene: Scene, joints: Joints) -> Floats:
    """Return the world matrices (joints, 4, 4) of all joints without any take."""
    return np.asarray(_world(scene, joints, {}, np.zeros(1))[0])


def _clip(scene: Scene, joints: Joints, tips: set[int], take: _Take, options: ReadOptions, size: int) -> Clip:
    times, frame_time = _frames(scene, joints, take.curves, options, size)
    world = _world(scene, joints, take.curves, times)
    if not np.isfinite(world).all():
        raise scene.fail("a joint's position is not finite", "Objects")
    translations, rotations = scale_free(world, joints.parents)
    # Offsets are those of the file's rest pose, not of the first frame, so that all takes share a skeleton.
    offsets = scale_free(rest_world(scene, joints)[None], joints.parents)[0][0]
    inner = [k for k in range(len(joints.models)) if k not in tips]
    places = {k: number for number, k in enumerate(inner)}
    names = joint_names(scene, joints)
    sites = tuple(EndSite(places[joints.parents[k]], tuple(offsets[k].tolist()), names[k]) for k in sorted(tips))
    parents = np.array([places.get(joints.parents[k], -1) for k in inner])
    skeleton = Skeleton(tuple(names[k] for k in inner), parents, offsets[inner], sites)
    up, unit = axis_and_unit(scene)
    note = stored_note(Properties(scene.objects.get(take.stack or 0)).text("Description"))
    playback = stored_playback(note, len(times), frame_time)
    if playback is not None:
        playback = playback.changed(travel=playback.travel / unit)  # stored in metres
    return Clip(
        skeleton, frame_time, translations[:, 0], rotations[:, inner],
        moving_translations(translations[:, inner], skeleton.offsets),
        name=take.name, provenance=scene.path.name, up=up, unit_m=unit, playback=playback,
    )  # fmt: skip


def _world(scene: Scene, joints: Joints, curves: Curves, times: Floats) -> Floats:
    above = np.tile(np.eye(4), (len(times), 1, 1))
    for model in joints.above:
        above = above @ local_matrices(scene, model, curves, times)
    local = np.stack([local_matrices(scene, model, curves, times) for model in joints.models], axis=1)
    return compose(local, joints.parents, above)


def _frames(scene: Scene, joints: Joints, curves: Curves, options: ReadOptions, size: int) -> tuple[Floats, float]:
    """Return the times of all frames: at the keys if they are even, else at `options.fps` or the file's rate."""
    used = _used(joints, curves)
    settings = Properties(scene.top.one("GlobalSettings"))
    custom = settings.number("CustomFrameRate", 30.0)
    stated = RATES.get(int(settings.number("TimeMode", 6.0)), custom if custom > 0 else 30.0)
    rate = options.fps or (stated if 1e-3 < stated < 1e5 else 30.0)
    keys = np.unique(np.concatenate([curve.times for curve in used])) if used else np.zeros(1)
    if len(keys) < 2:
        return keys, 1.0 / rate
    step = float(keys[-1] - keys[0]) / (len(keys) - 1)
    even = options.fps is None and step < 1.01 / SLOWEST_KEYS and np.allclose(np.diff(keys), step, rtol=1e-4, atol=0.0)
    count = len(keys) if even else int(min((keys[-1] - keys[0]) * rate + 1e-3, 1e12)) + 1
    if count * len(joints.models) * 16 > max(MOST_NUMBERS, 200 * size):
        size_of_clip = f"{count} frames of {len(joints.models)} joints"
        raise scene.fail(f"{size_of_clip} are too many for a file of this size", "Objects")
    # Tolerance, in frames, for times rounded to FBX's ticks.
    return (keys, nominal_frame_time(step, 1e-9)) if even else (keys[0] + np.arange(count) / rate, 1.0 / rate)


def axis_and_unit(scene: Scene) -> tuple[str, float]:
    """Return the vertical axis and the metres per unit."""
    settings = Properties(scene.top.one("GlobalSettings"))
    axis, sign = settings.number("UpAxis", 1.0), settings.number("UpAxisSign", 1.0)
    if axis not in (1.0, 2.0) or sign < 0:
        raise scene.fail("only files with y or z up can be read: export with another up axis", "GlobalSettings")
    unit = settings.number("UnitScaleFactor", 1.0) / 100.0
    return ("y" if axis == 1.0 else "z"), unit if 1e-9 < unit < 1e9 else 0.01
