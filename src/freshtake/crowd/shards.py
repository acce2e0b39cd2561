"""Shards: a task makes one from plain values, and writes its file and a record of completion; files can be read back.

A file is an npz archive, a Zarr group, a folder of BVH files, a layer of USD, or a library as glTF or FBX.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake import __version__
from freshtake.crowd.casting import Cast
from freshtake.crowd.characters import (
    Body,
    MadeMotion,
    MotionRequest,
    body_of,
    character_of,
    make_motion,
    put_in_place,
    speed_of,
)
from freshtake.crowd.folder import RECORDS, json_bytes, read_json, replace_file, replacing_ours
from freshtake.crowd.ground import kept_ground, onto_ground
from freshtake.crowd.plan import Shard
from freshtake.errors import FormatError, FreshtakeError, MissingExtra, UsageError
from freshtake.formats import read_clip
from freshtake.formats.archive import open_archive, text_array, write_archive
from freshtake.formats.files import LARGEST, read_bytes, replacing_folder, try_apart
from freshtake.formats.registry import write as write_motion
from freshtake.motion import Clip, Skeleton
from freshtake.motion.edit import scaled_skeleton
from freshtake.motion.verdict import AMBER, RED, require_possible
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.blas_threads import one_blas_thread
from freshtake.variation.model import VariationModel
from freshtake.workflows.inputs import model_of

Record = dict[str, Any]


class Task(NamedTuple):
    """A shard to make. `cast` holds its characters; None for variants of a library.

    `motion` is common to all motions, except that each character has its number, amount, phase and route.
    """

    folder: Path
    shard: Shard
    group: str
    model: Path
    motion: MotionRequest
    cast: Cast | None
    format: str
    prim: str  # name of the group's prototype in USD
    version: str
    ground: str = ""  # checksum of the ground next to the shards
    character: Path | None = None
    keep_going: bool = False  # whether to write motions that fail the body checks


@lru_cache(maxsize=8)
def model_at(path: Path) -> VariationModel:
    """Read a model, once per process."""
    model: VariationModel = model_of(path, "variation")
    return model


def run_task(task: Task, model: VariationModel | None = None) -> Record:
    """Make a shard and write it, then its record: a shard without a record is not finished."""
    if task.version != __version__:
        raise UsageError(
            f"a worker has freshtake {__version__}, but the crowd was requested by {task.version}: install the same "
            "version on all machines"
        )
    model = model_at(task.model) if model is None else model
    body = body_of(model, task.model.name)
    singles, motions = _make_motions(task, model, body)
    verdicts = [one.verdict._replace(name=f"{task.group}, {one.verdict.name}") for one in singles]
    require_possible(verdicts, task.keep_going, None)
    path = task.folder / file_name(task.shard, task.format)
    replacing_ours(write_shard, path, motions, task.format)
    size, digest = checksum(path)
    record: Record = {
        "shard": task.shard.number,
        "file": path.name,
        "group": task.group,
        "first": task.shard.first,
        "last": task.shard.last,
        "seed": task.motion.seed,
        "frames": sum(len(one.root) for one in singles),
        "drawn_again": sum(one.tries > 1 for one in singles),
        "amber": sum(one.verdict.color == AMBER for one in singles),
        "red": sum(one.verdict.color == RED for one in singles),
        "bytes": size,
        "sha256": digest,
    }
    replace_file(_record_path(task.folder, task.shard), json_bytes(record))
    return record


def _record_path(folder: Path, shard: Shard) -> Path:
    return folder / RECORDS / f"{shard.name}.json"


def finished(folder: Path, shard: Shard, *, verify: bool = True) -> dict[str, Any] | None:
    """Return the record of a shard whose file exists and matches its checksum; else None.

    Without `verify` the bytes are not read: reading the shards of all other parts of a farm would take too long.
    """
    path = _record_path(folder, shard)
    if not path.is_file():
        return None
    try:
        record = read_json(path)
        file = folder / str(record["file"])
        is_complete = checksum(file) == (record["bytes"], record["sha256"]) if verify else file.exists()
        is_its = (record["first"], record["last"]) == (shard.first, shard.last)
    except (FormatError, KeyError):
        return None
    return record if is_complete and is_its else None


def _make_motions(task: Task, model: VariationModel, body: Body) -> tuple[list[MadeMotion], Motions]:
    """Make the motions of a shard, on the requested character, in position and on the ground."""
    fps = task.motion.fps or 1.0 / model.frame_time
    character = None if task.character is None else character_of(task.character, model, body, task.model)
    steers = task.cast is not None and task.cast.routes.shape[1] > 0 and speed_of(model, body) > 0.0
    requests = _motion_requests(task, steers, character.ratio if character else 1.0)
    with one_blas_thread():  # once for all motions, since setting the number of threads takes time
        singles = [make_motion(model, body, asked) for asked in requests]
    legs = () if model.planting_model is None else model.planting_model.legs
    if character is not None:
        singles = [character.put(one, body, fps) for one in singles]
        body, legs = character.body, character.legs
    motions = motions_of(task.shard, singles, task.cast, body, fps, task.prim)._replace(character=task.character)
    if task.ground and task.cast is not None:
        ground = kept_ground(task.folder, task.ground)
        clips = [onto_ground(clip, legs, ground) for clip in clips_of(motions)]
        motions = motions._replace(roots=[clip.root for clip in clips], rotations=[clip.rotations for clip in clips])
    return singles, motions


def _motion_requests(task: Task, steers: bool, ratio: float) -> list[MotionRequest]:
    numbers = range(task.shard.first, task.shard.last + 1)
    if task.cast is None:
        return [task.motion._replace(number=number, loop=True) for number in numbers]
    amounts, phases = task.cast.amount.tolist(), task.cast.phase.tolist()
    every = [task.motion._replace(number=n, amount=amounts[k], phase=phases[k]) for k, n in enumerate(numbers)]
    if not steers:
        return every
    return [one._replace(route=route_from_start(task.cast, k, ratio)) for k, one in enumerate(every)]


def route_from_start(cast: Cast, k: int, ratio: float) -> Floats:
    """Return a character's route relative to its start: from the origin, along z, in lengths of a body of size 1.

    `ratio` is the distance that the character walks, relative to the model's body.
    """
    covered = (cast.routes[k].astype(np.float64) - cast.ground[k]) / (ratio * cast.size[k])
    along_z = (covered[:, 1] + 1j * covered[:, 0]) * np.exp(-1j * cast.heading[k])
    return np.stack([along_z.imag, along_z.real], axis=1)


class Motions(NamedTuple):
    """The motions of a shard, by number; characters' motions are in position, loops of a library at the origin."""

    numbers: Ints
    roots: list[Floats]
    rotations: list[Floats]
    sizes: Floats
    travel: Floats  # (motions, 3)
    skeleton: Skeleton  # in metres
    fps: float
    group: str = ""
    character: Path | None = None


