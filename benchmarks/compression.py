"""Size against error of compressed takes: python -m benchmarks.compression [KIND ...]; needs FRESHTAKE_DATA."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.variation.compression.compressing import compress_takes
from freshtake.variation.compression.plain_compression import nearest_error, pca_within

KINDS = ("walk", "swim", "cheering", "throw", "jump", "walk_select")
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


def compression(kinds: Sequence[str] = KINDS) -> str:
    """Kept takes, errors and sizes for several bounds, beside plain PCA and the nearest kept take."""
    if not DATA.is_dir():
        return "### Compression\n\n(recorded motion is absent)\n"
    return table("Compression: size against error", HEAD, [row for kind in kinds for row in rows_of(kind)])


if __name__ == "__main__":
    print(compression(sys.argv[1:] or KINDS))
