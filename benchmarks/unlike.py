"""Show which takes `learn` warns about: python -m benchmarks.unlike [draws]. Needs the folder of FRESHTAKE_DATA.

Draws of takes that belong together, and the same with one that does not: walks of another pace, turning, with wild
arms; one of the takes played slower, turned, with its arms swung wider; one of another movement.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from benchmarks.timing import table
from freshtake.motion.body.roles import body_parts
from freshtake.motion.edit import sampled_at, turned
from freshtake.numeric import rotations as rotation
from freshtake.variation.examples import material_of
from freshtake.variation.phase import align
from freshtake.variation.selection.unlike import compared, unlike_takes

SETS = {
    "walk": "walk_select/t*_*.bvh", "swim": "swim/*.bvh", "cheering": "cheering/*.bvh", "throw": "throw/*.bvh",
    "jump": "jump/*.bvh",
}  # fmt: skip
SIZES = (3, 4, 5, 8)


@cache
def takes(pattern: str) -> tuple[ft.Clip, ...]:
    return tuple(ft.read(path) for path in sorted(Path(DATA).glob(pattern)))  # type: ignore[misc]


def found(clips: Sequence[Any]) -> list[int]:
    """Return the numbers of takes that do not belong."""
    material = material_of(clips, None, None)
    places = align(material.values, material.weights, 0.05 / material.frame_time)
    return [one.number for one in unlike_takes(compared(clips, material, places))]


def slower(clip: ft.Clip, factor: float) -> ft.Clip:
    return sampled_at(clip, np.linspace(0.0, len(clip) - 1.0, round((len(clip) - 1) * factor) + 1))


def turning(clip: ft.Clip, degrees: float) -> ft.Clip:
    return turned(clip, np.radians(degrees) * np.linspace(0.0, 1.0, len(clip)))


def swinging(clip: ft.Clip, factor: float) -> ft.Clip:
    """Multiply the arms' deviations from their mean rotation by a factor."""
    q = np.array(clip.rotations)
    for joint, part in enumerate(body_parts(clip.skeleton)):
        if part.endswith("arm"):
            mean = rotation.mean(q[:, joint])
            away = rotation.to_rotvec(rotation.multiply(rotation.inverse(mean)[None], q[:, joint]))
            q[:, joint] = rotation.multiply(mean[None], rotation.from_rotvec(factor * away))
    return clip.changed(rotations=rotation.normalize(q))


def another(name: str, clip: ft.Clip, rng: np.random.Generator) -> ft.Clip:
    """Return a take of another movement on the same skeleton."""
    others = [pattern for other, pattern in SETS.items() if other != name]
    return takes(others[rng.integers(len(others))])[0].changed(skeleton=clip.skeleton)


def unlike(draws: int = 10) -> str:
    """Return fractions of draws with a warning (one row per set), and of draws in which the odd take is named first."""
    if not (DATA / "walk").is_dir():
        return "### Takes that do not belong\n\n(recorded motion is absent)\n"
    rng = np.random.default_rng(0)
    rates: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for name, pattern in SETS.items():
        every = takes(pattern)
        odd: dict[str, Any] = {
            "1.3 times as slow": lambda clip: slower(clip, 1.3), "turned by 55 degrees": lambda clip: turning(clip, 55),
            "arms swung twice as wide": lambda clip: swinging(clip, 2.0),
            "another movement": lambda clip, name=name: another(name, clip, rng),
        }  # fmt: skip
        if name == "walk":
            for k, clip in enumerate(takes("walk_select/dissimilar_*.bvh")):
                odd[f"dissimilar {k + 1}"] = lambda _, clip=clip: clip
        for size in (size for size in SIZES if size <= len(every)):
            for _ in range(draws):
                chosen = [every[k] for k in rng.choice(len(every), size, replace=False)]
                rates[f"{name}: all belong"][size].append(bool(found(chosen)))
                for what, make in odd.items():
                    one = rng.integers(size)
                    given = [make(clip) if k == one else clip for k, clip in enumerate(chosen)]
                    rates[f"{name}: {what}"][size].append(found(given)[:1] == [one])
    rows = [
        [what, *[f"{100 * np.mean(own[size]):.0f} %" if size in own else "-" for size in SIZES]]
        for what, own in sorted(rates.items(), key=lambda item: "all belong" not in item[0])
    ]
    return table("Takes that do not belong: share of warnings", ["takes", *[str(size) for size in SIZES]], rows)


if __name__ == "__main__":
    print(unlike(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
