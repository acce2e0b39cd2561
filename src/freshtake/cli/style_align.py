"""`freshtake align`: iterative motion warping of two files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from freshtake.cli.console import output, print_json, progress_bar, warn
from freshtake.cli.outputs import Force, Json, prepare
from freshtake.requests.style import StyleAlign

if TYPE_CHECKING:
    from freshtake.workflows.style_reporting import Aligned


def align(request: StyleAlign, *, force: Force = False, json: Json = False) -> int:
    """Find which frames of two motions belong together, although their styles differ.

    The first motion is warped in time and, smoothly, in space until it lies on the second: iterative motion warping
    (Hsu, Pulli and Popović 2005). Both must have the same skeleton and the same content: the same steps, the same
    punch.

    **Examples**

    ```
    freshtake align normal.bvh crouched.bvh
    freshtake align normal.bvh crouched.bvh -o crouched_in_step.bvh --plot warp.png
    freshtake align letter_1.csv letter_2.csv --method dtw-1 --json
    ```
    """
    from freshtake.workflows import style_align

    prepare(request.out, request.plot, force=force)
    with progress_bar() as report:
        done = style_align(request, report, warn)
    if done.identical:
        warn(f"{request.first} and {request.second} hold the same motion: the warp changes nothing")
    if json:
        print_json(summary(done))
        return 0
    console = output()
    for line in lines(done):
        console.print(line, markup=False)
    for path in (request.out, request.plot):
        if path is not None:
            console.print(f"written: {path}", markup=False)
    return 0


def summary(done: Aligned) -> dict[str, Any]:
    """Return the alignment as plain values, for JSON."""
    alignment = done.alignment
    return {
        "method": alignment.settings.method,
        "first": {
            "name": done.first.name, "frames": len(done.first),
            "start": alignment.first[0], "stop": alignment.first[1],
        },
        "second": {
            "name": done.second.name, "frames": len(done.second),
            "start": alignment.second[0], "stop": alignment.second[1],
        },
        "identical": done.identical,
        "rounds": alignment.rounds,
        "energy": list(alignment.energy),
        "cost": alignment.cost,
        "pace": {
            "mean": float(alignment.steps.mean()),
            "least": float(alignment.steps.min()), "most": float(alignment.steps.max()),
        },
        "path": alignment.path.tolist(),
        "steps": alignment.steps.tolist(),
        "differential": alignment.differential.tolist(),
    }  # fmt: skip


def lines(done: Aligned) -> list[str]:
    """Return the alignment in a few lines of text."""
    alignment = done.alignment
    out = []
    for name, motion, (start, stop) in (
        ("first", done.first, alignment.first),
        ("second", done.second, alignment.second),
    ):
        part = "all" if stop - start == len(motion) else f"{start}..{stop - 1}"
        out.append(f"{name}: {motion.name or 'motion'}, {len(motion)} frames, aligned: {part}")
    pace = f"{alignment.steps.mean():.2f} (from {alignment.steps.min():.2f} to {alignment.steps.max():.2f})"
    out.append(f"frames of the second per frame of the first: {pace}")
    if len(alignment.energy) > 1:
        fell = f"energy {alignment.energy[0]:.4g} -> {alignment.energy[-1]:.4g}"
        out.append(f"{fell} in {alignment.rounds} rounds")
    out.append(f"distance left per DOF: {alignment.cost:.3g}")
    return out
