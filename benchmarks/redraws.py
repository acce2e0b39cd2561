"""Measure how redrawn stretches join the kept frames, as files: python -m benchmarks.redraws [SET ...] [-n 200].

Stretches of inputs, unseen takes and variants, .4 to 1.5 s long, are redrawn by the command's workflow.
Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from tests.conftest import DATA

import freshtake as ft
from freshtake.motion.body.roles import leg_length
from freshtake.requests import Learn, Redraw, Vary
from freshtake.variation.standing import feet_of
from freshtake.workflows import learn, redraw, vary
from freshtake.workflows.redrawing import join_of

SETS = {
    **{kind: DATA / kind for kind in ("walk", "swim", "cheering", "throw", "jump")},
    **{kind: DATA / "validation" / kind for kind in ("walk07", "swim126", "cheering13", "throw141")},
}
EACH = 5  # redraws of one stretch
HEADER = "| set | kept bytes same | step | beyond the clip's | bend | beyond | green | feet, new ÷ kept | moved, % |"


def frame_lines(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return data[data.index(b"\n", data.index(b"Frame Time")) + 1 :].splitlines()


def foot_speed(model: ft.variation.VariationModel, clip: ft.Clip, first: int, stop: int) -> float:
    """Return the mean speed of planted ankles over the ground, in lengths per second."""
    if model.planting_model is None or not model.planting_model.legs:
        return float("nan")
    feet = feet_of(clip, model.planting_model)
    level = [axis for axis in range(3) if axis != clip.up_index]
    speeds = np.linalg.norm(np.diff(feet.ankles[..., level], axis=0), axis=-1) / clip.frame_time
    standing = (feet.stands[1:] & feet.stands[:-1])[first:stop]
    return float(speeds[first:stop][standing].mean()) if standing.any() else float("nan")


def run(name: str, folder: Path, count: int) -> str:
    kind, rng, rows = name.rstrip("0123456789"), np.random.default_rng(1), []
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        inputs = sorted(folder.glob(f"{kind}_*.bvh"))
        learn(Learn(takes=inputs, out=place / "m.ftm"))
        vary(Vary(model=place / "m.ftm", out=place / "variants", count=4))
        model = ft.load(place / "m.ftm")
        clips = [*inputs, *sorted(folder.glob("extra_*.bvh")), *sorted((place / "variants").iterdir())]
        for number in range(-(-count // EACH)):
            source = clips[int(rng.integers(len(clips)))]
            clip = ft.read(source)
            length = min(int(rng.uniform(0.4, 1.5) / clip.frame_time), len(clip) - 4)
            first = int(rng.integers(2, len(clip) - length - 1))
            request = Redraw(
                take=source, model=place / "m.ftm", out=place / str(number), start=str(first), stop=str(first + length),
                count=EACH, seed=number, keep_going=True,
            )  # fmt: skip
            done = redraw(request)
            own, before = join_of(model, clip, first, first + length), frame_lines(source)
            for path, join, verdict in zip(done.paths, done.joins, done.verdicts, strict=True):
                after, new = frame_lines(path), ft.read(path)
                same = all(before[k] == after[k] for k in range(len(before)) if not first <= k < first + length)
                moved = np.linalg.norm(new.positions() - clip.positions(), axis=2)[first : first + length].mean()
                feet = [foot_speed(model, one, first, first + length) for one in (new, clip)]
                rows.append([
                    same, join.step, join.step / max(own.step, 1.0), join.bend, join.bend / max(own.bend, 1.0),
                    verdict.color == "green", feet[0] / feet[1], 100.0 * moved / leg_length(clip.skeleton),
                ])  # fmt: skip
    table = np.array(rows, dtype=np.float64)
    worst = table[:, 1:5].max(axis=0)
    return (
        f"| {name} | {table[:, 0].mean():.0%} | {worst[0]:.2f} | {worst[1]:.2f} | {worst[2]:.2f} | {worst[3]:.2f} | "
        f"{table[:, 5].mean():.0%} | {np.nanmedian(table[:, 6]):.2f} | {table[:, 7].mean():.3g} |"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("-n", type=int, default=200)
    chosen = parser.parse_args()
    print(f"{HEADER}\n|{'---|' * 9}")
    for name in chosen.sets or SETS:
        print(run(name, SETS[name], chosen.n), flush=True)
