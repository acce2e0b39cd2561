"""A full disk: every writer reports it, and leaves nothing under the target's name or next to it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import resource, signal, sys
from pathlib import Path
import numpy as np
import freshtake as ft
from freshtake.errors import FreshtakeError
from freshtake.formats.registry import FORMATS, write
from freshtake.formats.report_files import write_figure
from freshtake.reports.overlay import overlay

rng = np.random.default_rng(0)
walk = ft.samples.walk(rng, cycles=1)
points = ft.motion.PointClip(walk.skeleton.names, walk.positions(), 1 / 60, up="y", unit_m=0.01)
flag = ft.samples.flag(rng, frames=3)
letter = ft.samples.letter_a(rng)
model = ft.texture.learn(ft.samples.walk(rng, cycles=3))
figure = overlay([walk])
jobs = {
    "walk.bvh": lambda p: write(p, walk), "walk.glb": lambda p: write(p, walk, unit_m=0.01),
    "walk.gltf": lambda p: write(p, walk, unit_m=0.01), "walk.npz": lambda p: write(p, walk),
    "walk.csv": lambda p: write(p, walk), "points.c3d": lambda p: write(p, points),
    "letter.csv": lambda p: write(p, letter),
    "flag.npz": lambda p: write(p, flag), "flag": lambda p: write(p, flag), "model.ftm": lambda p: ft.save(p, model),
    "figure.png": lambda p: write_figure(p, figure), "figure.svg": lambda p: write_figure(p, figure),
}
folder = Path(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then a write beyond the limit fails, as on a full disk
for name, job in jobs.items():
    whole = folder / f"whole_{name}"
    job(whole)
    size = sum(f.stat().st_size for f in whole.iterdir()) if whole.is_dir() else whole.stat().st_size
    for share in (0.0, 0.5, 0.99):
        limit = int(size * share) if not whole.is_dir() else int(share * 1000)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        try:
            job(folder / name)
            said = "no error"
        except FreshtakeError as error:
            said = "refused"
        except OSError as error:
            said = f"plain OSError {error}"
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        left = [f.name for f in folder.iterdir() if not f.name.startswith("whole_")]
        if said != "refused" or left:
            print(name, share, said, left)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of file sizes are POSIX")
def test_no_writer_leaves_half_a_file(tmp_path: Path) -> None:
    pytest.importorskip("ezc3d")
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr[-2000:]
