"""Compiled loops: the best jumps of every frame, costs to come, the chain's long run, and play itself."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled

Numbers = npt.NDArray[np.int32]


class Frames(NamedTuple):
    """What jumps are judged by, per frame: where it is and where it would go on to.

    `here` and `ahead` (frames, c) are poses, `speed` and `speed_ahead` (frames, c*) velocities, already weighted;
    `change` and `change_ahead` (frames, c) how the pose changes; `gone` (frames,) how far it has moved since the take
    began, in mean frame steps.
    """

    here: Floats
    ahead: Floats
    speed: Floats
    speed_ahead: Floats
    change: Floats
    change_ahead: Floats
    take: Ints
    first: Ints  # of each frame's take
    last: Ints
    gone: Floats


@compiled
def costs_from(frames: Frames, i: int, first: int, out: Floats) -> None:
    """Costs of jumps from frame i to frame `first` and those after it: distance of poses, and of velocities, added.

    All at once, because a call per jump takes three times as long.
    """
    for k in range(len(out)):
        pose, speed = 0.0, 0.0
        for a in range(frames.here.shape[1]):
            d = frames.ahead[i, a] - frames.here[first + k, a]
            pose += d * d
        for a in range(frames.speed.shape[1]):
            d = frames.speed_ahead[i, a] - frames.speed[first + k, a]
            speed += d * d
        out[k] = np.sqrt(pose) + np.sqrt(speed)


@compiled
def best_jumps(
    frames: Frames, wanted: Ints, cells: Ints, band: int, rest: int, targets: Numbers, costs: Floats
) -> None:
    """The cheapest jumps of every frame into its wanted cell, at local minima over the target, none backward in pose.

    A jump within `band` frames of going on, or to one of the last `rest` frames of a take, is none. Nor is one to
    where the same take comes with less than `band` frames' usual movement: a body that stands would jump about there.
    """
    (count, c), k = frames.here.shape, targets.shape[1]
    row = np.empty(count)
    for i in range(count):
        row[:] = np.inf
        start = 0
        while start < count:  # stretches of frames of one cell
            stop = start + 1
            while stop < count and cells[stop] == cells[start]:
                stop += 1
            if cells[start] == wanted[i]:
                costs_from(frames, i, start, row[start:stop])
            start = stop
        for slot in range(k):
            targets[i, slot] = -1
            costs[i, slot] = np.inf
        for j in range(count):
            cost = row[j]
            if not cost < costs[i, k - 1] or frames.last[j] - j < rest:
                continue
            if frames.take[j] == frames.take[i] and (
                abs(j - i - 1) <= band or abs(frames.gone[j] - frames.gone[i]) <= band
            ):
                continue
            if (j > frames.first[j] and row[j - 1] < cost) or (j < frames.last[j] and row[j + 1] <= cost):
                continue
            along, before = 0.0, 0.0
            for a in range(c):
                along += frames.change_ahead[i, a] * frames.change[j, a]
                before += frames.change[i, a] * frames.change[j, a]
            if along < 0.0 or before < 0.0:
                continue
            slot = k - 1
            while slot > 0 and costs[i, slot - 1] > cost:
                costs[i, slot] = costs[i, slot - 1]
                targets[i, slot] = targets[i, slot - 1]
                slot -= 1
            costs[i, slot] = cost
            targets[i, slot] = j


@compiled
def costs_to_come(successor: Ints, targets: Numbers, costs: Floats, discount: float, rounds: int) -> Floats:
    """m_i: the least sum of costs from frame i on, each later frame's counting `discount` times the one before."""
    count, k = targets.shape
    least = np.zeros(count)
    for _ in range(rounds):
        moved = 0.0
        for i in range(count - 1, -1, -1):
            best = np.inf
            if successor[i] >= 0:
                best = discount * least[successor[i]]
            for slot in range(k):
                j = targets[i, slot]
                if j >= 0:
                    best = min(best, costs[i, slot] + discount * least[j])
            if best == np.inf:
                best = 1e6
            moved = max(moved, abs(best - least[i]))
            least[i] = best
        if moved < 1e-9:
            break
    return least


