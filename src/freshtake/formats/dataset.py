"""Write many motions with their labels as one training file: WebDataset (.tar), .npz or .parquet; no torch."""

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import FormatError
from freshtake.formats.archive import Arrays, npy_bytes, text_array, write_archive, zip_bytes
from freshtake.formats.files import replacing
from freshtake.formats.npz import motion_arrays
from freshtake.formats.read_options import Motion
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.numeric.arrays import Floats


class Sample(NamedTuple):
    """A motion and its label."""

    label: Mapping[str, Any]  # texts, numbers, lists of texts or None by name; `file` is the sample's name
    motion: Motion


def is_dataset(path: Path) -> bool:
    """Return whether a target is a single training file, according to its extension."""
    return path.suffix.lower() in _WRITERS and not path.is_dir()


def write_dataset(path: Path, samples: Iterable[Sample]) -> None:
    """Write samples as one file, atomically; equal samples give equal bytes.

    The path ends in .tar (WebDataset: `NAME.json` and `NAME.npz` for each sample), .npz (all frames
    concatenated, `first[k]` is where sample k begins) or .parquet (one row for each sample; needs pyarrow).
    """
    _WRITERS[path.suffix.lower()](path, samples)


def frame_arrays(motion: Motion) -> Arrays:
    """Return the arrays to learn from, one row per frame, in single precision."""
    arrays: Arrays
    match motion:
        case Clip():
            arrays = {"rotations": motion.rotations, "root": motion.root, "positions": motion.positions()}
        case Stroke():
            arrays = {"points": motion.points, "times": motion.times}
        case PointClip():
            arrays = {"positions": motion.positions}
        case _:
            arrays = {"vertices": motion.vertices}
    return {name: np.asarray(array, dtype=np.float32) for name, array in arrays.items()}


def _body_arrays(motion: Motion) -> Arrays:
    """Return the arrays that apply to all frames, and in an .npz to all samples."""
    match motion:
        case Clip():
            return {"names": text_array(motion.skeleton.names), "parents": motion.skeleton.parents.astype(np.int64)}
        case PointClip():
            return {"names": text_array(motion.names)}
        case MeshSequence():
            return {"faces": motion.faces}
    return {}


def _write_tar(path: Path, samples: Iterable[Sample]) -> None:
    with replacing(path) as temporary, tarfile.open(temporary, "w", format=tarfile.PAX_FORMAT) as tar:
        for sample in samples:
            # WebDataset groups files by everything before the first dot of their names.
            name = PurePosixPath(sample.label["file"]).with_suffix("").as_posix().replace(".", "_")
            extra = {"positions": frame_arrays(sample.motion)["positions"]} if isinstance(sample.motion, Clip) else {}
            arrays = motion_arrays(sample.motion) | extra
            label = json.dumps({**sample.label, **_facts(sample.motion)}, ensure_ascii=False).encode()
            packed = zip_bytes({f"{key}.npy": npy_bytes(array) for key, array in arrays.items()})
            for ending, content in (("json", label), ("npz", packed)):
                member = tarfile.TarInfo(f"{name}.{ending}")  # its time is 1970: equal content gives equal bytes
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))


def _write_npz(path: Path, samples: Iterable[Sample]) -> None:
    labels: list[str] = []
    frames: list[Arrays] = []
    offsets: list[Floats] = []
    for label, motion in samples:
        arrays, now = frame_arrays(motion), _body_arrays(motion)
        if not labels:
            body, first = now, label["file"]
        elif arrays.keys() != frames[0].keys() or any(not np.array_equal(body[key], now[key]) for key in now):
            problem = f"{label['file']} has a different body than {first}: an .npz holds one body, a .tar any number"
            raise FormatError(path, problem)
        if isinstance(motion, Clip):  # clips of one skeleton may differ in its offsets
            offsets.append(motion.skeleton.offsets)
        labels.append(json.dumps({**label, **_facts(motion)}, ensure_ascii=False))
        frames.append(arrays)
    lengths = [len(next(iter(arrays.values()))) for arrays in frames]
    table: Arrays = {"first": np.cumsum([0, *lengths]), "labels": text_array(tuple(labels)), **body}
    if offsets:
        table["offsets"] = np.array(offsets, dtype=np.float32)
    write_archive(path, {name: np.concatenate([one[name] for one in frames]) for name in frames[0]} | table)


def _write_parquet(path: Path, samples: Iterable[Sample]) -> None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        problem = "Parquet files need pyarrow: install it with pip install pyarrow, or write a .tar or .npz"
        raise FormatError(path, problem) from None
    rows = []
    for label, motion in samples:
        row = {**label, **_facts(motion), "sources": list(label["sources"])}
        for name, array in (frame_arrays(motion) | _body_arrays(motion)).items():
            row[name] = array.ravel()
            row[f"{name}_shape"] = list(array.shape)
        if isinstance(motion, Clip):
            row["offsets"] = motion.skeleton.offsets.ravel().astype(np.float32)
        rows.append(row)
    columns = dict.fromkeys(key for row in rows for key in row)
    with replacing(path) as temporary:
        parquet.write_table(arrow.table({key: [row.get(key) for row in rows] for key in columns}), temporary)


def _facts(motion: Motion) -> dict[str, Any]:
    """Return what is needed to interpret the numbers; an unknown unit is None."""
    facts: dict[str, Any] = {"frames": len(motion), "fps": 1.0 / motion.frame_time}
    if not isinstance(motion, Stroke):
        facts |= {"up": motion.up, "unit_m": motion.unit_m}
    return facts


_WRITERS = {".tar": _write_tar, ".npz": _write_npz, ".parquet": _write_parquet}
