"""Read and write motion of SMPL bodies as AMASS stores it (.npz)."""

import math
from functools import lru_cache
from pathlib import Path

import numpy as np

from freshtake.errors import FormatError, UsageError
from freshtake.formats.archive import Archive, open_archive, text_array, write_archive
from freshtake.formats.read_options import Motion, ReadOptions, WriteOptions
from freshtake.formats.rig import in_metres
from freshtake.motion import Clip, Skeleton
from freshtake.motion.kinds import kind_word
from freshtake.motion.retarget.mapping import SIDES
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import (
    about_axis,
    continuous,
    from_rotvec,
    local_rotations,
    multiply,
    rotate,
    to_rotvec,
)

# Name, parent, position in metres in a T-pose: x to the left, y up, z forward, pelvis at 0. Left side only.
_TRUNK = (
    ("pelvis", "", (0.0, 0.0, 0.0)), ("spine1", "pelvis", (0.0, 0.11, -0.01)), ("spine2", "spine1", (0.0, 0.24, -0.01)),
    ("spine3", "spine2", (0.0, 0.3, -0.01)), ("neck", "spine3", (0.0, 0.51, -0.02)), ("head", "neck", (0.0, 0.6, 0.01)),
)  # fmt: skip
_SIDE = (
    ("hip", "pelvis", (0.07, -0.09, 0.0)), ("knee", "hip", (0.1, -0.46, 0.0)), ("ankle", "knee", (0.09, -0.87, -0.03)),
    ("foot", "ankle", (0.12, -0.92, 0.09)), ("collar", "spine3", (0.07, 0.42, -0.01)),
    ("shoulder", "collar", (0.18, 0.46, -0.02)), ("elbow", "shoulder", (0.44, 0.45, -0.03)),
    ("wrist", "elbow", (0.69, 0.45, -0.03)),
)  # fmt: skip
_FINGERS = {"index": (0.78, 0.45, 0.0), "middle": (0.79, 0.45, -0.03), "pinky": (0.77, 0.45, -0.07),
            "ring": (0.78, 0.45, -0.05), "thumb": (0.73, 0.44, 0.0)}  # fmt: skip
_FACE = (("jaw", (0.0, 0.58, 0.03)), ("left_eye", (0.03, 0.66, 0.09)), ("right_eye", (-0.03, 0.66, 0.09)))
_HAND = (0.77, 0.45, -0.03)
BODY = (
    "pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle",
    "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head", "left_shoulder",
    "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist",
)  # fmt: skip
_HANDS = tuple(f"{side}_{finger}{k}" for side in SIDES for finger in _FINGERS for k in (1, 2, 3))
# Joint names of each model by their number.
MODELS = {
    22: BODY,
    24: (*BODY, "left_hand", "right_hand"),  # SMPL
    52: (*BODY, *_HANDS),  # SMPL-H
    55: (*BODY, *[name for name, _ in _FACE], *_HANDS),  # SMPL-X
}
# The humanoid bones (VRM) of these joints.
BONES = {"pelvis": "hips", "spine1": "spine", "spine2": "chest", "spine3": "upperChest", "neck": "neck", "head": "head"}
_LIMBS = {"hip": "UpperLeg", "knee": "LowerLeg", "ankle": "Foot", "foot": "Toes", "collar": "Shoulder",
          "shoulder": "UpperArm", "elbow": "LowerArm", "wrist": "Hand"}  # fmt: skip
for _side in SIDES:
    BONES |= {f"{_side}_{joint}": f"{_side}{bone}" for joint, bone in _LIMBS.items()}
    for _finger in _FINGERS:
        _word = {"pinky": "Little"}.get(_finger, _finger.capitalize())
        _first = ("Metacarpal", "Proximal") if _finger == "thumb" else ("Proximal", "Intermediate")
        BONES |= {f"{_side}_{_finger}{k + 1}": f"{_side}{_word}{part}" for k, part in enumerate((*_first, "Distal"))}


def _places() -> dict[str, tuple[str, tuple[float, float, float]]]:
    """Return parent and position of every joint of every model."""
    out = {name: (parent, place) for name, parent, place in _TRUNK}
    out |= {name: ("head", place) for name, place in _FACE}
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for name, parent, (x, y, z) in _SIDE:
            above = parent if parent in out else f"{side}_{parent}"
            out[f"{side}_{name}"] = (above, (sign * x, y, z))
        out[f"{side}_hand"] = (f"{side}_wrist", (sign * _HAND[0], _HAND[1], _HAND[2]))
        for finger, (x, y, z) in _FINGERS.items():
            for k in range(3):
                above = f"{side}_{finger}{k}" if k else f"{side}_wrist"
                out[f"{side}_{finger}{k + 1}"] = (above, (sign * (x + k * 0.03), y, z))
    return out


@lru_cache(maxsize=4)
def body(count: int) -> Skeleton:
    """Return the skeleton with that many joints."""
    names, places = MODELS[count], _places()
    parents = [names.index(places[name][0]) if places[name][0] else -1 for name in names]
    where = np.array([places[name][1] for name in names])
    offsets = where - where[np.maximum(parents, 0)]
    return Skeleton(names, np.array(parents), offsets)


