"""What `info` says about a file, figure by figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freshtake
from freshtake.motion import Clip, EndSite, Skeleton
from freshtake.workflows.describing import motion_info


def test_the_facts_of_a_clip(tmp_path: Path) -> None:
    skeleton = Skeleton(
        ("Hips", "Spine", "Head"), np.array([-1, 0, 1]), np.array([[0.0, 0, 0], [0, 10, 0], [0, 5, 0]]),
        (EndSite(2, (0.0, 3.0, 0.0)),),
    )  # fmt: skip
    rotations = np.zeros((6, 3, 4))
    rotations[..., 0] = 1.0
    angle = np.linspace(0.1, 0.4, 6)
    rotations[:, 1, 0], rotations[:, 1, 1] = np.cos(angle), np.sin(angle)
    root = np.array([1.0, 90.0, 0.0]) + np.outer(np.arange(6), [3.0, 1.0, 4.0])
    freshtake.write(tmp_path / "clip.bvh", Clip(skeleton, 0.04, root, rotations))
    facts = motion_info(tmp_path / "clip.bvh", unit_m=0.01).facts
    wanted = {
        "kind": "clip", "format": "BVH", "frames": 6, "fps": 25.0, "frame_time": 0.04, "duration_s": 0.24, "up": "y",
        "unit_m": 0.01, "joints": 3, "end_sites": 1, "channels": 12, "dofs": 4, "travel": 25.0,
        "joint_names": ["Hips", "Spine", "Head"],
    }  # fmt: skip
    assert {name: facts[name] for name in wanted} == wanted


@pytest.mark.parametrize("name", ["letter_a", "flag"])
def test_the_facts_of_strokes_and_meshes(name: str, tmp_path: Path) -> None:
    motion = getattr(freshtake.samples, name)(np.random.default_rng(0))
    freshtake.write(tmp_path / "it.npz", motion)
    facts = motion_info(tmp_path / "it.npz").facts
    assert facts["kind"] == {"letter_a": "stroke", "flag": "mesh sequence"}[name]
    assert facts["frames"] == len(motion)
    assert facts["fps"] == pytest.approx(1.0 / motion.frame_time, abs=1e-3)
    if name == "flag":
        assert (facts["vertices"], facts["faces"]) == (motion.vertices.shape[1], len(motion.faces))
    else:
        assert facts["dimensions"] == ["x", "y"]
