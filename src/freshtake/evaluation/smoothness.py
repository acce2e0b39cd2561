"""How smooth: the third derivative of positions against the inputs' (Flash and Hogan's jerk)."""

from __future__ import annotations

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts, at_working_rate
from freshtake.evaluation.tracks import GROUND, Track
from freshtake.numeric.arrays import Floats


def measure(gallery: Gallery, track: Track) -> Parts:
    """Jerk of one track divided by the inputs' (1 is as smooth as the inputs), and its largest step in the plane."""
    slow = at_working_rate(gallery.layout, track)
    limbs = list(gallery.layout.limbs)
    parts: Parts = {}
    sets = (("jerk", True), ("jerk_limbs", False)) if gallery.layout.has_body else (("jerk", True),)
    for key, whole in sets:
        now = _summary(jerk(slow.world if whole else slow.world[:, limbs], slow.frame_time))
        then = gallery.once(_all_jerk if whole else _limb_jerk)
        parts[key] = Part(now[0] / then[0] if then[0] > 0 else float("nan"))
        parts[f"{key}_p99"] = Part(now[1] / then[1] if then[1] > 0 else float("nan"))
    full = gallery.inputs[0].frame_time
    if gallery.layout.has_body and abs(track.frame_time / full - 1.0) < 0.02:
        mean, _ = _summary(jerk(track.world[:, limbs], track.frame_time))
        before = gallery.once(_full_limb_jerk)[0]
        parts["jerk_limbs_full"] = Part(mean / before if before > 0 else float("nan"))
    if gallery.layout.has_body:
        largest = gallery.once(_largest_input_step)
        parts["root_step"] = Part(largest_step(slow) / largest if largest > 0 else float("nan"))
    return parts


def jerk(positions: Floats, frame_time: float) -> Floats:
    """Length of the third difference of positions per second cubed, (frames - 3, points)."""
    if len(positions) < 4:
        return np.zeros((0, positions.shape[1]))
    return np.asarray(np.linalg.norm(np.diff(positions, 3, axis=0), axis=-1) / frame_time**3)


def largest_step(track: Track) -> float:
    """Fastest movement of the root in the ground plane between two frames: a teleport shows here."""
    steps = np.linalg.norm(np.diff(track.world[:, 0][:, GROUND], axis=0), axis=1)
    return float(steps.max(initial=0.0) / track.frame_time)


def _summary(values: Floats) -> tuple[float, float]:
    if values.size == 0:
        return float("nan"), float("nan")
    return float(values.mean()), float(np.percentile(values, 99))


def _of_inputs(gallery: Gallery, limbs: bool, slow: bool) -> tuple[float, float]:
    """Mean and 99th percentile over the inputs, weighed by their frames."""
    tracks = gallery.slow if slow else gallery.inputs
    chosen = list(gallery.layout.limbs) if limbs else slice(None)
    pairs = np.array([_summary(jerk(track.world[:, chosen], track.frame_time)) for track in tracks])
    weights = np.array([len(track) for track in tracks], dtype=np.float64)
    weights[~np.isfinite(pairs).all(axis=1)] = 0.0
    if weights.sum() == 0:
        return 0.0, 0.0
    mean, high = np.average(np.nan_to_num(pairs), axis=0, weights=weights)
    return float(mean), float(high)


def _all_jerk(gallery: Gallery) -> tuple[float, float]:
    return _of_inputs(gallery, False, True)


def _limb_jerk(gallery: Gallery) -> tuple[float, float]:
    return _of_inputs(gallery, True, True)


def _full_limb_jerk(gallery: Gallery) -> tuple[float, float]:
    return _of_inputs(gallery, True, False)


def _largest_input_step(gallery: Gallery) -> float:
    return max(largest_step(track) for track in gallery.slow)