@compiled
def visiting(successor: Ints, onward: Floats, targets: Numbers, chances: Floats, share: Floats, rounds: int) -> Floats:
    """How often each frame is visited in the long run (the chain's stationary shares), from a first guess."""
    count, k = targets.shape
    flow = np.zeros(count)
    now = share.copy()
    for _ in range(rounds):
        flow[:] = 0.0
        for i in range(count):
            for slot in range(k):
                j = targets[i, slot]
                if j >= 0:
                    flow[j] += now[i] * chances[i, slot]
        total = 0.0
        for i in range(count):  # in the order of play, so that one round runs through whole takes
            before = flow[i]
            if i > 0 and successor[i - 1] == i:
                before += now[i - 1] * onward[i - 1]
            now[i] = before
            total += before
        moved = 0.0
        for i in range(count):
            now[i] /= total
            moved = max(moved, abs(now[i] - share[i]))
            share[i] = now[i]
        if moved < 1e-9:
            break
    return now


# The state of play, in whole numbers: the frame shown last, frames since the last jump (-1: nothing shown yet), and
# of a blend under way its target, inserted frames so far and their number; then how much of a plan is used up.
FRAME, SINCE, GOAL, STEP, LENGTH, PLANNED, STATE = 0, 1, 2, 3, 4, 5, 6
NO_BLEND, CONSTANT, VARIABLE = 0, 1, 2
LONGEST = 60  # frames that a jump inserts, at most


class Rules(NamedTuple):
    """How play goes: frames without a jump after one, and how many frames a jump inserts."""

    hold: int
    blend: int  # NO_BLEND, CONSTANT or VARIABLE
    length: int  # of a constant blend
    step: float  # distance that one inserted frame of a variable blend covers


@compiled
def inserted(rules: Rules, poses: Floats, i: int, j: int) -> int:
    """How many frames a jump inserts: a fixed number, or b = |A_i - A_j| / s, rounded (Sattler 2004, eq. 11)."""
    if rules.blend == NO_BLEND:
        return 0
    if rules.blend == CONSTANT:
        return rules.length
    squared = 0.0
    for a in range(poses.shape[1]):
        d = poses[i, a] - poses[j, a]
        squared += d * d
    return int(min(np.rint(np.sqrt(squared) / rules.step), LONGEST))


class Chances(NamedTuple):
    """The jump map that is played: the chance to go on (frames,), and of each jump (frames, k)."""

    successor: Ints  # -1 where a frame cannot go on
    onward: Floats
    targets: Numbers
    chances: Floats


class Playing(NamedTuple):
    """What changes from frame to frame, and the frames to be shown next."""

    state: Ints  # (STATE,)
    recent: Ints  # frames shown last, newest first
    plan: Ints


class PlayMaterial(NamedTuple):
    """The takes as play sees them."""

    natural: Ints  # (frames,): the frame that follows in the take, or -1
    poses: Floats
    rules: Rules


@compiled
def play(draws: Floats, playing: Playing, chances: Chances, material: PlayMaterial, out: Numbers) -> None:
    """Show len(draws) frames: out (frames, 5) as in Played. State and recent frames change, nothing else.

    A plan (frames to show next) is followed first. What is no step to the `natural` successor is a jump. A frame among
    the `recent` ones is not jumped to (Sattler 2004, §2.1) unless there is no other way.
    """
    state, recent, plan = playing
    natural, poses, rules = material
    for t in range(len(draws)):
        out[t, 2] = 0
        out[t, 3] = 0
        out[t, 4] = -1
        if state[SINCE] < 0:
            state[SINCE] = rules.hold
        elif state[LENGTH] > 0 and state[STEP] < state[LENGTH]:
            state[STEP] += 1
            out[t, 0] = state[FRAME]
            out[t, 1] = state[GOAL]
            out[t, 2] = state[STEP]
            out[t, 3] = state[LENGTH]
            continue
        elif state[LENGTH] > 0:
            out[t, 4] = state[FRAME]
            state[FRAME] = state[GOAL]
            state[LENGTH] = 0
            state[SINCE] = 0
        else:
            i = state[FRAME]
            if state[PLANNED] < len(plan):
                j = plan[state[PLANNED]]
                state[PLANNED] += 1
            else:
                j = _next(draws[t], i, state[SINCE], recent, chances, rules.hold)
            state[SINCE] += 1
            if j != natural[i]:
                length = inserted(rules, poses, i, j)
                if length > 0:
                    state[GOAL] = j
                    state[STEP] = 1
                    state[LENGTH] = length
                    out[t, 0] = i
                    out[t, 1] = j
                    out[t, 2] = 1
                    out[t, 3] = length
                    continue
                out[t, 4] = i
                state[SINCE] = 0
            state[FRAME] = j
        out[t, 0] = state[FRAME]
        out[t, 1] = state[FRAME]
        for slot in range(len(recent) - 1, 0, -1):
            recent[slot] = recent[slot - 1]
        if len(recent):
            recent[0] = state[FRAME]