# File name endings that state the model: AMASS's and ours.
ENDINGS = {"_poses.npz": 52, ".amass.npz": 52, "_stageii.npz": 55, ".smplx.npz": 55}
_RATES = ("mocap_frame_rate", "mocap_framerate", "fps")
_PARTS = {"root_orient": 3, "pose_body": 63, "pose_jaw": 3, "pose_eye": 6, "pose_hand": 90}
_BETAS = 16
_Y_TO_Z = about_axis((1.0, 0.0, 0.0), np.pi / 2)  # bodies have y up, the world has z up
_GENDERS = ("neutral", "female", "male")


def is_amass(archive: Archive) -> bool:
    """Return whether these are the arrays of an AMASS file."""
    return "trans" in archive and ("poses" in archive or "pose_body" in archive)


def joints_in_name(path: Path) -> int | None:
    """Return how many joints an AMASS file of this name has; None for other names."""
    return next((count for ending, count in ENDINGS.items() if path.name.lower().endswith(ending)), None)


def amass_from(archive: Archive, options: ReadOptions) -> Clip:
    """Return a clip with z up, in metres, on an average body."""
    poses = archive.numbers("poses") if "poses" in archive else _join_parts(archive)
    count = poses.shape[1] // 3 if poses.ndim == 2 and poses.shape[1] % 3 == 0 else 0
    if count not in MODELS:
        sizes = ", ".join(str(3 * joints) for joints in MODELS)
        raise FormatError(archive.path, f"{sizes} numbers a frame were expected, not {poses.shape}", "array 'poses'")
    trans = archive.numbers("trans")
    if trans.shape != (len(poses), 3) or not len(poses):
        raise FormatError(archive.path, f"({len(poses)}, 3) was expected, not {trans.shape}", "array 'trans'")
    # Radians; larger values occur only in damaged files.
    if not (np.abs(poses) < 1e5).all():
        raise FormatError(archive.path, "a rotation is not finite, or has thousands of turns", "array 'poses'")
    rotations = continuous(from_rotvec(poses.reshape(len(poses), count, 3)))
    name = archive.path.stem
    return Clip(
        body(count), _frame_time(archive, options), trans, rotations,
        name=name, provenance=archive.path.name, up=options.up or "z", unit_m=1.0,
    )  # fmt: skip


def _join_parts(archive: Archive) -> Floats:
    """Join poses from their parts, as some SMPL-X files store them; missing parts are at rest."""
    frames = len(archive.numbers("pose_body"))
    out = []
    for key, width in _PARTS.items():
        values = archive.numbers(key) if key in archive else np.zeros((frames, width))
        if values.shape != (frames, width):
            raise FormatError(archive.path, f"({frames}, {width}) was expected, not {values.shape}", f"array {key!r}")
        out.append(values)
    return np.concatenate(out, axis=1)


def _frame_time(archive: Archive, options: ReadOptions) -> float:
    key = next((key for key in _RATES if key in archive), None)
    rate = options.fps if key is None else archive.number(key)
    if rate is None:
        raise FormatError(archive.path, "the file states no frame rate (mocap_frame_rate): give it with --fps")
    if not (math.isfinite(rate) and rate > 0):
        raise FormatError(archive.path, f"a rate above 0 was expected, not {rate}", f"array {key!r}")
    return 1.0 / rate


def write_amass(path: Path, motion: Motion, options: WriteOptions, count: int) -> None:
    """Write a clip of a human body; `options.character` is an AMASS file whose shape and gender are used."""
    if not isinstance(motion, Clip):
        raise FormatError(path, f"AMASS holds clips with a skeleton, not a {kind_word(motion)}: rename the .npz")
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
    """Return gender and shape of the subject of another AMASS file."""
    archive = open_archive(source)
    if not is_amass(archive):
        raise UsageError(f"{source}: an AMASS file of the same subject was expected, for its gender and shape")
    gender = archive.one_text("gender", "neutral").strip("b'\"").lower()
    betas = archive.numbers("betas").ravel() if "betas" in archive else np.zeros(_BETAS)
    if gender not in _GENDERS:
        raise FormatError(source, f"one of {', '.join(_GENDERS)} was expected, not {gender[:20]!r}", "array 'gender'")
    if not 0 < len(betas) <= 400 or not np.isfinite(betas).all():
        raise FormatError(source, "up to 400 finite numbers were expected", "array 'betas'")
    return gender, betas


def _on_body(path: Path, clip: Clip, options: WriteOptions, count: int) -> Clip:
    """Return a clip on the SMPL body: joints with SMPL names unchanged, other bodies through humanoid bones."""
    names, skeleton = clip.skeleton.names, body(count)
    rotations = np.zeros((len(clip), count, 4))
    rotations[..., 0] = 1.0
    if set(BODY) <= set(names) and clip.up == "z" and clip.unit_m == 1.0:
        for joint, name in enumerate(skeleton.names):
            if name in names:
                rotations[:, joint] = clip.rotations[:, names.index(name)]
        return Clip(skeleton, clip.frame_time, clip.root, rotations)
    from freshtake.formats.vrm import as_humanoid

    human = as_humanoid(in_metres(path, clip, options, "AMASS"))
    world, bones = human.world(), human.skeleton.names
    for joint, name in enumerate(skeleton.names):
        parent = int(skeleton.parents[joint])
        if BONES.get(name) in bones:
            rotations[:, joint] = multiply(_Y_TO_Z, world.rotations[:, bones.index(BONES[name])])
        elif parent >= 0:
            rotations[:, joint] = rotations[:, parent]
    path_of_root = rotate(_Y_TO_Z, world.positions[:, 0])
    return Clip(skeleton, clip.frame_time, path_of_root, local_rotations(skeleton.parents, rotations))
