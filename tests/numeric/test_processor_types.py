"""The same on any number of threads, and nearly so on older processors: a bound on rounding differences."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROGRAM = """
import sys
import numpy as np
import freshtake as ft
rng = np.random.default_rng
walks = [ft.samples.walk(rng(k), cycles=1) for k in range(3)]
clips = {"walk": [ft.samples.walk(rng(0), cycles=3)], "run": [ft.samples.run(rng(0), cycles=3)]}
made = {
    "variation": ft.variation.learn(walks, rng=rng(0), cyclic=True).sample(rng(5), cycles=4, plant=True),
    "blend": ft.density.learn(clips).sample(rng(5), frames=200),
    "texture": ft.texture.learn(ft.samples.walk(rng(0), cycles=6)).sample(rng(5), frames=200),
}
np.savez(sys.argv[1], **{f"{name} {part}": getattr(clip, part) for name, clip in made.items()
                         for part in ("root", "rotations")})
"""


def synthesized(path: Path, **settings: str) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
    """Return motions of three methods, learned and drawn in a process with other settings of the linear algebra."""
    plain = {"OPENBLAS_NUM_THREADS": "1", **settings}
    subprocess.run([sys.executable, "-c", PROGRAM, str(path)], check=True, env={**os.environ, **plain})
    with np.load(path) as arrays:
        return dict(arrays)


def newest_features() -> str:
    """Return the groups of instructions that numpy chooses at run time on this processor."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    return " ".join(name for name in __cpu_dispatch__ if __cpu_features__.get(name))


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of processors are those of x86")
def test_threads_change_nothing_and_an_old_processor_next_to_nothing(tmp_path: Path) -> None:
    here = synthesized(tmp_path / "here.npz")
    threads = synthesized(tmp_path / "threads.npz", OPENBLAS_NUM_THREADS="2")
    old = synthesized(tmp_path / "old.npz", OPENBLAS_CORETYPE="Nehalem", NPY_DISABLE_CPU_FEATURES=newest_features())
    for name, values in here.items():
        np.testing.assert_array_equal(threads[name], values, err_msg=name)
        size = max(float(np.abs(values).max()), 1.0)
        assert np.abs(old[name] - values).max() < 1e-4 * size, name  # 1e-6 was seen, in a blend
