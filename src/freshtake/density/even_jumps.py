"""Chances of jumps, offline: chosen so that all parts of a class are followed about equally often.

A take that changes over time has few moments at which a jump leads from one part of it to another. Drawn by the
density alone, those are hardly ever reached, and synthesis stays in one part of the take. So chances are learned: the
more a jump leads to what is followed too seldom, now or later, the likelier it becomes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from freshtake.density.examples import rounded
from freshtake.density.possible_jumps import Jumps, Span
from freshtake.numeric.arrays import Bools, Floats, Ints

MOST_KERNELS = 1500  # beyond, jumps are left to the density, which suffices with so much data
ROUNDS = 60
STEP = 0.2  # share of the step towards the response to the current costs, per round
GREATEST = 8.0  # natural logarithm of the largest change of a chance
HORIZON = 0.9999  # discount per frame: ten thousand frames ahead counts 1/e
LEAST = 1e-300


class JumpTable(NamedTuple):
    """Jumps by the kernel that they start from: kernel i's are the `counts[i]` next ones in `goals`."""

    counts: Ints  # (kernels,)
    goals: Ints  # (jumps,)
    chances: Floats  # (jumps,): of each jump where there is one; those of a kernel add up to 1
    jump_rates: Floats  # (kernels,): how likely a jump is there, over what `stay` asks for


def no_jumps(kernels: int) -> JumpTable:
    """Return a table that leaves jumps to the density."""
    return JumpTable(np.zeros(kernels, dtype=np.intp), np.zeros(0, dtype=np.intp), np.zeros(0), np.ones(kernels))


def joined(tables: list[JumpTable]) -> JumpTable:
    """Return the tables of classes whose kernels come one after the other."""
    firsts = np.cumsum([0, *(len(table.counts) for table in tables)])
    goals = [table.goals + first for table, first in zip(tables, firsts[:-1], strict=True)]
    counts, _, chances, jump_rates = (np.concatenate(columns) for columns in zip(*tables, strict=True))
    return JumpTable(counts, np.concatenate(goals), chances, jump_rates)


def jump_table(jumps: Jumps, runs: list[Span], rate: float) -> JumpTable:
    """Return chances of jumps (sorted by `here`); `rate` is the chance of a jump per frame if all kernels are alike.

    Following a kernel costs the logarithm of how often it was followed so far. In every round chances move towards
    what costs less; the result is the mean flow of all rounds, later ones counting more (Frank and Wolfe's
    method for the flow of greatest entropy).
    """
    kernels = runs[-1][1]
    if not len(jumps.here) or kernels > MOST_KERNELS:
        return no_jumps(kernels)
    flow = _even_flow(_Paths(jumps, runs, rate), len(jumps.here))
    chances = flow.jumping / np.maximum(flow.resting[jumps.here], LEAST)
    leaving = np.bincount(jumps.here, chances, minlength=kernels)
    return JumpTable(
        np.bincount(jumps.here, minlength=kernels), jumps.there,
        rounded(chances / np.maximum(leaving[jumps.here], LEAST)), rounded(leaving / rate),
    )  # fmt: skip


def _even_flow(paths: _Paths, jumps: int) -> Flow:
    """Return the mean flow of all rounds."""
    change, weight, mean = np.zeros(jumps), 0.0, None
    for number in range(1, ROUNDS + 1):
        flows = paths.flows(paths.chances(change))
        weight += number
        share = number / weight
        before = mean or flows.mean
        mean = Flow(*(a + share * (b - a) for a, b in zip(before, flows.mean, strict=True)))
        # Costs stop falling below a hundredth of a kernel's due: the logarithm of 0 has no bound.
        cost = np.log(np.maximum(mean.followed, 1e-2))
        # How strongly chances respond to costs.
        gain = np.clip(0.5 * paths.gains(flows, cost), -GREATEST, GREATEST)
        change += STEP * (gain - change)
    assert mean is not None
    return mean


class Flow(NamedTuple):
    """Frequencies relative to the share that each kernel is due."""

    resting: Floats  # (kernels,): a kernel is followed and may be left
    jumping: Floats  # (jumps,): a jump is made
    followed: Floats  # (kernels,): a kernel is followed


class Flows(NamedTuple):
    """The stationary flow of some chances, and the matrix of future costs."""

    chances: Floats
    mean: Flow
    to_come: Floats  # (kernels, kernels): 1 - HORIZON P


class _Paths:
    """Successors of frames: the next one, or a jump, whose offset has to be gone before the next jump."""

    def __init__(self, jumps: Jumps, runs: list[Span], rate: float) -> None:
        self.jumps, self.kernels = jumps, runs[-1][1]
        stops = np.repeat([stop for _, stop in runs], [stop - start for start, stop in runs])
        self.goes_on: Bools = np.arange(self.kernels) < stops - 1
        self.landing = jumps.landings(runs)
        nearest = np.full(self.kernels, np.inf)
        np.minimum.at(nearest, jumps.here, jumps.squares)
        density = np.exp(-0.5 * np.minimum(jumps.squares - nearest[jumps.here], 80.0))
        density /= np.bincount(jumps.here, density, minlength=self.kernels)[jumps.here]
        self.base: Floats = density * np.where(self.goes_on[jumps.here], rate, 1.0)

    def chances(self, change: Floats) -> Floats:
        """Return the chance of each jump per frame at its kernel, the density's changed by these logarithms."""
        weight = self.base * np.exp(np.clip(change, -GREATEST, GREATEST))
        total = np.bincount(self.jumps.here, weight, minlength=self.kernels) + self.goes_on
        return np.asarray(weight / total[self.jumps.here])

    def flows(self, chances: Floats) -> Flows:
        """Return the stationary flow of these chances."""
        n, (here, there) = self.kernels, self.jumps[:2]
        onward = np.flatnonzero(self.goes_on)
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
        return Flows(chances, Flow(resting / due, jumping / due, followed / due), to_come)

    def gains(self, flows: Flows, cost: Floats) -> Floats:
        """Return how much less each jump costs than continuing, future costs included: (jumps,).

        The future cost is the solution of V = cost + HORIZON P V, with P the transition matrix.
        """
        n, (here, there), chances = self.kernels, self.jumps[:2], flows.chances
        until = np.concatenate([[0.0], np.cumsum(cost)])
        frames, along = self.landing - there, until[self.landing] - until[there]
        costs = cost + np.bincount(here, chances * along, minlength=n)
        times = 1.0 + np.bincount(here, chances * frames, minlength=n)
        usual = float(flows.mean.resting @ costs) / float(flows.mean.resting @ times)
        ahead = np.linalg.solve(flows.to_come, costs - usual * times)
        by_jump = along - usual * frames + HORIZON * ahead[self.landing]
        going_on = np.bincount(here, self.base * by_jump, minlength=n)  # where a run ends: its jumps on average
        onward = np.flatnonzero(self.goes_on)
        going_on[onward] = HORIZON * ahead[onward + 1]
        return np.asarray(going_on[here] - by_jump)
