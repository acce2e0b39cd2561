"""Choose jump probabilities, offline, so that all parts of a class are followed about equally often and no limb whips.

A take that changes over time has few moments at which a jump leads from one part of the take to another. If jumps are
drawn by the density alone, these moments are hardly ever reached, and synthesis stays in one part. So chances are
learned: a jump becomes likelier if it leads, now or later, to frames that are followed too seldom. Modes do not show
how limbs rotate, so the first frames of every jump are decoded, and jumps in which a limb whips are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.density.jumps import FARTHER, SHARP, SHARPEST, Track
from freshtake.density.possible_jumps import BEFORE, Jumps, Span
from freshtake.density.runs import Limits, Place, aligned_place, eased, fading, read_at
from freshtake.numeric.arrays import Bools, Floats, Ints, rounded
from freshtake.numeric.compiled import compiled

if TYPE_CHECKING:
    from freshtake.density.model import DensityModel


MOST_KERNELS = 1500  # with more kernels, jumps are left to the density, which suffices for so much data
ROUNDS = 60
STEP = 0.2  # fraction of the step towards the response to the current costs, per round
GREATEST = 8.0  # natural logarithm of the largest factor by which a probability may change
HORIZON = 0.9999  # discount per frame: ten thousand frames ahead weigh 1/e
LEAST = 1e-300
FRAMES = 4  # two before and two after a jump: a limb that whips does so at once


class JumpTable(NamedTuple):
    """Jumps grouped by their start: kernel i has the next `counts[i]` jumps of `goals`."""

    counts: Ints  # (kernels,)
    goals: Ints  # (jumps,)
    chances: Floats  # (jumps,): probability of each jump, given that its kernel is left; sums to 1 for each kernel
    jump_rates: Floats  # (kernels,): probability of any jump, relative to `stay`


def no_jumps(kernels: int) -> JumpTable:
    """Return a table that leaves jumps to the density."""
    return JumpTable(np.zeros(kernels, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0), np.ones(kernels))


def joined(tables: list[JumpTable]) -> JumpTable:
    """Concatenate the tables of classes, whose kernels are concatenated."""
    firsts = np.cumsum([0, *(len(table.counts) for table in tables)])
    goals = [table.goals + first for table, first in zip(tables, firsts[:-1], strict=True)]
    counts, _, chances, jump_rates = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    return JumpTable(counts, np.concatenate(goals), chances, jump_rates)


def jump_table(jumps: Jumps, runs: list[Span], rate: float) -> JumpTable:
    """Return the probabilities of jumps (sorted by `here`); `rate` is a jump's probability per frame.

    Following a kernel costs the logarithm of its frequency so far. In every round probabilities move towards lower
    costs; the result is the mean flow of all rounds, with more weight on later ones (Frank and Wolfe's method for the
    flow of greatest entropy).
    """
    kernels = runs[-1][1]
    if not len(jumps.here) or kernels > MOST_KERNELS:
        return no_jumps(kernels)
    paths, change, weight, mean = _Paths(jumps, runs, rate), np.zeros(len(jumps.here)), 0.0, None
    for number in range(1, ROUNDS + 1):
        chances = paths.chances(change)
        flow, to_come = paths.flow(chances)
        weight += number
        share = number / weight
        mean = Flow(*(a + share * (b - a) for a, b in zip(mean or flow, flow, strict=True)))
        # Costs stop falling below a hundredth of a kernel's fair share, because the logarithm is unbounded at 0.
        cost = np.log(np.maximum(mean.followed, 1e-2))
        # Probabilities respond to half of the costs.
        gain = np.clip(0.5 * paths.gains(chances, flow, to_come, cost), -GREATEST, GREATEST)
        change += STEP * (gain - change)
    assert mean is not None
    chances = mean.jumping / np.maximum(mean.resting[jumps.here], LEAST)
    leaving = np.bincount(jumps.here, chances, minlength=kernels)
    return JumpTable(
        np.bincount(jumps.here, minlength=kernels), jumps.there,
        rounded(chances / np.maximum(leaving[jumps.here], LEAST)), rounded(leaving / rate),
    )  # fmt: skip


class Flow(NamedTuple):
    """Frequencies relative to each kernel's fair share."""

    resting: Floats  # (kernels,): frequency of being at a kernel that may be left
    jumping: Floats  # (jumps,): frequency of a jump
    followed: Floats  # (kernels,): frequency of following a kernel