def motions_of(
    shard: Shard, made: Sequence[MadeMotion], cast: Cast | None, body: Body, fps: float, group: str = ""
) -> Motions:
    """Move motions to the positions of their characters; without a `cast` (variants of a library), leave them.

    The arrays of `made` may be changed.
    """
    skeleton = body.metric()
    sizes = np.ones(len(made)) if cast is None else cast.size
    if cast is None:
        roots, rotations = [one.root for one in made], [one.rotations for one in made]
    else:
        places = zip(made, cast.ground, cast.heading.tolist(), cast.size.tolist(), strict=True)
        pairs = [put_in_place(*one) for one in places]
        roots, rotations = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    numbers = np.arange(shard.first, shard.last + 1)
    return Motions(numbers, roots, rotations, sizes, np.array([one.travel for one in made]), skeleton, fps, group)


def file_name(shard: Shard, kind: str) -> str:
    """Return the file name of a shard; for BVH, a folder."""
    return shard.name if kind == "bvh" else f"{shard.name}.{'usdc' if kind == 'usd' else kind}"


def write_shard(path: Path, motions: Motions, kind: str) -> None:
    """Write one shard in a format."""
    if kind == "npz":
        write_archive(path, _arrays(motions), compress=False)
    elif kind == "zarr":
        write_group(path, _arrays(motions))
    elif kind in ("glb", "fbx"):
        write_motion(path, list(clips_of(motions)), character=motions.character)
    elif kind == "bvh":
        with replacing_folder(path) as place:
            for clip in clips_of(motions):
                write_motion(place / f"{clip.name}.bvh", clip)
    else:
        from freshtake.crowd.usd_stage import write_layer

        write_layer(path, motions, motions.group)


