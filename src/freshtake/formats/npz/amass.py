"""AMASS archives: poses of an SMPL, SMPL-H or SMPL-X body as rotation vectors, its way, shape and gender."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.clip_sets import in_metres
from freshtake.formats.npz.archive import Archive, open_archive, write_archive
from freshtake.formats.npz.array_fields import number, numbers, text, text_array
from freshtake.formats.npz.smpl_body import BODY, BONES, MODELS, body
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.motion import Clip
from freshtake.motion.kind_words import kind_word
from freshtake.numeric.arrays import Floats
from freshtake.numeric.kinematics import local_rotations
from freshtake.numeric.rotations import about_axis, continuous, from_rotvec, multiply, rotate, to_rotvec

# Endings of names that say the model: AMASS's own, and ours for names of any other kind.
ENDINGS = {"_poses.npz": 52, ".amass.npz": 52, "_stageii.npz": 55, ".smplx.npz": 55}
_RATES = ("mocap_frame_rate", "mocap_framerate", "fps")
_PARTS = {"root_orient": 3, "pose_body": 63, "pose_jaw": 3, "pose_eye": 6, "pose_hand": 90}
_BETAS = 16
_MOST_TURN = 1e5  # radians
_Y_TO_Z = about_axis((1.0, 0.0, 0.0), np.pi / 2)  # bodies stand along y, the world's vertical is z
_GENDERS = ("neutral", "female", "male")


def is_amass(archive: Archive) -> bool:
    """Whether these are the arrays of an AMASS file."""
    return "trans" in archive and ("poses" in archive or "pose_body" in archive)


def joints_in_name(path: Path) -> int | None:
    """How many joints an AMASS file of this name has; None where the name is no AMASS file's."""
    return next((count for ending, count in ENDINGS.items() if path.name.lower().endswith(ending)), None)


def amass_from(archive: Archive, options: ReadOptions) -> Clip:
    """A clip with z up, in metres, on a body of average size."""
    poses = numbers(archive, "poses") if "poses" in archive else _joined(archive)
    count = poses.shape[1] // 3 if poses.ndim == 2 and poses.shape[1] % 3 == 0 else 0
    if count not in MODELS:
        sizes = ", ".join(str(3 * joints) for joints in MODELS)
        raise FormatError(archive.path, f"{sizes} numbers a frame were expected, not {poses.shape}", "array 'poses'")
    trans = numbers(archive, "trans")
    if trans.shape != (len(poses), 3) or not len(poses):
        raise FormatError(archive.path, f"({len(poses)}, 3) was expected, not {trans.shape}", "array 'trans'")
    if not (np.abs(poses) < _MOST_TURN).all():
        raise FormatError(archive.path, "a rotation is not finite, or has thousands of turns", "array 'poses'")
    rotations = continuous(from_rotvec(poses.reshape(len(poses), count, 3)))
    name = archive.path.stem
    return Clip(
        body(count), _frame_time(archive, options), trans, rotations,
        name=name, provenance=archive.path.name, up=options.up or "z", unit_m=1.0,
    )  # fmt: skip


def _joined(archive: Archive) -> Floats:
    """The poses from their parts, as some SMPL-X files have them; parts that are missing do not turn."""
    frames = len(numbers(archive, "pose_body"))
    out = []
    for key, width in _PARTS.items():
        values = numbers(archive, key) if key in archive else np.zeros((frames, width))
        if values.shape != (frames, width):
            raise FormatError(archive.path, f"({frames}, {width}) was expected, not {values.shape}", f"array {key!r}")
        out.append(values)
    return np.concatenate(out, axis=1)


def _frame_time(archive: Archive, options: ReadOptions) -> float:
    key = next((key for key in _RATES if key in archive), None)
    rate = options.fps if key is None else number(archive, key)
    if rate is None:
        raise FormatError(archive.path, "the file states no frame rate (mocap_frame_rate): give it with --fps")
    if not (math.isfinite(rate) and rate > 0):
        raise FormatError(archive.path, f"a rate above 0 was expected, not {rate}", f"array {key!r}")
    return 1.0 / rate


def write_amass(path: Path, motion: Motion, options: WriteOptions, count: int) -> None:
    """Write a clip of a human body; with `options.character`, an AMASS file, its shape and gender."""
    if not isinstance(motion, Clip):
        raise FormatError(path, f"AMASS holds clips with a skeleton, not a {kind_word(motion)}: name another .npz")
    gender, betas = _shape(Path(options.character)) if options.character is not None else ("neutral", np.zeros(_BETAS))
    clip = _on_body(path, motion, options, count)
    poses = to_rotvec(clip.rotations).reshape(len(clip), 3 * count)
    arrays = {
        "gender": text_array(gender),
        "surface_model_type": text_array({52: "smplh", 55: "smplx"}[count]),
        "mocap_frame_rate": np.array(clip.fps),
        "mocap_framerate": np.array(clip.fps),
        "trans": clip.root,
        "poses": poses,
        "betas": betas,
        "num_betas": np.array(len(betas)),
        "root_orient": poses[:, :3],
        "pose_body": poses[:, 3 : 3 * len(BODY)],
        "pose_hand": poses[:, -90:],
    }
    if count == 55:
        arrays |= {"pose_jaw": poses[:, 66:69], "pose_eye": poses[:, 69:75]}
    write_archive(path, arrays, compress=True)


def _shape(source: Path) -> tuple[str, Floats]:
    """Gender and shape of the subject of another AMASS file."""
    archive = open_archive(source)
    if not is_amass(archive):
        raise UsageError(f"{source}: an AMASS file of the same subject was expected, for its gender and shape")
    gender = text(archive, "gender", "neutral").strip("b'\"").lower()
    betas = numbers(archive, "betas").ravel() if "betas" in archive else np.zeros(_BETAS)
    if gender not in _GENDERS:
        raise FormatError(source, f"one of {', '.join(_GENDERS)} was expected, not {gender[:20]!r}", "array 'gender'")
    if not 0 < len(betas) <= 400 or not np.isfinite(betas).all():
        raise FormatError(source, "up to 400 finite numbers were expected", "array 'betas'")
    return gender, betas


def _on_body(path: Path, clip: Clip, options: WriteOptions, count: int) -> Clip:
    """Joints by their SMPL names as they are; any other body by way of the bones that it has."""
    names, skeleton = clip.skeleton.names, body(count)
    rotations = np.zeros((len(clip), count, 4))
    rotations[..., 0] = 1.0
    if set(BODY) <= set(names) and clip.up == "z" and clip.unit_m == 1.0:
        for joint, name in enumerate(skeleton.names):
            if name in names:
                rotations[:, joint] = clip.rotations[:, names.index(name)]
        return Clip(skeleton, clip.frame_time, clip.root, rotations)
    from freshtake.formats.humanoid import as_humanoid

    human = as_humanoid(in_metres(path, clip, options, "AMASS"))
    world, bones = human.world(), human.skeleton.names
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        if BONES.get(name) in bones:
            rotations[:, joint] = multiply(_Y_TO_Z, world.rotations[:, bones.index(BONES[name])])
        elif parent >= 0:
            rotations[:, joint] = rotations[:, parent]
    way = rotate(_Y_TO_Z, world.positions[:, 0])
    return Clip(skeleton, clip.frame_time, way, local_rotations(skeleton.parents, rotations))
