"""Fit how far people's takes deviate, and print the table of `freshtake.variation.deviations`.

    python -m benchmarks.population            # reads population/ below the folder named by FRESHTAKE_DATA

For every set of takes of one movement, all takes are aligned; the standard deviation of each DOF among them is then
regressed on the DOF's range along the mean, by body part. The remaining error determines the weight of the table, in
takes.
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

import freshtake as ft
from benchmarks.takes import DATA
from freshtake.motion.body.roles import leg_length
from freshtake.variation.deviations import LEAST_RANGE, SIZES, joint_roles
from freshtake.variation.examples import material_of
from freshtake.variation.phase import common_phase, takes_on_phase


def main() -> None:
    """Print the table, the spread of tempo and pace, and the unexplained error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--odd", action="store_true", help="only odd-numbered performers, for choices")
    given = parser.parse_args()
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    tempos, paces, alike = [], [], []
    for folder in sorted((DATA / "population").iterdir()):
        if not folder.is_dir() or (given.odd and int(folder.name[:3]) % 2 == 0):
            continue
        clips = [ft.read_clip(path) for path in sorted(folder.glob("take_*.bvh"))]
        material = material_of(clips, None, None)
        takes = takes_on_phase(material, common_phase(material.values, material.weights, material.frame_time))
        mean, count = takes.rows.mean(axis=0), len(takes.rows)
        away = takes.rows - mean
        sizes = np.sqrt((away**2).sum(axis=0).mean(axis=0) / (count - 1))
        assert material.recipe is not None
        assert material.recipe.skeleton is not None
        leg, roles = leg_length(material.recipe.skeleton), joint_roles(material.recipe.skeleton)
        for k, (name, unit) in enumerate(zip(material.names, material.recipe.units, strict=True)):
            joint, _, dof = name.rpartition(".")
            role = dof if dof in SIZES else roles.get(joint, "other")
            scale = leg if unit in ("length", "speed") else 1.0
            spread = mean[:, k].std() / scale
            if spread > LEAST_RANGE and sizes[k] > 0.0:
                pairs[role].append((np.log(spread), np.log(sizes[k] / scale)))
                pairs["other"].append(pairs[role][-1])
        total = takes.log_pace.mean(axis=1)
        tempos.append(total.std(ddof=1))
        paces.append((takes.log_pace - total[:, None]).std(axis=0, ddof=1).mean())
        alike.append(_half_time(away / np.maximum(away.std(axis=0), 1e-12), material.frame_time))
    errors = []
    for role in SIZES:
        x, y = np.array(pairs[role]).T
        slope, intercept = np.polyfit(x, y, 1)
        errors.append((y - intercept - slope * x).std())
        print(f'"{role}": ({intercept:.2f}, {slope:.2f}),  # {len(x)} DOFs, left unexplained: {errors[-1]:.2f}')
    left = float(np.mean(errors[:-1]))
    print(f"TEMPO {np.mean(tempos):.3f}  PACE {np.mean(paces):.3f}  WORTH {2.0 / (2.0 * left) ** 2:.1f}")
    print(f"correlation falls to one half after {np.mean(alike):.3f} s")


def _half_time(scaled: np.ndarray, frame_time: float) -> float:
    """Return the seconds after which the autocorrelation of deviations has fallen to one half."""
    centered = scaled - scaled.mean(axis=1, keepdims=True)
    variance = (centered**2).mean()
    for lag in range(1, centered.shape[1]):
        if (centered[:, lag:] * centered[:, :-lag]).mean() < 0.5 * variance:
            return lag * frame_time
    return centered.shape[1] * frame_time


if __name__ == "__main__":
    main()