def _arrays(motions: Motions) -> dict[str, np.ndarray[Any, Any]]:
    """Lay out one row per frame, motion by motion: motion k has the rows starts[k] to starts[k + 1]."""
    lengths = [len(root) for root in motions.roots]
    return {
        "kind": text_array("crowd"),
        "names": text_array(motions.skeleton.names),
        "parents": motions.skeleton.parents.astype(np.int64),
        "offsets": motions.skeleton.offsets,
        "fps": np.array(motions.fps),
        "numbers": motions.numbers.astype(np.int64),
        "starts": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        "sizes": motions.sizes,
        "travel": motions.travel,
        "root": np.concatenate(motions.roots, dtype=np.float32, casting="same_kind"),
        "rotations": np.concatenate(motions.rotations, dtype=np.float32, casting="same_kind"),
    }


def read_shard(path: Path) -> Motions:
    """Return the motions of a shard of arrays or of USD, in single precision.

    Args:
        path: A shard that `freshtake crowd` wrote with --format npz, zarr or usd.

    Returns:
        Its motions, in metres; for loops of a library, also the travel of one round.
    """
    if not path.exists():
        raise FormatError(path, "there is no such shard: make the crowd again")
    if path.suffix in (".usdc", ".zarr"):
        try:
            if path.suffix == ".usdc":
                from freshtake.crowd.usd_stage import read_layer

                try_apart(path, read_layer.__module__, read_layer.__name__)
                return read_layer(path)
            arrays = read_group(path)
        except FreshtakeError:
            raise
        except Exception:  # undocumented exceptions of the libraries and their codecs
            raise FormatError(path, "this shard is damaged: make the crowd again") from None
    else:
        archive = open_archive(path)
        if "starts" not in archive:
            raise FormatError(path, "this is not a shard of a crowd: make one with freshtake crowd")
        arrays = {name: archive.array(name) for name in archive.keys}
    _check_arrays(path, arrays)
    parts = [slice(int(a), int(b)) for a, b in pairwise(arrays["starts"])]
    names = tuple(str(name) for name in arrays["names"])
    return Motions(
        arrays["numbers"], [arrays["root"][p] for p in parts], [arrays["rotations"][p] for p in parts], arrays["sizes"],
        arrays["travel"], Skeleton(names, arrays["parents"], arrays["offsets"]), float(arrays["fps"]),
    )  # fmt: skip


