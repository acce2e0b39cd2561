"""Takes that do not belong: how far each lies from all others, against how far these lie apart among themselves.

Lau 2009 (§9) compares takes by likelihood. With three to five takes likelihoods say little about
what is usual; here a take is left out, and its distance from the mean of the others is compared with their own
spread by an F test, part of the body by part. It needs no network, so that the cost is that of one alignment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import fdtrc

from freshtake.motion import Clip, Stroke
from freshtake.motion.body.facing import facing
from freshtake.motion.body.roles import body_parts, leg_length
from freshtake.numeric.arrays import Floats
from freshtake.variation.examples import Material
from freshtake.variation.phase import read_at

Strings = npt.NDArray[np.str_]
CHANCE = 0.01  # of a warning where all takes belong together
LEAST_TAKES = 3
# How many independent numbers a difference between takes is worth: fitted to recorded takes that belong together
# (walk, swim, cheering, throw, jump), and lower than the best fit because their tails are heavier.
PART_FREEDOM, WHOLE_FREEDOM = 4.0, 8.0
SHAPE_FREEDOM = 2.0  # of what has no parts: fitted to handwritten letters
# What takes usually differ by, for each unit that their poses differ by (as a share of the movement's extent), and how
# many takes this is worth beside those at hand: again from recorded takes.
USUAL = {"duration": 0.15, "turn": 20.0, "travel": 0.3}
WORTH = 4.0
LEAST_SPREAD = 0.085  # of the extent: half of what walks differ by, the most alike of the recorded takes


class Compared(NamedTuple):
    """Takes side by side at common phases."""

    motions: Sequence[Any]
    rows: Floats  # (takes, phases, DOFs) in units of the extent of the movement
    parts: Strings  # (DOFs,): the part of the body, "" for DOFs that are no pose
    names: tuple[str, ...]  # of the DOFs
    phase_frames: Floats  # (phases, takes): the frame of each take at each phase
    figures: dict[str, Floats]  # (takes,) each, of USUAL: logarithm of seconds, degrees, leg lengths from start to end


class Unlike(NamedTuple):
    """A take that does not belong: how likely one that does would lie as far off, in what, and beside whom."""

    number: int
    chance: float
    aspects: tuple[str, ...]
    others: tuple[int, ...]


def compared(motions: Sequence[Any], material: Material, phase_frames: Floats, known: int | None = None) -> Compared:
    """Takes of one material, which lie at `phase_frames` (phases, takes) at common phases.

    The extent of the movement is that of the first `known` takes, by default of all.
    """
    rows = np.stack([read_at(x * material.weights, phase_frames[:, k]) for k, x in enumerate(material.values)])
    usual = np.median(rows[:known], axis=0)
    extent = np.sqrt(((usual - usual.mean(axis=0)) ** 2).sum(axis=1).mean())
    return Compared(
        motions, rows / max(float(extent), 1e-12), _parts(motions[0], material), material.names, phase_frames,
        _figures(motions),
    )  # fmt: skip


def _parts(first: Any, material: Material) -> Strings:
    whole = dict(zip(first.skeleton.names, body_parts(first.skeleton), strict=True)) if isinstance(first, Clip) else {}
    named = [whole.get(name.rpartition(".")[0], "shape") for name in material.names]
    return np.where(material.rates | material.timing, "", np.array(named))


def _figures(motions: Sequence[Any]) -> dict[str, Floats]:
    """How fast a pen goes is no part of what it writes, and rows have no clock; only bodies turn and travel."""
    if isinstance(motions[0], Stroke | np.ndarray):
        return {}
    figures = {"duration": np.log([max(float(motion.duration), 1e-9) for motion in motions])}
    if isinstance(motions[0], Clip):
        figures["travel"] = np.array([_travelled(clip) for clip in motions])
        ways = [way for clip in motions if (way := facing(clip)) is not None]
        if len(ways) == len(motions):
            figures["turn"] = np.array([np.degrees(np.unwrap(way)[[0, -1]] @ [-1.0, 1.0]) for way in ways])
    return figures


def _travelled(clip: Clip) -> float:
    level = [axis for axis in range(3) if axis != clip.up_index]
    return float(np.linalg.norm(clip.root[-1, level] - clip.root[0, level])) / leg_length(clip.skeleton)


def left_out(values: Floats) -> tuple[Floats, Floats]:
    """(takes,) each: squared distance of a take from the mean of the others, and the variance of these others.

    The distance is divided by 1 + 1 / others, so that both are alike where the take belongs.
    """
    n = len(values)
    squared = ((values - values.mean(axis=0)) ** 2).reshape(n, -1).sum(axis=1) * n / (n - 1)
    return squared, np.maximum(squared.sum() * (n - 1) / n - squared, 0.0) / (n - 2)


def chances(takes: Compared, who: Sequence[int]) -> dict[str, Floats]:
    """For every aspect and each of these takes: how likely a take that belongs lies as far from the others."""
    rows, others = takes.rows[list(who)] / np.sqrt(takes.rows.shape[1]), len(who) - 2.0
    parts = [part for part in dict.fromkeys(takes.parts.tolist()) if part]
    least = LEAST_SPREAD**2
    squared, whole = left_out(rows[:, :, takes.parts != ""])
    whole = np.maximum(whole, least)
    freedom = WHOLE_FREEDOM if len(parts) > 1 else SHAPE_FREEDOM
    table = {"whole": fdtrc(freedom, freedom * others, squared / whole)}
    for part in parts if len(parts) > 1 else []:
        squared, spread = left_out(rows[:, :, takes.parts == part])
        ratio = squared / np.maximum(spread, least / len(parts))
        table[part] = fdtrc(PART_FREEDOM, PART_FREEDOM * others, ratio)
    for name, values in takes.figures.items():
        squared, spread = left_out(values[list(who)])
        expected = (WORTH * USUAL[name] ** 2 * whole + others * spread) / (WORTH + others)
        table[name] = fdtrc(1.0, WORTH + others, squared / expected)
    return table


def unlike_takes(takes: Compared, some: Sequence[int] | None = None) -> list[Unlike]:
    """Return the takes that do not belong, the one that is farthest off first.

    The takes nearest to one another, just over half of them, are trusted; of the others those that could be further
    takes of their kind are trusted too, the nearest first, until none is left that could. So several odd takes cannot
    vouch for one another. All takes are looked at, or `some`; with fewer than three none can be called unlike.
    """
    who = list(range(len(takes.rows)) if some is None else some)
    if len(who) < LEAST_TAKES:
        return []
    core = _nearest_half(takes, who)
    rest = [k for k in who if k not in core]
    while rest:
        tables = {k: _last_chances(takes, [*core, k]) for k in rest}
        likely = sorted((k for k in rest if _least(tables[k]) >= CHANCE), key=lambda k: -_least(tables[k]))
        if not likely:
            break
        core += likely[: (len(likely) + 1) // 2]
        rest = [k for k in rest if k not in core]
    unlike = []
    for k in sorted(rest, key=lambda k: _least(tables[k])):
        table = tables[k]
        aspects = sorted((name for name in table if table[name] * len(table) < CHANCE), key=lambda name: table[name])
        unlike.append(Unlike(k, _least(table), tuple(aspects), tuple(sorted(core))))
    return unlike


def _nearest_half(takes: Compared, who: Sequence[int]) -> list[int]:
    """The take with the nearest neighbours, and these: just over half of all."""
    rows = takes.rows[list(who)][:, :, takes.parts != ""].reshape(len(who), -1) / np.sqrt(takes.rows.shape[1])
    figures = [values[list(who)] / USUAL[name] for name, values in takes.figures.items()]
    rows = np.column_stack([rows, *figures])
    rows -= rows.mean(axis=0)
    products = rows @ rows.T
    squared = products.diagonal()[:, None] + products.diagonal() - 2.0 * products
    count = len(who) // 2 + 1
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :count]
    middle = int(np.take_along_axis(squared, nearest, axis=1).sum(axis=1).argmin())
    return [who[k] for k in nearest[middle].tolist()]


def _last_chances(takes: Compared, who: Sequence[int]) -> dict[str, float]:
    """The chances of the last of these takes, beside the others."""
    return {name: float(values[-1]) for name, values in chances(takes, who).items()}


def _least(table: dict[str, float]) -> float:
    """The least chance of all aspects, times their number: one of many is small by chance."""
    return min(min(table.values()) * len(table), 1.0)


def differ_more_than_they_move(takes: Compared) -> bool:
    """Whether takes lie farther from one another than they move, as movements do that have little in common."""
    rows = takes.rows[:, :, takes.parts != ""]
    if len(rows) < 2:
        return False
    between = ((rows - rows.mean(axis=0)) ** 2).sum() / (len(rows) - 1)
    moves = ((rows - rows.mean(axis=1, keepdims=True)) ** 2).sum() / len(rows)
    return bool(between > moves)
