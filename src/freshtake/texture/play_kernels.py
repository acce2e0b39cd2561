"""Compiled functions: the best jumps of every frame, future costs, the chain's stationary visits, and playback."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled, uncounted

Numbers = npt.NDArray[np.int32]


class Frames(NamedTuple):
    """The data per frame from which costs of jumps are computed.

    `here` (frames, c) are weighted poses, `speed` (frames, c*) weighted velocities, `change` (frames, c) changes of the
    pose; `ahead`, `speed_ahead` and `change_ahead` are the same for the following frame. `gone` (frames,) is the
    distance that the pose has moved since the start of the take, in mean frame steps.
    """

    here: Floats
    ahead: Floats
    speed: Floats
    speed_ahead: Floats
    change: Floats
    change_ahead: Floats
    take: Ints
    first: Ints  # first frame of each frame's take
    last: Ints
    gone: Floats


@compiled
def _cost(ahead: Floats, speed_ahead: Floats, i: int, here: Floats, speed: Floats, j: int) -> float:
    """Return the cost of a jump from frame i to frame j: the poses' distance plus the velocities' distance."""
    pose, change = 0.0, 0.0
    for a in range(here.shape[1]):
        d = ahead[i, a] - here[j, a]
        pose += d * d
    for a in range(speed.shape[1]):
        d = speed_ahead[i, a] - speed[j, a]
        change += d * d
    return np.sqrt(pose) + np.sqrt(change)


@compiled
def _first_beyond(arc_length: Floats, j: int, stop: int, reach: float) -> int:
    """Return the first frame after j whose arc length exceeds `reach`, or `stop`."""
    # Steps are doubled first, so that a near frame is found quickly, even in a cell of thousands of frames.
    low, high, step = j, j + 1, 1
    while high < stop and arc_length[high] - arc_length[j] <= reach:
        low, step = high, 2 * step
        high = min(high + step, stop)
    while high - low > 1:
        middle = (low + high) // 2
        if arc_length[middle] - arc_length[j] <= reach:
            low = middle
        else:
            high = middle
    return high


class Candidates(NamedTuple):
    """Possible targets of jumps: their cells, the ends of stretches in a cell, and the cumulative movement."""

    cells: Ints
    stops: Ints
    arc_length: Floats  # (frames,): cumulative costs of steps from each frame to the next
    band: int
    rest: int


@compiled
def best_jumps(
    frames: Frames, cell_of: Ints, cells: Ints, band: int, rest: int, targets: Numbers, costs: Floats
) -> None:
    """Find the cheapest jumps of every frame i into cell `cell_of[i]`, at local minima over the target.

    Jumps within `band` frames of the next frame, or to the last `rest` frames of a take, are left out. So are jumps
    that reverse the movement, or whose target is less than `band` frames' usual movement away in the same take:
    otherwise a body that stands still would jump all the time.
    """
    count, k = targets.shape
    arc_length, stops = np.zeros(count), np.empty(count, dtype=np.intp)
    for j in range(1, count):
        arc_length[j] = arc_length[j - 1] + _cost(frames.here, frames.speed, j - 1, frames.here, frames.speed, j)
    for j in range(count - 1, -1, -1):
        stops[j] = stops[j + 1] if j + 1 < count and cells[j + 1] == cells[j] else j + 1
    among = Candidates(cells, stops, arc_length, band, rest)
    for i in range(count):
        # The jumps of the previous frame are nearly as good and give a bound. A bound that is too low is dropped.
        bound = 1.25 * costs[i - 1, k - 1] if i and cell_of[i] == cell_of[i - 1] else np.inf
        _best_from(i, cell_of[i], bound, frames, among, targets[i], costs[i])
        if costs[i, k - 1] == np.inf and bound < np.inf:
            _best_from(i, cell_of[i], np.inf, frames, among, targets[i], costs[i])


@uncounted
def _best_from(
    i: int, cell: int, bound: float, frames: Frames, among: Candidates, targets: Numbers, costs: Floats
) -> None:
    """Fill targets and costs (k,) with the best jumps of frame i that cost less than `bound`, cheapest first."""
    count, c = frames.here.shape
    here, speed, ahead, speed_ahead = frames.here, frames.speed, frames.ahead, frames.speed_ahead
    k = len(targets)
    for slot in range(k):
        targets[slot] = -1
        costs[slot] = np.inf
    j = 0
    while j < count:
        stop = among.stops[j]
        if among.cells[j] != cell:
            j = stop
            continue
        before, cost = np.inf, _cost(ahead, speed_ahead, i, here, speed, j)
        while j < stop:
            worst = min(bound, costs[k - 1])
            if not cost < worst:
                # By the triangle inequality, no frame can be cheap enough until the frames have moved by the excess of
                # this cost. In long takes this skips nine frames of ten.
                j = _first_beyond(among.arc_length, j, stop, (cost - worst) * (1.0 - 1e-9))
                before = np.inf
                if j < stop:
                    cost = _cost(ahead, speed_ahead, i, here, speed, j)
                continue
            after = _cost(ahead, speed_ahead, i, here, speed, j + 1) if j + 1 < stop else np.inf
            # Neighbors of a minimum are the same jump a frame earlier or later and would fill all slots.
            lowest = not (j > frames.first[j] and before < cost) and not (j < frames.last[j] and after <= cost)
            if lowest and frames.last[j] - j >= among.rest and not _near(frames, i, j, among.band):
                along, back = 0.0, 0.0
                for a in range(c):
                    along += frames.change_ahead[i, a] * frames.change[j, a]
                    back += frames.change[i, a] * frames.change[j, a]
                # A limb's poses on the way out and back are similar: only the direction of change distinguishes them.
                if not (along < 0.0 or back < 0.0):
                    slot = k - 1
                    while slot > 0 and costs[slot - 1] > cost:
                        costs[slot] = costs[slot - 1]
                        targets[slot] = targets[slot - 1]
                        slot -= 1
                    costs[slot] = cost
                    targets[slot] = j
            before, cost = cost, after
            j += 1


@compiled
def _near(frames: Frames, i: int, j: int, band: int) -> bool:
    """Return whether frame j is soon after or before frame i, in frames or in usual movement."""
    if frames.take[j] != frames.take[i]:
        return False
    return abs(j - i - 1) <= band or abs(frames.gone[j] - frames.gone[i]) <= band


@compiled
def costs_to_come(successor: Ints, targets: Numbers, costs: Floats, discount: float, rounds: int) -> Floats:
    """Find m_i: the lowest sum of costs after frame i, each frame weighted `discount` times the previous one."""
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
                # A dead end must be costlier than any continuation, but finite, so that rounds converge.
                best = 1e6
            moved = max(moved, abs(best - least[i]))
            least[i] = best
        if moved < 1e-9:
            break
    return least


@compiled
def visiting(successor: Ints, onward: Floats, targets: Numbers, chances: Floats, share: Floats, rounds: int) -> Floats:
    """Compute the fraction of visits to each frame in the long run (the chain's stationary shares) from a guess."""
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
        for i in range(count):  # in the order of playback, so that one round passes through complete takes
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


# The state of playback, as integers: the frame shown last, frames since the last jump (-1: nothing shown yet); target,
# inserted frames so far and total of a blend in progress; and how much of the plan has been used.
FRAME, SINCE, GOAL, STEP, LENGTH, PLANNED, STATE = 0, 1, 2, 3, 4, 5, 6
NO_BLEND, CONSTANT, VARIABLE = 0, 1, 2


class Rules(NamedTuple):
    """Rules of playback: frames without a jump after one, and how many frames a jump inserts."""

    hold: int
    blend: int  # NO_BLEND, CONSTANT or VARIABLE
    length: int  # frames of a constant blend
    step: float  # distance covered by one inserted frame of a variable blend


@compiled
def inserted(rules: Rules, poses: Floats, i: int, j: int) -> int:
    """Count the frames that a jump inserts: a fixed number, or b = |A_i - A_j| / s, rounded (Sattler 2004, eq. 11)."""
    if rules.blend == NO_BLEND:
        return 0
    if rules.blend == CONSTANT:
        return rules.length
    squared = 0.0
    for a in range(poses.shape[1]):
        d = poses[i, a] - poses[j, a]
        squared += d * d
    # A jump inserts at most 60 frames.
    return int(min(np.rint(np.sqrt(squared) / rules.step), 60))


class Chances(NamedTuple):
    """The jump map that is played: the probabilities of continuing (frames,) and of each jump (frames, k)."""

    successor: Ints  # -1 for frames without a successor
    onward: Floats
    targets: Numbers
    chances: Floats


class Playing(NamedTuple):
    """The state that changes from frame to frame, and the frames to be shown next."""

    state: Ints  # (STATE,)
    recent: Ints  # frames shown last, newest first
    plan: Ints


class PlayMaterial(NamedTuple):
    """The takes in the form that playback uses."""

    natural: Ints  # (frames,): the frame that follows in the take, or -1
    poses: Floats
    rules: Rules


@compiled
def play(draws: Floats, playing: Playing, chances: Chances, material: PlayMaterial, out: Numbers) -> None:
    """Show len(draws) frames: out (frames, 5) as in Played. State and recent frames change, nothing else.

    A plan (frames to show next) is followed first. Any step other than to the `natural` successor is a jump. Frames
    among the `recent` ones are not jumped to (Sattler 2004, §2.1) unless there is no other.
    """
    state, recent, plan = playing
    natural, poses, rules = material
    for t in range(len(draws)):
        out[t, 2] = 0
        out[t, 3] = 0
        out[t, 4] = -1
        if state[SINCE] < 0:
            # There was no jump before the first frame, so a jump may follow at once.
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
    """Draw the frame after i: the successor, or the target of a jump."""
    successor, onward, targets, chances = table
    if successor[i] >= 0 and since < hold:
        return successor[i]
    k = targets.shape[1]
    # The probabilities of recent frames are distributed to the others in proportion, as if these jumps did not exist.
    total = onward[i]
    for slot in range(k):
        if targets[i, slot] >= 0 and not _among(targets[i, slot], recent):
            total += chances[i, slot]
    remaining = draw * total - onward[i]
    if remaining < 0.0 and successor[i] >= 0:
        return successor[i]
    last = -1
    for slot in range(k):
        j = targets[i, slot]
        if j >= 0 and not _among(j, recent) and chances[i, slot] > 0.0:
            last = j
            remaining -= chances[i, slot]
            if remaining < 0.0:
                return j
    # Rounding can leave a remainder after the last jump: then the draw belongs to that jump.
    if last >= 0:
        return last
    if successor[i] >= 0:
        return successor[i]
    # Every jump leads to a recent frame and there is no successor: a repetition is better than a stop.
    return targets[i, 0] if targets[i, 0] >= 0 else i


@compiled
def _among(frame: int, recent: Ints) -> bool:
    is_recent = False
    for other in recent:
        if other == frame:
            is_recent = True
    return is_recent


class Steps(NamedTuple):
    """Steps from every frame: to the successor, or by a jump (frames, k) with a cost and a duration."""

    successor: Ints  # (frames,): -1 where there is none
    targets: Numbers
    costs: Floats
    durations: Numbers


@compiled
def path_costs(start: int, length: int, steps: Steps, penalty: Floats, least: Floats, origin: Numbers) -> None:
    """Find the lowest costs of being at each frame after t = 0 ... length frames from `start`, and the predecessors.

    `least` (length + 1, frames) is filled, and so is `origin`, with the previous frame + frames * (1 + slot of the
    jump, or 0 for continuing); `penalty` (frames,) is the cost of leaving a frame.
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
            # The penalty is paid on leaving, so that a closed path pays for its anchor once, not twice.
            here += penalty[i]
            j = successor[i]
            if j >= 0 and here < least[t + 1, j]:
                least[t + 1, j] = here
                origin[t + 1, j] = i
            for slot in range(k):
                j = targets[i, slot]
                if j < 0:
                    continue
                # Jumps that insert frames arrive later: without their duration a loop would not have the requested
                # length.
                there = t + durations[i, slot]
                if there <= length and here + costs[i, slot] < least[there, j]:
                    least[there, j] = here + costs[i, slot]
                    origin[there, j] = i + count * (1 + slot)


@compiled
def arrival_costs(goal: Ints, successor: Ints, targets: Numbers, costs: Floats, horizon: int, least: Floats) -> None:
    """Fill least (horizon + 1, frames): the cheapest path into the goal (0 or 1 per frame) within h frames, or inf."""
    count, k = targets.shape
    for i in range(count):
        least[0, i] = 0.0 if goal[i] else np.inf
    for h in range(1, horizon + 1):
        for i in range(count):
            # Paths shorter than h frames are included, so that costs never rise with h and `_followed` may arrive
            # early.
            best = least[h - 1, i]
            if successor[i] >= 0:
                best = min(best, least[h - 1, successor[i]])
            for slot in range(k):
                j = targets[i, slot]
                if j >= 0:
                    best = min(best, costs[i, slot] + least[h - 1, j])
            least[h, i] = best
