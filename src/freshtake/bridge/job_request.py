"""The request of a job, with its clips as files for workflows, and its answer."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake import workflows
from freshtake.bridge.messages import Arrays, ClipArrays, packed, unpacked
from freshtake.errors import UsageError
from freshtake.formats.read_options import ReadOptions
from freshtake.formats.registry import by_name, take_in, write
from freshtake.methods.progress import Report, silent
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.motion.body.rooting import as_filed
from freshtake.motion.clip import playback_from
from freshtake.requests.fields import Request as FieldsOf
from freshtake.requests.fields import from_values
from freshtake.workflows.sentences import plainly


def clip_of(arrays: ClipArrays) -> Clip:
    """Build a clip from arrays; raise if that is impossible."""
    skeleton = Skeleton(
        arrays.joints, np.asarray(arrays.parents, dtype=np.intp), arrays.offsets,
        tuple(EndSite(joint, offset, name) for joint, offset, name in arrays.tips),
        tuple(tuple(text.split()) for text in arrays.channels), arrays.orders,
    )  # fmt: skip
    return Clip(
        skeleton, arrays.frame_time, arrays.root, arrays.rotations, arrays.translations, name=arrays.name,
        up=arrays.up, unit_m=arrays.unit_m, playback=playback_from(arrays.playback),
    )  # fmt: skip


def arrays_of(clip: Clip) -> ClipArrays:
    """Return the arrays of a clip, with the joints of its file."""
    filed = as_filed(clip)
    body = filed.skeleton
    return ClipArrays(
        filed.name, body.names, body.parents, body.offsets, filed.root, filed.rotations, filed.frame_time, filed.up,
        filed.unit_m, filed.joint_translations,
        tips=tuple((site.joint, site.offset, site.name) for site in body.end_sites),
        playback=None if filed.playback is None else filed.playback.summary(),
        channels=tuple(" ".join(channels) for channels in body.channels), orders=body.orders,
    )  # fmt: skip


MODEL = "model"
_UNSAFE = re.compile(r"[^\w .-]+")


class Answer(NamedTuple):
    """The result of a job, as values and arrays of a message."""

    values: dict[str, Any]
    arrays: Arrays = MappingProxyType({})


@dataclass
class Request:
    """Values and arrays of a request, a private folder for files, and the receivers of progress and notes.

    Clips are written into the folder and read like any other file (NPZ: exactly), so a job does what the command
    of the same name does.
    """

    params: Mapping[str, Any]
    arrays: Arrays
    folder: Path
    report: Report = silent
    notes: list[str] = field(default_factory=list)
    names: dict[Path, str] = field(default_factory=dict)

    def note(self, sentence: str) -> None:
        """Add a sentence for the user."""
        self.notes.append(plainly(self.with_clip_names(sentence)))

    def with_clip_names(self, sentence: str) -> str:
        """Return a sentence that names clips instead of their files."""
        for path, name in self.names.items():
            sentence = sentence.replace(str(path), name).replace(path.name, name)
        return sentence

    def get(self, name: str, kind: type, *others: type, default: Any = None) -> Any:
        """Return a parameter, which must be of one of these kinds, or the default if it is absent or null."""
        value = self.params.get(name)
        if value is None:
            return default
        if type(value) not in (kind, *others):
            raise UsageError(f"{name} cannot be {str(value)[:40]!r}")
        return value

    def fields(self, request: type[FieldsOf]) -> dict[str, Any]:
        """Return the parameters that are fields of a request class, with their types checked."""
        return from_values(request, self.params)

    def files(self, key: str = "clips") -> list[Path]:
        """Write the clips sent under this name, and return their files."""
        clips = [clip_of(clip) for clip in unpacked(self.params.get(key), self.arrays, key)]
        if not clips:
            raise UsageError(f"no {key} were given: choose at least one")
        return [self._written(clip, key) for clip in clips]

    def file(self, key: str, need: str) -> Path:
        """Write the single clip sent under this name, and return its file; `need` explains why a clip is needed."""
        files = self.files(key)
        if len(files) != 1:
            raise UsageError(f"{need}, not {len(files)}")
        return files[0]

    def run(self, request: FieldsOf) -> Any:
        """Carry out the request of a command, with progress and notes of this job."""
        return getattr(workflows, request.task())(request, self.report, self.note)

    def clips(self, key: str = "clips") -> list[Clip]:
        """Return the clips sent under this name, as read from their files."""
        read = [take_in(path, ReadOptions(warn=self.note)).motion for path in self.files(key)]
        return [clip for clip in read if isinstance(clip, Clip)]

    def _written(self, clip: Clip, key: str) -> Path:
        place = self.folder / key
        place.mkdir(exist_ok=True)
        plain = _UNSAFE.sub("_", clip.name).strip(" .")[:80] or "clip"
        path = place / f"{plain}.npz"
        # Clips with the same name, such as Blender's actions of two rigs, get separate files.
        while path in self.names:
            path = place / f"{plain}_{len(self.names)}.npz"
        self.names[path] = clip.name
        write(path, clip)
        return path

    def model(self) -> Path:
        """Write the received model, and return its file."""
        if MODEL not in self.arrays:
            raise UsageError("no model was given: learn one first")
        path = self.folder / "model.ftm"
        self.names[path] = "the model"
        path.write_bytes(np.asarray(self.arrays[MODEL], dtype=np.uint8).tobytes())
        return path

    @property
    def target(self) -> Path:
        """File to write a model to."""
        return self.folder / "learned.ftm"

    def answer(self, values: dict[str, Any], clips: list[Path] | None = None) -> Answer:
        """Return values, notes, the clips in these files, and the model, if one was written."""
        arrays: dict[str, npt.NDArray[Any]] = {}
        if clips is not None:
            read = [by_name("npz").load().read(path, ReadOptions()) for path in clips]
            values["clips"], arrays = packed([arrays_of(clip) for clip in read])
        if self.target.exists():
            arrays[MODEL] = np.frombuffer(self.target.read_bytes(), np.uint8)
        return Answer({**values, "notes": self.notes}, arrays)


Job = Callable[[Request], Answer]
