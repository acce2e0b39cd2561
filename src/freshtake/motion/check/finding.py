"""Finding: one thing that is wrong, or worth knowing, about a clip, said in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

NOTE, WARNING = "note", "warning"


@dataclass(frozen=True)
class Finding:
    """What was found: a short `code`, a `sentence` for people, the frames and joints (or points) concerned.

    `severity` is "warning" where the motion or what is learned from it suffers, "note" where it is good to know.
    `repair` is the name to give to `freshtake.motion.repair.repair`, None where nothing can or need be done.
    """

    code: str
    sentence: str
    frames: tuple[int, ...] = ()
    joints: tuple[str, ...] = ()
    severity: str = WARNING
    repair: str | None = None

    def __str__(self) -> str:
        return self.sentence


def called(motion: Any) -> str:
    """What to call a clip in a sentence: its name, else its kind."""
    kinds = {"Clip": "the clip", "PointClip": "the point clip", "Stroke": "the stroke", "MeshSequence": "the mesh"}
    return str(getattr(motion, "name", "")) or kinds.get(type(motion).__name__, "it")


def frame_list(frames: Sequence[int], most: int = 4) -> str:
    """Frame numbers for a sentence: "frame 7", "frames 3-5 and 9", "frames 1, 4, 9, 12 and 30 more"."""
    groups: list[list[int]] = []
    for frame in frames:
        if groups and frame == groups[-1][1] + 1:
            groups[-1][1] = frame
        else:
            groups.append([frame, frame])
    texts = [str(first) if first == last else f"{first}-{last}" for first, last in groups]
    return ("frame " if len(frames) == 1 else "frames ") + joined(texts, most)


def joined(texts: Sequence[str], most: int = 4) -> str:
    """A list in words, cut off after `most` with the number of those left out."""
    if len(texts) > most + 1:
        return f"{', '.join(texts[:most])} and {len(texts) - most} more"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