@compiled
def _next(draw: float, i: int, since: int, recent: Ints, table: Chances, hold: int) -> int:
    """The frame after i: the successor, or one of the jumps, by chance."""
    successor, onward, targets, chances = table
    if successor[i] >= 0 and since < hold:
        return successor[i]
    k = targets.shape[1]
    total = onward[i]
    for slot in range(k):
        if targets[i, slot] >= 0 and not _among(targets[i, slot], recent):
            total += chances[i, slot]
    left = draw * total - onward[i]
    if left < 0.0 and successor[i] >= 0:
        return successor[i]
    last = -1
    for slot in range(k):
        j = targets[i, slot]
        if j >= 0 and not _among(j, recent) and chances[i, slot] > 0.0:
            last = j
            left -= chances[i, slot]
            if left < 0.0:
                return j
    if last >= 0:
        return last
    if successor[i] >= 0:
        return successor[i]
    return targets[i, 0] if targets[i, 0] >= 0 else i


@compiled
def _among(frame: int, recent: Ints) -> bool:
    found = False
    for other in recent:
        if other == frame:
            found = True
    return found


class Steps(NamedTuple):
    """Ways on from every frame: to the successor, or by a jump (frames, k) that costs something and takes its time."""

    successor: Ints  # (frames,): -1 where there is none
    targets: Numbers
    costs: Floats
    durations: Numbers


@compiled
def walk_costs(start: int, length: int, steps: Steps, toll: Floats, least: Floats, origin: Numbers) -> None:
    """Least costs of being at each frame after t = 0 ... length frames from `start`, and where from.

    `least` (length + 1, frames) is filled, and `origin` alike with the frame before + frames * (1 + slot of the jump,
    or 0 for going on); `toll` (frames,) is the cost of leaving a frame.
    """
    successor, targets, costs, durations = steps
    count, k = targets.shape
    for t in range(length + 1):
        for i in range(count):
            least[t, i] = np.inf
            origin[t, i] = -1
    least[0, start] = 0.0
    for t in range(length):
        for i in range(count):
            here = least[t, i]
            if here == np.inf:
                continue
            here += toll[i]
            j = successor[i]
            if j >= 0 and here < least[t + 1, j]:
                least[t + 1, j] = here
                origin[t + 1, j] = i
            for slot in range(k):
                j = targets[i, slot]
                if j < 0:
                    continue
                there = t + durations[i, slot]
                if there <= length and here + costs[i, slot] < least[there, j]:
                    least[there, j] = here + costs[i, slot]
                    origin[there, j] = i + count * (1 + slot)


@compiled
def arrival_costs(goal: Ints, successor: Ints, targets: Numbers, costs: Floats, horizon: int, least: Floats) -> None:
    """least (horizon + 1, frames): the cheapest way into the goal (0 or 1 per frame) within h frames, inf if none."""
    count, k = targets.shape
    for i in range(count):
        least[0, i] = 0.0 if goal[i] else np.inf
    for h in range(1, horizon + 1):
        for i in range(count):
            best = least[h - 1, i]
            if successor[i] >= 0:
                best = min(best, least[h - 1, successor[i]])
            for slot in range(k):
                j = targets[i, slot]
                if j >= 0:
                    best = min(best, costs[i, slot] + least[h - 1, j])
            least[h, i] = best
