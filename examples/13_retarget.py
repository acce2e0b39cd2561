"""A walk of the sample performer in; the same walk on other skeletons out, as files and as a picture.

Run: python examples/13_retarget.py OUTDIR
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import freshtake as ft
from freshtake.motion.retarget import Retargeter, Stated, make_rig
from freshtake.reports.overlay import retarget_strip
from freshtake.samples.rigs import rig


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    walk = ft.samples.walk(np.random.default_rng(0), cycles=2)
    source = make_rig(walk)  # parts of the body by the names of joints, rest pose: all rotations zero
    rows = [(f"the sample performer ({source.body.family})", walk)]
    for name in ("mixamo", "unreal", "smpl"):
        still = rig(name)
        pose = still.world()
        target = make_rig(still, Stated(pose.positions[0], pose.rotations[0]))  # a clip standing at rest
        retargeter = Retargeter(source, target)
        made = retargeter.retarget(walk)
        ft.write(folder / f"walk_{name}.bvh", made)
        rows.append((target.body.family, made))
        ratio = retargeter.transfer.leg_ratio
        print(f"{name}: {retargeter.matched} of {len(still.skeleton)} joints follow, lengths times {ratio:.3g}")
    retarget_strip(rows).savefig(folder / "retarget_walk.png")
    print(f"written to {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/retarget"))
