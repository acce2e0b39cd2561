"""Size against error of compressed takes: python -m benchmarks.compression [KIND ...]; needs FRESHTAKE_DATA."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.motion import Clip
from freshtake.motion.edit import remove_heading
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import rotate
from freshtake.variation.compression.compressing import compress_takes, restored, start_of
from freshtake.variation.compression.plain_compression import nearest_error, pca_within

KINDS = ("walk", "swim", "cheering", "throw", "jump", "walk_select")
SHELL, CENTIMETRES = 3.0, 5.644  # from the bone; per unit of the takes
BOUNDS = (0.01, 0.02, 0.04)
HEAD = [
    "", "bound, % leg", "kept", "worst error", "size", "a dropped take's", "nearest kept take, worst", "PCA modes",
    "PCA size", "PCA, per take", "CPU s",
]  # fmt: skip


def rows_of(kind: str) -> list[list[str]]:
    paths = [path for path in sorted((DATA / kind).glob("*.bvh")) if "dissimilar" not in path.name]
    takes = [ft.read(path) for path in paths]
    rows = []
    for bound in BOUNDS:
        start = time.process_time()
        found = compress_takes(takes, bound)
        spent = time.process_time() - start
        nearest = max((nearest_error(takes, found.kept, k) for k in found.rebuilds), default=0.0)
        plain = pca_within(takes, bound)
        each = [one.numbers / (len(takes[k]) * len(found.material.names)) for k, one in found.rebuilds.items()]
        rows.append(
            [
                kind, f"{100 * bound:g}", f"{len(found.kept)} of {len(takes)}", f"{100 * found.worst:.2f} %",
                f"{100 * found.numbers / found.plain:.0f} %", f"{100 * sum(each) / max(len(each), 1):.1f} %",
                f"{100 * nearest:.1f} %", f"{plain.modes}", f"{100 * plain.numbers / found.plain:.0f} %",
                f"{100 * plain.modes / len(found.material.names):.1f} %", f"{spent:.1f}",
            ]
        )  # fmt: skip
    return rows


def shell(clip: Clip) -> Floats:
    """(frames, joints, 3 points, 3), in centimetres: 3 cm from each joint along its axes, without place and heading."""
    still = remove_heading(clip)
    pose = still.world()
    away = rotate(pose.rotations[:, :, None], SHELL * np.eye(3))
    return np.asarray(CENTIMETRES * (pose.positions - pose.positions[:, :1])[:, :, None] + away)


def by_shell(kind: str, bound: float = 0.01) -> list[str]:
    """Ratio and error of rebuilt takes as the field measures them: at points 3 cm from the bone."""
    takes = [ft.read(path) for path in sorted((DATA / kind).glob("*.bvh")) if "dissimilar" not in path.name]
    found = compress_takes(takes, bound)
    off = []
    for k, rebuild in found.rebuilds.items():
        again = restored(found.material, rebuild, start_of(found.material, takes[k]))
        off.append(np.linalg.norm(shell(again) - shell(takes[k]), axis=-1).ravel())
    every = np.concatenate(off)
    return [kind, f"{found.plain / found.numbers:.1f} : 1", f"{every.mean():.2f}", f"{np.quantile(every, 0.99):.1f}",
            f"{every.max():.1f}"]  # fmt: skip


def in_the_fields_measure(kinds: Sequence[str] = KINDS) -> str:
    """Beside the published figures of curve compression."""
    head = ["", "ratio", "mean, cm", "99 %, cm", "worst, cm"]
    return table("Errors 3 cm from the bone, bound 1 % of the leg", head, [by_shell(kind) for kind in kinds])


def compression(kinds: Sequence[str] = KINDS) -> str:
    """Kept takes, errors and sizes for several bounds, beside plain PCA and the nearest kept take."""
    if not DATA.is_dir():
        return "### Compression\n\n(recorded motion is absent)\n"
    return table("Compression: size against error", HEAD, [row for kind in kinds for row in rows_of(kind)])


if __name__ == "__main__":
    print(compression(sys.argv[1:] or KINDS))
    print(in_the_fields_measure(sys.argv[1:] or KINDS))
