"""What can be wrong with point clips, strokes, mesh sequences and plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from freshtake.motion.check.finding import NOTE, Finding, called, frame_list, joined
from freshtake.motion.check.frames import repeated_findings
from freshtake.motion.mesh import MeshSequence
from freshtake.motion.points import PointClip
from freshtake.motion.stroke import Stroke


def check_points(clip: PointClip) -> list[Finding]:
    """Gaps, points that are never seen, frozen frames."""
    found = []
    gaps = clip.gaps()
    unseen = tuple(clip.names[k] for k in np.flatnonzero(gaps.all(axis=0)))
    torn = tuple(clip.names[k] for k in np.flatnonzero(gaps.any(axis=0) & ~gaps.all(axis=0)))
    if unseen:
        verb = "is" if len(unseen) == 1 else "are"
        sentence = f"{called(clip)}: {joined(unseen)} {verb} never seen; repair with drop-unseen"
        found.append(Finding("unseen", sentence, (), unseen, repair="drop-unseen"))
    if torn:
        seen = [k for k, name in enumerate(clip.names) if name not in unseen]
        share = 100.0 * float(gaps[:, seen].mean())
        frames = tuple(np.flatnonzero(gaps[:, seen].any(axis=1)).tolist())
        sentence = f"{called(clip)}: {len(torn)} of {len(clip.names)} points have gaps ({joined(torn)})"
        text = f"{sentence}, {share:.2g} % of all values; repair with fill-gaps"
        found.append(Finding("gaps", text, frames, torn, repair="fill-gaps"))
    if len(clip) > 1 and not gaps.all():
        same = np.abs(np.diff(np.nan_to_num(clip.positions), axis=0)).max(axis=(1, 2)) == 0
        same &= (gaps[1:] == gaps[:-1]).all(axis=1) & ~gaps[1:].all(axis=1)
        found += repeated_findings(called(clip), np.concatenate([[False], same]), repairs=False)
    return found


def check_stroke(stroke: Stroke) -> list[Finding]:
    """Points that rest on the one before, and uneven times."""
    found = []
    if len(stroke) > 1:
        resting = np.flatnonzero((np.diff(stroke.points, axis=0) == 0).all(axis=1)) + 1
        if len(resting):
            frames = tuple(resting.tolist())
            text = f"{called(stroke)}: the pen rests at {frame_list(frames)}".replace("frame", "point")
            found.append(Finding("resting", text, frames, severity=NOTE))
    if not stroke.uniform:
        steps = np.diff(stroke.times)
        text = f"{called(stroke)}: points lie {1e3 * steps.min():.3g} to {1e3 * steps.max():.3g} ms apart in time"
        found.append(Finding("uneven", f"{text}; repair with even-times", severity=NOTE, repair="even-times"))
    return found


def check_mesh(mesh: MeshSequence) -> list[Finding]:
    """Frozen frames, and vertices that no face uses."""
    found = []
    if len(mesh) > 1:
        same = [bool(np.array_equal(a, b)) for a, b in zip(mesh.vertices[1:], mesh.vertices[:-1], strict=True)]
        found += repeated_findings(called(mesh), np.array([False, *same]), repairs=False)
    loose = mesh.vertices.shape[1] - len(np.unique(mesh.faces))
    if loose and len(mesh.faces):
        text = f"{called(mesh)}: {loose} of {mesh.vertices.shape[1]} vertices belong to no face"
        found.append(Finding("loose", text, severity=NOTE))
    return found


def check_array(values: npt.ArrayLike) -> list[Finding]:
    """Values that are not finite, in an array whose first axis is frames, before anything is made of it."""
    array: npt.NDArray[Any] = np.asarray(values, dtype=np.float64)
    bad = ~np.isfinite(array)
    if not bad.any():
        return []
    place = tuple(int(i) for i in np.argwhere(bad)[0])
    frames = tuple(sorted({int(i) for i in np.argwhere(bad)[:, 0]}))
    text = f"the array holds {int(bad.sum())} values that are not finite, the first at index {place}"
    return [Finding("nonfinite", f"{text}: a clip cannot be made of it", frames)]