class _Paths:
    """The successors of frames: the next frame, or a jump, whose offset has to decay before another jump."""

    def __init__(self, jumps: Jumps, runs: list[Span], rate: float) -> None:
        self.jumps, self.kernels = jumps, runs[-1][1]
        stops = np.repeat([stop for _, stop in runs], [stop - start for start, stop in runs])
        self.continues: Bools = np.arange(self.kernels) < stops - 1
        self.landing = jumps.landings(runs)
        nearest = np.full(self.kernels, np.inf)
        np.minimum.at(nearest, jumps.here, jumps.squares)
        density = np.exp(-0.5 * np.minimum(jumps.squares - nearest[jumps.here], 80.0))
        density /= np.bincount(jumps.here, density, minlength=self.kernels)[jumps.here]
        self.base: Floats = density * np.where(self.continues[jumps.here], rate, 1.0)

    def chances(self, change: Floats) -> Floats:
        """Return each jump's probability per frame at its kernel: the density's, times exp(change), normalized."""
        weight = self.base * np.exp(np.clip(change, -GREATEST, GREATEST))
        total = np.bincount(self.jumps.here, weight, minlength=self.kernels) + self.continues
        return np.asarray(weight / total[self.jumps.here])

    def flow(self, chances: Floats) -> tuple[Flow, Floats]:
        """Return the stationary flow of these probabilities, and 1 - HORIZON P, with P the transition matrix."""
        n, (here, there) = self.kernels, self.jumps[:2]
        onward = np.flatnonzero(self.continues)
        staying = 1.0 - np.bincount(here, chances, minlength=n)[onward]
        rows, columns = np.concatenate([here, onward]), np.concatenate([self.landing, onward + 1])
        to_come = np.eye(n)
        np.subtract.at(to_come, (rows, columns), HORIZON * np.concatenate([chances, staying]))
        resting = np.linalg.solve(to_come.T, np.full(n, (1.0 - HORIZON) / n))
        jumping = resting[here] * chances
        fading = np.zeros(n)
        np.add.at(fading, there, jumping)
        np.subtract.at(fading, self.landing, jumping)
        followed = resting + np.cumsum(fading)
        due = followed.sum() / n
        return Flow(resting / due, jumping / due, followed / due), to_come

    def gains(self, chances: Floats, flow: Flow, to_come: Floats, cost: Floats) -> Floats:
        """Return how much less each jump costs than continuing, future costs included: (jumps,).

        The future cost is the solution of V = cost + HORIZON P V, with P the transition matrix.
        """
        n, (here, there) = self.kernels, self.jumps[:2]
        until = np.concatenate([[0.0], np.cumsum(cost)])
        frames, along = self.landing - there, until[self.landing] - until[there]
        costs = cost + np.bincount(here, chances * along, minlength=n)
        times = 1.0 + np.bincount(here, chances * frames, minlength=n)
        usual = float(flow.resting @ costs) / float(flow.resting @ times)
        ahead = np.linalg.solve(to_come, costs - usual * times)
        by_jump = along - usual * frames + HORIZON * ahead[self.landing]
        # A run cannot continue at its end: there, jumps are compared with their mean.
        onward, continuing = np.flatnonzero(self.continues), np.bincount(here, self.base * by_jump, minlength=n)
        continuing[onward] = HORIZON * ahead[onward + 1]
        return np.asarray(continuing[here] - by_jump)


def without_whips(model: DensityModel) -> JumpTable:
    """Return the model's jumps without jumps that are sharper than allowed after decoding.

    Such a jump is kept only if no other leaves the kernel and its run ends there.
    """
    table = model.jumps
    if model.turning is None or not len(table.goals):
        return table
    here = np.repeat(np.arange(len(table.counts)), table.counts)
    sharp = _shown_bends(model, here) > SHARPEST / SHARP * model.limits[model.owners[here], 0]
    return _without(table, here, sharp)


def _without(table: JumpTable, here: Ints, sharp: Bools) -> JumpTable:
    chances = np.where(sharp, 0.0, table.chances)
    remaining = np.bincount(here, chances, minlength=len(table.counts))
    others = remaining[here] > 0.0
    chances = np.where(others, chances / np.where(others, remaining[here], 1.0), table.chances)
    return table._replace(chances=chances, jump_rates=table.jump_rates * remaining)


def _shown_bends(model: DensityModel, here: Ints) -> Floats:
    """Return the largest second difference (jumps,), in modes, of the decoded first frames of every jump."""
    largest, rows = np.zeros(len(here)), np.empty((len(here), FRAMES, model.track.rows.shape[1]))
    for early in BEFORE:
        first_frames(model.track, here, model.jumps.goals, early, model.controls.blend, rows)
        shown = model.encode(model.decode(rows.reshape(-1, rows.shape[2]))).reshape(len(here), FRAMES, -1)
        largest = np.maximum(largest, np.linalg.norm(np.diff(shown, 2, axis=1), axis=2).max(axis=1))
    return largest


@compiled
def first_frames(track: Track, here: Ints, there: Ints, early: float, blend: float, out: Floats) -> None:
    """Fill in rows (jumps, FRAMES, width): the last two frames before each jump and the first frames after it.

    A jump begins `early` frames before the kernel that it is listed at.
    """
    width = out.shape[2]
    history, offset = np.zeros((4, width)), np.empty((2, width))
    for c in range(len(here)):
        i, j = here[c], there[c]
        source = Place(max(i - early, float(track.firsts[i])), track.firsts[i], track.lasts[i])
        for k in range(2):
            read_at(track.rows, source.at - k, source.first, source.last, width, history[k])
            out[c, 1 - k] = history[k]
        place = aligned_place(track.rows, track.modes, history[0], j, track.firsts[j], track.lasts[j])
        goal = Place(place, track.firsts[j], track.lasts[j])
        owner = track.owners[i]
        limits = Limits(track.sharpest[owner], FARTHER * track.farthest[owner], blend)
        _, span = eased(track.rows, track.modes, history, source, goal, 1.0, limits, offset)
        for t in range(1, FRAMES - 1):
            read_at(track.rows, place + t, goal.first, goal.last, width, out[c, t + 1])
            keep, push = fading(float(t), span)
            for k in range(width):
                out[c, t + 1, k] += keep * offset[0, k] + push * offset[1, k]
