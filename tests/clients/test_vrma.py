"""three-vrm's loader takes our VRM animations: every normalized bone rotates as in the clip."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import freshtake as ft
from freshtake.motion import Clip
from tests.clients.conftest import CLIENTS
from tests.formats.gltf.test_vrma import moving

NODE = shutil.which("node")
pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(
        NODE is None or not (CLIENTS / "node_modules" / "@pixiv" / "three-vrm-animation").is_dir(),
        reason="node or three-vrm is absent: install node and run make clients",
    ),
]


def test_three_vrm_finds_every_bone(tmp_path: Path) -> None:
    names = ["cmu_bvh", "mixamo", "unreal"]
    for name in names:
        ft.write(tmp_path / f"{name}.vrma", moving(name))
    command = [str(NODE), str(Path(__file__).with_name("load_vrma.mjs")), *[str(tmp_path / f"{n}.vrma") for n in names]]
    environment = {**os.environ, "FRESHTAKE_CLIENTS": str(CLIENTS)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    for path, (found,) in json.loads(done.stdout).items():
        clip = ft.read(path)
        assert isinstance(clip, Clip)
        assert found["height"] == pytest.approx(clip.skeleton.offsets[0, 1], rel=1e-6)
        assert set(found["rotations"]) == set(clip.skeleton.names)
        np.testing.assert_allclose(np.reshape(found["hips"], (-1, 3)), clip.root, atol=1e-6)
        for joint, name in enumerate(clip.skeleton.names):
            theirs = np.reshape(found["rotations"][name], (-1, 4))[:, [3, 0, 1, 2]]
            same = np.abs((theirs * clip.rotations[:, joint]).sum(axis=1))
            np.testing.assert_allclose(same, 1.0, atol=1e-6)
