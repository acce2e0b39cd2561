"""Compare forward kinematics and resampling with plain loops and other programs."""

from __future__ import annotations

from pathlib import Path

import bvhio
import numpy as np
from pymotion.io.bvh import BVH as PymotionBvh
from pymotion.ops.skeleton_np import fk as pymotion_fk

import freshtake as ft
from benchmarks.formats import HEAD, peer
from benchmarks.timing import cpu_seconds, table
from freshtake.motion.edit import resample
from freshtake.numeric.rotations import to_matrix


def forward_kinematics(path: Path) -> str:
    clip = ft.read(path)
    assert isinstance(clip, ft.Clip)
    frames = len(clip)
    ours = cpu_seconds(clip.positions, 15)
    file = PymotionBvh()
    file.load(str(path))
    rotations, local, parents, offsets, _, _ = file.get_data()
    root = bvhio.readAsHierarchy(str(path))
    few = 60
    rows = [
        ["freshtake", f"{ours * 1e3:.1f}", f"{frames / ours:,.0f}", "1"],
        peer("upc-pymotion", cpu_seconds(lambda: pymotion_fk(rotations, local[:, 0], offsets, parents)), frames, ours),
        peer("numpy, a loop over frames and joints", cpu_seconds(lambda: looped(clip), 2), frames, ours),
        peer("bvhio", cpu_seconds(lambda: posed(root, few), 1) * frames / few, frames, ours),
    ]
    return table(f"World positions of all joints: {frames} frames, {len(clip.skeleton)} joints", HEAD, rows)


def looped(clip: ft.Clip) -> np.ndarray:
    """Compute world positions with plain loops, for comparison."""
    matrices, local = to_matrix(clip.rotations), clip.local_translations()
    out = np.empty(local.shape)
    for frame in range(len(clip)):
        turned: list[np.ndarray] = []
        for joint, parent in enumerate(clip.skeleton.parents.tolist()):
            if parent < 0:
                turned.append(matrices[frame, joint])
                out[frame, joint] = local[frame, joint]
            else:
                turned.append(turned[parent] @ matrices[frame, joint])
                out[frame, joint] = out[frame, parent] + turned[parent] @ local[frame, joint]
    return out


def posed(root: bvhio.Joint, frames: int) -> list[object]:
    joints = [joint for joint, _, _ in root.layout()]
    out = []
    for frame in range(frames):
        root.loadPose(frame, recursive=True)
        out.append([tuple(joint.PositionWorld) for joint in joints])
    return out


def resampling(path: Path) -> str:
    clip = ft.read(path)
    assert isinstance(clip, ft.Clip)
    frames = len(resample(clip, 100.0))
    ours = cpu_seconds(lambda: resample(clip, 100.0))
    rows = [
        ["freshtake", f"{ours * 1e3:.1f}", f"{frames / ours:,.0f}", "1"],
        peer("scipy Slerp, joint after joint", cpu_seconds(lambda: scipy_slerp(clip, 100.0), 3), frames, ours),
    ]
    return table(f"Resampling from {clip.fps:g} to 100 fps: {frames} new frames", HEAD, rows)


def scipy_slerp(clip: ft.Clip, fps: float) -> list[np.ndarray]:
    from scipy.spatial.transform import Rotation, Slerp

    times = np.arange(len(clip)) * clip.frame_time
    wanted = np.arange(0.0, times[-1], 1 / fps)
    turns = clip.rotations[..., [1, 2, 3, 0]]
    return [Slerp(times, Rotation.from_quat(turns[:, j]))(wanted).as_quat() for j in range(len(clip.skeleton))]
