"""Files of a shard: an npz archive, a Zarr group, a folder of BVH files, or a layer of USD; whole or not there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from freshtake.crowd.casting import Cast
from freshtake.crowd.characters import Body, MadeMotion, put_in_place, sized
from freshtake.crowd.shards import Shard
from freshtake.crowd.terrain import Ground, onto_ground
from freshtake.errors import FormatError
from freshtake.formats.files import read_bytes, replacing_folder
from freshtake.formats.npz.archive import open_archive, write_archive
from freshtake.formats.npz.array_fields import text_array
from freshtake.formats.registry import write as write_motion
from freshtake.motion import Clip, Skeleton
from freshtake.motion.body.limbs import Limb
from freshtake.numeric.arrays import Floats, Ints


class Motions(NamedTuple):
    """What a shard holds: motions by number, those of characters in their places; sizes (motions,), travel of loops."""

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
    """Motions in the places of their characters; as they are where there is no `cast` (variants of a library).

    What was `made` is used up.
    """
    skeleton = sized(body.skeleton, body.scale)
    sizes = np.ones(len(made)) if cast is None else cast.size
    if cast is None:
        roots, rotations = [one.root for one in made], [one.rotations for one in made]
    else:
        pairs = [
            put_in_place(one, cast.ground[k], float(cast.heading[k]), float(cast.size[k])) for k, one in enumerate(made)
        ]
        roots, rotations = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    numbers = np.arange(shard.first, shard.last + 1)
    return Motions(numbers, roots, rotations, sizes, np.array([one.travel for one in made]), skeleton, fps, group)


def on_the_ground(motions: Motions, legs: tuple[Limb, ...], ground: Ground) -> Motions:
    """Motions over a flat floor lifted onto the ground."""
    clips = [onto_ground(clip, legs, ground) for clip in clips_of(motions)]
    return motions._replace(roots=[clip.root for clip in clips], rotations=[clip.rotations for clip in clips])


def file_name(shard: Shard, kind: str) -> str:
    """The file of a shard; of BVH, a folder."""
    return shard.name if kind == "bvh" else f"{shard.name}.{'usdc' if kind == 'usd' else kind}"


def write_shard(path: Path, motions: Motions, kind: str) -> None:
    """Write one shard in a format."""
    if kind == "npz":
        write_archive(path, _arrays(motions), compress=False)
    elif kind == "zarr":
        from freshtake.crowd.zarr_shards import write_group

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
    """One row per frame, motion after motion: motion k has the rows starts[k] to starts[k + 1]."""
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
    """What `write_shard` wrote as npz, in single precision."""
    archive = open_archive(path)
    if "starts" not in archive:
        raise FormatError(path, "this is no shard of a crowd: make one with freshtake crowd --format npz")
    starts = archive.array("starts")
    parts = [slice(int(a), int(b)) for a, b in pairwise(starts)]
    root, rotations = archive.array("root"), archive.array("rotations")
    names = tuple(str(name) for name in archive.array("names"))
    skeleton = Skeleton(names, archive.array("parents"), archive.array("offsets"))
    return Motions(
        archive.array("numbers"), [root[p] for p in parts], [rotations[p] for p in parts], archive.array("sizes"),
        archive.array("travel"), skeleton, float(archive.array("fps")),
    )  # fmt: skip


def clips_of(motions: Motions) -> Iterator[Clip]:
    """The motions as clips, named by their numbers; a character of another size has a skeleton of its own."""
    skeleton = motions.skeleton
    for k, number in enumerate(motions.numbers.tolist()):
        size = float(motions.sizes[k])
        own = skeleton if size == 1.0 else sized(skeleton, size)
        yield Clip(
            own, 1.0 / motions.fps, motions.roots[k], motions.rotations[k], name=f"character_{number:06d}", unit_m=1.0
        )


def checksum(path: Path) -> tuple[int, str]:
    """Bytes and SHA-256 of a file; of a folder, of all its files in the order of their names, with the names."""
    if not path.is_dir():
        data = read_bytes(path)
        return len(data), hashlib.sha256(data).hexdigest()
    total, sum_ = 0, hashlib.sha256()
    for file in sorted(found for found in path.rglob("*") if found.is_file()):
        data = read_bytes(file)
        total += len(data)
        sum_.update(file.relative_to(path).as_posix().encode() + b"\0" + hashlib.sha256(data).digest())
    return total, sum_.hexdigest()
