"""Measure how much added motion helps a learner: python -m benchmarks.augmentation [-n 6] [--seeds 5] [--takes 2].

Two small learners see takes of five movements: one predicts the pose a quarter of a second ahead, the other names the
movement, both from two poses a tenth of a second apart, both by ridge regression on random features. They are trained
on the real takes alone and with equal numbers of variants, of noisy takes (changed as much as the
variants) and of mixtures added, and tested on unseen takes. The penalty of the regression is chosen once, on left-out
real takes and without added motion: variants, noise and mixtures of a left-out take would reveal it.
Needs the folder that FRESHTAKE_DATA names.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from benchmarks.baselines import recorded, variants_of
from benchmarks.takes import KINDS
from benchmarks.timing import table
from freshtake.evaluation.baselines import baseline_sets
from freshtake.motion.edit import heading
from freshtake.numeric.arrays import Floats
from freshtake.numeric.rotations import about_axis, rotate

CENTIMETRES = 5.644  # per unit of the recorded takes
BACK, AHEAD = 0.1, 0.25  # seconds
FEATURES = 200
PENALTIES = 10.0 ** np.arange(-4, 0)
ADDED = ("strawman", "convex")
NAMES = {
    "real": "real takes alone",
    "variants": "with variants",
    "strawman": "with noise",
    "convex": "with mixtures",
}


class Windows(NamedTuple):
    """One take: inputs (windows, numbers), and the changes of pose to predict (windows, numbers)."""

    seen: Floats
    ahead: Floats
    movement: int


def poses(clip: Any) -> Floats:
    """Return (frames, numbers): positions of joints relative to the hips, along the body's heading, in centimetres."""
    about = clip.positions() - clip.positions()[:, :1]
    turns = about_axis(np.array([0.0, 1.0, 0.0]), -heading(clip))
    return np.asarray(CENTIMETRES * rotate(turns[:, None], about)[:, 1:].reshape(len(clip), -1))


def windows(clip: Any, movement: int) -> Windows:
    """Return all windows of a take."""
    rows = poses(clip)
    back, ahead = (round(seconds / clip.frame_time) for seconds in (BACK, AHEAD))
    now = np.arange(back, len(rows) - ahead)
    return Windows(np.hstack([rows[now], rows[now] - rows[now - back]]), rows[now + ahead] - rows[now], movement)


class Learner:
    """Ridge regression on random cosine features."""

    def __init__(self, train: Sequence[Windows], seed: int, penalty: float) -> None:
        rng = np.random.default_rng(seed)
        seen = np.concatenate([take.seen for take in train])
        self.middle, self.spread = seen.mean(axis=0), seen.std(axis=0) + 1.0
        width = seen.shape[1]
        self.directions = rng.standard_normal((width, FEATURES)) / np.sqrt(width)
        self.phases = rng.uniform(0.0, 2.0 * np.pi, FEATURES)
        made = self.features(seen)
        squares = made.T @ made
        squares += penalty * np.trace(squares) / len(squares) * np.eye(len(squares))
        self.weights = np.linalg.solve(squares, made.T @ np.concatenate([self.wanted(take) for take in train]))

    def features(self, seen: Floats) -> Floats:
        """Return (windows, features), with a constant and the inputs themselves."""
        own = (seen - self.middle) / self.spread
        return np.hstack([np.ones((len(own), 1)), own, np.cos(own @ self.directions + self.phases)])

    @staticmethod
    def wanted(take: Windows) -> Floats:
        """Return the errors of the pose ahead and of the movement, as one number each."""
        which = np.zeros((len(take.seen), len(KINDS)))
        which[:, take.movement] = 10.0
        return np.hstack([take.ahead, which])

    def errors(self, test: Sequence[Windows]) -> tuple[float, float]:
        """Return the mean distance of joints in centimetres, and the fraction of unrecognized movements."""
        off, wrong = [], []
        for take in test:
            found = self.features(take.seen) @ self.weights
            away = (found[:, : take.ahead.shape[1]] - take.ahead).reshape(len(found), -1, 3)
            off.append(float(np.linalg.norm(away, axis=2).mean()))
            wrong.append(float((found[:, take.ahead.shape[1] :].argmax(axis=1) != take.movement).mean()))
        return float(np.mean(off)), float(np.mean(wrong))


def chosen_penalty(real: Sequence[Windows], seed: int) -> float:
    """Return the penalty that best predicts a left-out real take."""
    errors = [
        np.mean([Learner([*real[:k], *real[k + 1 :]], seed, penalty).errors([real[k]])[0] for k in range(len(real))])
        for penalty in PENALTIES
    ]
    return float(PENALTIES[int(np.argmin(errors))])


def added(inputs: Sequence[Any], count: int, seed: int) -> dict[str, list[Any]]:
    """Make equal numbers of motions of every kind from the same takes."""
    variants = variants_of(inputs, count, seed)
    return {"variants": variants} | baseline_sets(
        inputs, variants, rng=np.random.default_rng(seed), kinds=ADDED, count=count
    )


def trial(takes: int, count: int, seed: int) -> dict[str, tuple[float, float]]:
    """Return errors on unseen takes by training data; the real takes used are drawn at random."""
    rng = np.random.default_rng([9, seed])
    real: list[Windows] = []
    test: list[Windows] = []
    more: dict[str, list[Windows]] = {name: [] for name in NAMES}
    for movement, kind in enumerate(KINDS):
        known, unseen = recorded(kind)
        inputs = [known[k] for k in sorted(rng.choice(len(known), takes, replace=False))]
        real += [windows(clip, movement) for clip in inputs]
        test += [windows(clip, movement) for clip in unseen]
        for name, clips in added(inputs, count, seed).items():
            more[name] += [windows(clip, movement) for clip in clips]
    penalty = chosen_penalty(real, seed)
    return {name: Learner([*real, *more[name]], seed, penalty).errors(test) for name in NAMES}


def augmentation(count: int = 6, seeds: int = 5, real: Sequence[int] = (2, 4)) -> str:
    """Return means and standard deviations over seeds."""
    out = []
    for takes in real:
        title = f"{takes} real takes of each movement, {count} added"
        out.append(summary(title, [trial(takes, count, seed) for seed in range(seeds)]))
    return "\n".join(out)


def summary(title: str, results: Sequence[dict[str, tuple[float, float]]]) -> str:
    """Return the table of several trials."""
    rows = []
    for name, words in NAMES.items():
        both = np.array([found[name] for found in results])
        gain = both[:, 0] / np.array([found["real"][0] for found in results]) - 1.0
        off, wrong = (f"{column.mean():.2f} ± {column.std(ddof=1):.2f}" for column in (both * [1.0, 100.0]).T)
        rows.append([words, off, f"{100 * gain.mean():+.1f} %", f"{int((gain < 0).sum())} of {len(results)}", wrong])
    head = ["trained on", "pose ahead, cm", "against real alone", "better in", "movement not named, %"]
    return table(title, head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=6)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--takes", type=int, nargs="+", default=[2, 4])
    asked = parser.parse_args()
    print(augmentation(asked.n, asked.seeds, asked.takes))


if __name__ == "__main__":
    main()
