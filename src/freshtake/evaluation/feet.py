"""Feet that should stand: how fast they slide, how often, and how much of the time they are on the floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.evaluation.gallery import Gallery, Part, Parts, flat
from freshtake.evaluation.tracks import GROUND, UP, Track
from freshtake.motion.body.pose_space import distances
from freshtake.numeric.arrays import Bools, Floats

CONTACT_HEIGHT = 0.03  # leg lengths above the floor
SLIDING = 20.0  # % of the leg length per second
FLOOR_PERCENTILE = 2.0


class Standing(NamedTuple):
    """The inputs' frames (30 a second), pose by pose: where each foot is planted, and how fast it moves there."""

    poses: Floats
    planted: Bools
    speeds: Floats


def measure(gallery: Gallery, track: Track) -> Parts:
    """Foot figures of one track; empty where there are no feet."""
    if not gallery.layout.feet:
        return {}
    slow = track.thirty()
    speed, height = motion_of_feet(gallery, slow)
    standing = gallery.once(input_standing)
    nearest = distances(flat(slow.body), standing.poses).argmin(axis=1)
    there = speed[standing.planted[nearest]]
    sliding, share = in_contact(gallery, slow)
    parts = {"contact_share": Part(share), "contact_speed": Part(sliding, 1.0 if np.isfinite(sliding) else 0.0)}
    if len(there):
        parts["planted_speed"] = Part(float(there.mean()), len(there))
        parts["planted_lost"] = Part(float((there > SLIDING).mean()), len(there))
    return parts


def input_values(gallery: Gallery) -> dict[str, float]:
    """The inputs' own figures."""
    if not gallery.layout.feet:
        return {}
    standing = gallery.once(input_standing)
    contacts = np.array([in_contact(gallery, track) for track in gallery.slow])
    weights = [len(track) for track in gallery.slow]
    out = {"contact_share": float(np.average(contacts[:, 1], weights=weights))}
    if np.isfinite(contacts[:, 0]).all():
        out["contact_speed"] = float(np.average(contacts[:, 0], weights=weights))
    if standing.planted.any():
        out["planted_speed"] = float(standing.speeds[standing.planted].mean())
        out["planted_lost"] = 0.0
    return out


def floor_heights(gallery: Gallery) -> Floats:
    """Per foot joint the height it stands at: a low percentile of its heights in the inputs."""
    heights = np.concatenate([track.world[:, list(gallery.layout.feet), UP] for track in gallery.slow])
    return np.asarray(np.percentile(heights, FLOOR_PERCENTILE, axis=0))


def motion_of_feet(gallery: Gallery, slow: Track) -> tuple[Floats, Floats]:
    """(frames, feet): horizontal speed since the frame before in % of the leg per second, height over the floor."""
    feet = slow.world[:, list(gallery.layout.feet)]
    height = feet[..., UP] - gallery.once(floor_heights)
    if len(slow) < 2:
        return np.zeros(height.shape), height
    speed = np.linalg.norm(np.diff(feet[..., GROUND], axis=0), axis=-1)
    speed = 100.0 * speed / slow.frame_time / gallery.layout.size
    return np.concatenate([speed[:1], speed]), height


def in_contact(gallery: Gallery, slow: Track) -> tuple[float, float]:
    """Mean horizontal speed of feet near the floor in both of two frames, and the share of such foot steps."""
    speed, height = motion_of_feet(gallery, slow)
    near = np.maximum(height[:-1], height[1:]) < CONTACT_HEIGHT * gallery.layout.size
    if near.size == 0 or not near.any():
        return float("nan"), 0.0
    return float(speed[1:][near].mean()), float(near.mean())


def input_standing(gallery: Gallery) -> Standing:
    """Where the inputs' feet are planted: low and slow. A variant should stand in the poses nearest to these."""
    poses, planted, speeds = [], [], []
    for track in gallery.slow:
        speed, height = motion_of_feet(gallery, track)
        poses.append(flat(track.body))
        planted.append((height < CONTACT_HEIGHT * gallery.layout.size) & (speed < SLIDING))
        speeds.append(speed)
    return Standing(np.concatenate(poses), np.concatenate(planted), np.concatenate(speeds))
