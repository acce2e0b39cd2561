"""Make clips or strokes comparable: one kind, one skeleton, one rate; then unpack them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from freshtake.errors import UsageError
from freshtake.evaluation.dofs import clip_dofs
from freshtake.evaluation.tracks import (
    Layout,
    Track,
    clip_layout,
    clip_track,
    halvings,
    leg,
    stroke_layout,
    stroke_track,
)
from freshtake.motion import Clip, MeshSequence, PointClip, Stroke
from freshtake.motion.edit import resample, with_up
from freshtake.motion.kinds import kind_word, resample_stroke
from freshtake.motion.skeleton import require_compatible

SHORTEST = 4  # frames needed for a third difference
MOST_COMPARISONS = 50_000_000  # frames of all inputs, times frames of the longest clip

Same = TypeVar("Same", Clip, Stroke)
Motion = Clip | Stroke | PointClip | MeshSequence


class Material(NamedTuple):
    """Unpacked inputs, variants and extra takes, and the changes made to compare them."""

    layout: Layout
    inputs: list[Track]
    variants: list[Track]
    extra: list[Track]
    notes: list[str]


def unpacked(inputs: Sequence[Motion], variants: Sequence[Motion], extra: Sequence[Motion]) -> Material:
    """Check and unpack motions; an error names the clip that cannot be compared."""
    if not inputs or not variants:
        raise UsageError("an evaluation needs at least one input and at least one variant")
    everything = [*inputs, *variants, *extra]
    for number, motion in enumerate(everything):
        if len(motion) < SHORTEST:
            raise UsageError(f"{_named(motion, number)} has {len(motion)} frames; figures need at least {SHORTEST}")
    longest = max(everything, key=len)
    if sum(len(motion) for motion in inputs) * len(longest) > MOST_COMPARISONS:
        name = _named(longest, everything.index(longest))
        raise UsageError(f"{name} has {len(longest)} frames, too many to compare: cut it, or the inputs, into clips")
    clips = [motion for motion in everything if isinstance(motion, Clip)]
    strokes = [motion for motion in everything if isinstance(motion, Stroke)]
    split = (len(inputs), len(inputs) + len(variants))
    if len(clips) == len(everything):
        return _clips(clips, split)
    if len(strokes) == len(everything):
        return _strokes(strokes, split)
    odd = next((m for m in everything if not isinstance(m, Clip | Stroke)), None)
    if odd is not None:
        raise UsageError(f"{_named(odd, 0)} is a {kind_word(odd)}: only clips and strokes can be evaluated")
    raise UsageError(f"{_named(clips[0], 0)} is a clip and {_named(strokes[0], 0)} a stroke: evaluate them separately")


def _clips(clips: list[Clip], split: tuple[int, int]) -> Material:
    first = clips[0]
    for number, clip in enumerate(clips[1:], start=1):
        require_compatible(first.skeleton, clip.skeleton, _named(first, 0), _named(clip, number))
    clips = [with_up(clip, "y") for clip in clips]
    clips, notes = _one_rate(clips, lambda c: c.frame_time * halvings(c.frame_time), resample)
    space = clip_dofs(clips, split[0], leg(first.skeleton))
    tracks = [clip_track(clip, dofs) for clip, dofs in zip(clips, space.rows, strict=True)]
    return _material(clip_layout(clips[: split[0]], space), tracks, split, notes)


def _strokes(strokes: list[Stroke], split: tuple[int, int]) -> Material:
    first = strokes[0]
    for number, stroke in enumerate(strokes[1:], start=1):
        if stroke.dimensions != first.dimensions:
            raise UsageError(f"{_named(stroke, number)} has different dimensions from {_named(first, 0)}")
    rate = 1.0 / float(np.median([stroke.frame_time for stroke in strokes[: split[0]]]))
    notes = []
    if not all(stroke.uniform for stroke in strokes):
        strokes = [s if s.uniform else resample_stroke(s, rate) for s in strokes]
        notes.append(f"unevenly timed strokes were resampled to {rate:.4g} points per second")
    strokes, more = _one_rate(strokes, lambda s: s.frame_time, resample_stroke)
    tracks = [stroke_track(stroke) for stroke in strokes]
    return _material(stroke_layout(strokes[: split[0]]), tracks, split, notes + more)


def _material(layout: Layout, tracks: list[Track], split: tuple[int, int], notes: list[str]) -> Material:
    return Material(layout, tracks[: split[0]], tracks[split[0] : split[1]], tracks[split[1] :], notes)


def _one_rate(
    motions: list[Same], rate: Callable[[Same], float], change: Callable[[Same, float], Same]
) -> tuple[list[Same], list[str]]:
    """Return all motions at the first motion's rate, and a note on the number of resampled motions."""
    first_rate = rate(motions[0])
    # Rates within 2 % count as equal: 29.97 is 30.
    odd = [abs(rate(motion) / first_rate - 1.0) > 0.02 for motion in motions]
    if not any(odd):
        return motions, []
    fps = 1.0 / motions[0].frame_time
    changed = [change(motion, fps) if differs else motion for motion, differs in zip(motions, odd, strict=True)]
    return changed, [f"{sum(odd)} of {len(motions)} clips have a different rate and were resampled to {fps:.4g} fps"]


def _named(motion: Motion, number: int) -> str:
    return motion.name or f"clip {number + 1}"