def _check_arrays(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Refuse arrays that `_arrays` would not return: other names, shapes or types, or non-finite values."""
    motions, joints = np.size(arrays.get("numbers", ())), np.size(arrays.get("names", ()))
    frames = len(arrays["root"]) if np.ndim(arrays.get("root", 0.0)) else 0
    shapes = {
        "numbers": (motions,), "starts": (motions + 1,), "sizes": (motions,), "travel": (motions, 3),
        "root": (frames, 3), "rotations": (frames, joints, 4), "parents": (joints,), "offsets": (joints, 3), "fps": (),
    }  # fmt: skip
    for name, shape in {"names": (joints,), **shapes}.items():
        values = arrays.get(name)
        integers = name in ("numbers", "starts", "parents")
        kinds = "U" if name == "names" else "iu" if integers else "iuf"
        if values is None or values.shape != shape or values.dtype.kind not in kinds:
            raise FormatError(path, f"this shard is damaged (its array {name!r}): make the crowd again")
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise FormatError(path, f"this shard is damaged (its array {name!r} is not finite): make the crowd again")
    starts = arrays["starts"]
    if starts[0] != 0 or starts[-1] != frames or (np.diff(starts.astype(np.int64)) < 1).any() or arrays["fps"] <= 0.0:
        raise FormatError(path, "this shard is damaged (its motions are not consecutive): make the crowd again")


def shard_clips(path: Path, numbers: Sequence[int], *, loops: bool) -> Iterator[tuple[int, Clip, Floats]]:
    """Yield some motions of a shard of any format: number, motion in metres, and the travel (3,) of one round.

    Only `loops` of a library travel; for others, it is zero.
    """
    if path.suffix in (".npz", ".zarr", ".usdc"):
        motions = read_shard(path)
        for number, clip, travel in zip(motions.numbers.tolist(), clips_of(motions), motions.travel, strict=True):
            if number in numbers:
                yield number, clip, travel
        return
    for number in numbers:
        name, travel = f"character_{number:06d}", np.zeros(3)
        clip = read_clip(path / f"{name}.bvh", unit_m=1.0, up="y") if path.is_dir() else read_clip(path, animation=name)
        if loops:
            # The last frame of a loop leads into the first, one step later.
            travel = 2.0 * clip.root[-1] - clip.root[-2] - clip.root[0]
            travel[1] = 0.0
        yield number, clip, travel


def clips_of(motions: Motions) -> Iterator[Clip]:
    """Turn motions into clips, named by their numbers; a character of another size has a scaled skeleton."""
    skeleton = motions.skeleton
    for k, number in enumerate(motions.numbers.tolist()):
        size = float(motions.sizes[k])
        body = skeleton if size == 1.0 else scaled_skeleton(skeleton, size)
        yield Clip(
            body, 1.0 / motions.fps, motions.roots[k], motions.rotations[k], name=f"character_{number:06d}", unit_m=1.0
        )


def checksum(path: Path) -> tuple[int, str]:
    """Compute size and SHA-256 of a file, or of a folder's files and names in name order."""
    if not path.is_dir():
        data = read_bytes(path)
        return len(data), hashlib.sha256(data).hexdigest()
    total, sum_ = 0, hashlib.sha256()
    for file in sorted(file for file in path.rglob("*") if file.is_file()):
        data = read_bytes(file)
        total += len(data)
        sum_.update(file.relative_to(path).as_posix().encode() + b"\0" + hashlib.sha256(data).digest())
    return total, sum_.hexdigest()


def zarr() -> Any:
    """Import the library on demand."""
    try:
        return import_module("zarr")
    except ImportError:
        raise MissingExtra("the format zarr", "crowd") from None


def write_group(path: Path, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays as a group in a folder (Zarr 3), atomically; texts and single numbers become attributes."""
    library = zarr()
    with replacing_folder(path) as place:
        group = library.open_group(str(place), mode="w", zarr_format=3)
        for name, values in arrays.items():
            if values.dtype.kind == "U" or values.ndim == 0:
                group.attrs[name] = values.tolist()
                continue
            row = max(1, values[:1].nbytes)
            # With chunks of a megabyte, reading one character fetches little else, and there are few files.
            chunks = (min(len(values), max(1, (1 << 20) // row)), *values.shape[1:])
            array = group.create_array(name, shape=values.shape, dtype=values.dtype, chunks=chunks)
            array[...] = values


def read_group(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays and attributes of a group that `write_group` wrote."""
    group = zarr().open_group(str(path), mode="r")
    arrays = dict(group.arrays())
    # The library reads missing chunks as zeros, and writes no chunks of zeros, which only `travel` may contain;
    # it also allocates memory for any shape.
    complete = all(array.nchunks_initialized == array.nchunks for name, array in arrays.items() if name != "travel")
    if not complete or sum(array.nbytes for array in arrays.values()) > LARGEST:
        raise ValueError("chunks are missing, or too large")
    texts = {name: np.asarray(value) for name, value in group.attrs.items()}
    return texts | {name: np.asarray(array[...]) for name, array in arrays.items()}
