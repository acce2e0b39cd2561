"""Blend cyclic classes, online: each class is followed separately in a common phase, and poses are mixed by weight."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.density.class_cycles import Cycles
from freshtake.density.jumps import AGE, DRIVE, FARTHER, FIELDS, PACE, PLACE, PLAN, RUN, SPAN, Following, Rates, Track
from freshtake.density.runs import fading, read_at
from freshtake.density.synthesize import CHANCES, bell, follow
from freshtake.motion.tempo import FASTEST_PACE, SLOWEST_PACE
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled

AT_ONCE = 0.67  # seconds over which an abrupt change of weights is reached
PHASE, SINCE = range(2)  # fields of `common`
WAS, BEFORE, GAP, SPEED, ASKED, ACTIVE = range(6)  # rows of `shares`


@compiled
def wrapped(angle: float) -> float:
    """Wrap an angle to -pi to pi."""
    return angle - 2.0 * np.pi * float(np.floor(angle / (2.0 * np.pi) + 0.5))


@compiled
def pace_at(cycles: Cycles, track: Track, clock: Floats) -> float:
    """Return the present pace of a class, in radians per frame."""
    here = int(clock[RUN])
    return float(cycles.paces[min(max(int(clock[PLACE]), track.firsts[here]), track.lasts[here])])


@compiled
def phase_at(cycles: Cycles, track: Track, clock: Floats) -> float:
    """Return the present phase of a class, in radians."""
    here = int(clock[RUN])
    k = min(max(int(clock[PLACE]), track.firsts[here]), track.lasts[here])
    return float(cycles.phases[k] + (clock[PLACE] - k) * cycles.paces[k])


@compiled
def enter(
    cycles: Cycles, track: Track, history: Floats, clock: Floats, owner: int, phase: float, chance: float
) -> None:
    """Begin to follow a class at a random kernel of this phase."""
    count, nearest, chosen = 0, np.inf, -1
    for k in range(len(cycles.phases)):
        if track.owners[k] == owner and cycles.allowed[k]:
            off = abs(wrapped(phase - cycles.phases[k]))
            count += off <= 0.5 * cycles.paces[k]
            if off < nearest:
                nearest, chosen = off, k
    pick = int(chance * count)
    for k in range(len(cycles.phases)):
        mine = track.owners[k] == owner and cycles.allowed[k]
        if mine and abs(wrapped(phase - cycles.phases[k])) <= 0.5 * cycles.paces[k]:
            if pick == 0:
                chosen = k
            pick -= 1
    first, last = track.firsts[chosen], track.lasts[chosen]
    place = chosen + wrapped(phase - cycles.phases[chosen]) / cycles.paces[chosen]
    place = min(max(place, float(first)), float(last))
    clock[PLACE], clock[RUN], clock[AGE], clock[SPAN], clock[PACE] = place, float(chosen), 0.0, 0.0, 1.0
    width = history.shape[1]
    read_at(track.rows, place, first, last, width, history[0])
    read_at(track.rows, place - 1.0, first, last, width, history[1])
    history[2:] = 0.0


@compiled
def update_shares(shares: Floats, common: Floats, weights: Floats, fastest: float, span: float) -> None:
    """Update the weights of this frame: the requested weights, or a transition to them after an abrupt change."""
    count = shares.shape[1]
    step = 0.0
    for c in range(count):
        step = max(step, abs(weights[c] - shares[ASKED, c]))
    if step > fastest:
        for c in range(count):
            shares[GAP, c] = shares[WAS, c] - weights[c]
            shares[SPEED, c] = shares[WAS, c] - shares[BEFORE, c]
        common[SINCE] = 0.0
    common[SINCE] += 1.0
    keep, push = fading(common[SINCE], span)
    total = 0.0
    for c in range(count):
        now = max(weights[c] + keep * shares[GAP, c] + push * shares[SPEED, c], 0.0)
        shares[BEFORE, c], shares[WAS, c], shares[ASKED, c] = shares[WAS, c], now, weights[c]
        total += now
    shares[WAS] /= total


class Mixing(NamedTuple):
    """The state that changes from frame to frame while classes are mixed."""

    history: Floats  # (2 classes, 4, width): two motions per class, see blend_frames
    clock: Floats  # (2 classes, fields)
    shares: Floats  # (6, classes): weights of the last frames
    common: Floats  # (2,): phase, and frames since an abrupt change of weights
    visits: Floats  # (blocks + classes,)
    wander: Floats  # (2, classes): smooth random share of the second motion


@compiled
def vary_pose(
    pose: Floats,
    other: Floats,
    wander: Floats,
    uniforms: Floats,
    rates: Rates,
    track: Track,
    owner: int,
    full_share: float,
) -> float:
    """Move a pose (1, width) towards or away from another pose of the same phase, by a smooth random share, in place.

    The distance in the modes is limited as for jumps. A share away from the other pose is limited by
    `track.away`, so that the motion is not sharper than `SHARPEST`. `full_share` scales the share. Returns the share.
    """
    modes, most_away, reach = track.modes, track.away[owner], FARTHER * track.farthest[owner]
    wander[1] = wander[1] * (1.0 - 1.0 / rates.memory) + np.sqrt(2.0 / rates.memory) * bell(uniforms[0], uniforms[1])
    wander[0] += (wander[1] - wander[0]) / rates.memory
    share, square = full_share * rates.novelty * np.sqrt(2.0) * wander[0], 0.0
    if share < 0.0:
        share = most_away * np.tanh(share / most_away) if most_away > 0.0 else 0.0
    for k in range(modes):
        square += (other[0, k] - pose[0, k]) ** 2
    far = abs(share) * np.sqrt(square)
    if far > 0.0:
        share *= reach * np.tanh(far / reach) / far
    for k in range(pose.shape[1]):
        pose[0, k] += share * (other[0, k] - pose[0, k])
    return float(share)


@compiled
def blend_frames(
    out: Floats, state: Mixing, track: Track, cycles: Cycles, rates: Rates, frame_time: float, weights: Floats,
    chances: Floats,
) -> None:  # fmt: skip
    """Synthesize frames (frames, width) for weights (frames, classes) and random numbers (frames, numbers).

    If `rates.novelty` is above 0, a second motion of every class is followed in the same phase, also drawn by the
    density. The pose moves from the first motion towards or away from the second by a random share.
    """
    history, clock, shares, common, visits, wander = state
    classes, after = weights.shape[1], 2 * weights.shape[1] * CHANCES
    other = np.empty((1, out.shape[1]))
    pose, single, credit = np.empty((1, out.shape[1])), np.ones((1, 1)), np.zeros(1)
    # A class returns to the common phase within a quarter of a second; its pace changes over a tenth.
    pull, ease = frame_time / 0.25, min(frame_time / 0.1, 1.0)
    for t in range(len(out)):
        update_shares(shares, common, weights[t], frame_time / AT_ONCE, AT_ONCE / frame_time)
        rate = 0.0
        for c in range(classes):
            share = shares[WAS, c]
            uniforms = chances[t, c * CHANCES : (c + 1) * CHANCES]
            if share > 0.0 and shares[ACTIVE, c] == 0.0:
                enter(cycles, track, history[c], clock[c], c, common[PHASE], uniforms[7])
                clock[c, DRIVE] = 0.0
                if rates.novelty > 0.0:
                    b = classes + c
                    enter(cycles, track, history[b], clock[b], c, common[PHASE], chances[t, b * CHANCES + 7])
                    clock[b, DRIVE] = 0.0
                    wander[:, c] = 0.0
            shares[ACTIVE, c] = 1.0 if share > 0.0 else 0.0
            if share > 0.0:
                rate += share * pace_at(cycles, track, clock[c])
        out[t] = 0.0
        pulled = 0.0
        for c in range(classes):
            share = shares[WAS, c]
            if share <= 0.0:
                continue
            voices = 2 if rates.novelty > 0.0 else 1
            for voice in range(voices):
                v = voice * classes + c
                off = wrapped(common[PHASE] - phase_at(cycles, track, clock[v]))
                # A single class sets the phase, whatever rounding leaves to the others.
                free = share >= (1.0 - 1e-9) and voice == 0
                drive = 1.0 if free else (rate + pull * off) / pace_at(cycles, track, clock[v])
                drive = min(max(drive, SLOWEST_PACE), FASTEST_PACE)
                before = clock[v, DRIVE]
                clock[v, DRIVE] = drive if before <= 0.0 else before + ease * (drive - before)
                uniforms = chances[t : t + 1, v * CHANCES : (v + 1) * CHANCES]
                target = pose if voice == 0 else other
                alone = Following(history[v], clock[v], credit, credit, visits)
                follow(target, alone, track, rates, single, uniforms, True)
            if voices == 2:
                if clock[c, AGE] <= 1.0:  # The offset of a new jump includes the share of the second motion.
                    wander[:, c] = 0.0
                full_share = 1.0 - fading(clock[c, AGE], clock[c, SPAN])[0]
                moved = vary_pose(pose, other, wander[:, c], chances[t, after + 2 * c :], rates, track, c, full_share)
                history[c, 0] += moved * (history[classes + c, 0] - history[c, 0])
            for k in range(out.shape[1]):
                out[t, k] += share * pose[0, k]
            pulled += share * wrapped(phase_at(cycles, track, clock[c]) - common[PHASE] - rate)
        common[PHASE] = wrapped(common[PHASE] + rate + pulled)


@dataclass(frozen=True, eq=False)
class MixState:
    """State between frames. It can be stored, forked and resumed."""

    mixing: Mixing
    first: bool = True  # the first frame has not been returned yet


def begin_mix(track: Track, cycles: Cycles, weights: Floats, rng: np.random.Generator) -> MixState:
    """Return the state before the first frame, at a kernel drawn by the weights (classes,)."""
    count, width = len(weights), track.rows.shape[1]
    history, clock, shares = np.zeros((2 * count, 4, width)), np.zeros((2 * count, FIELDS)), np.zeros((6, count))
    clock[:, PLAN] = -1.0
    clock[:, DRIVE] = 1.0
    chances = rng.random(2 + 2 * count)
    owner = min(int(np.searchsorted(np.cumsum(weights), chances[0], side="right")), count - 1)
    members = np.flatnonzero(cycles.allowed & (track.owners == owner))
    phase = float(cycles.phases[members[int(chances[1] * len(members))]])
    for c in np.flatnonzero(weights > 0.0):
        for k in (c, count + c):
            enter(cycles, track, history[k], clock[k], int(c), phase, float(chances[2 + k]))
    shares[[WAS, BEFORE, ASKED]] = weights
    shares[ACTIVE] = weights > 0.0
    visits = np.zeros(len(track.sizes) + count)
    common = np.array([phase, 0.0])
    # The last abrupt change of weights was long ago.
    common[SINCE] = 1e9
    return MixState(Mixing(history, clock, shares, common, visits, np.zeros((2, count))))


def advance_mix(
    state: MixState, track: Track, cycles: Cycles, rates: Rates, frame_time: float, weights: Floats,
    rng: np.random.Generator,
) -> tuple[MixState, Floats]:  # fmt: skip
    """Synthesize a frame per row of weights (frames, classes); return the state after them, and rows (frames, width).

    Synthesis frame by frame and in blocks gives the same motion.
    """
    count = weights.shape[1]
    out = np.empty((len(weights), track.rows.shape[1]))
    lead = 1 if state.first and len(out) else 0
    out[:lead] = state.mixing.shares[WAS] @ state.mixing.history[:count, 0]
    chances = rng.random((len(out) - lead, 2 * count * (CHANCES + 1)))
    after = Mixing(*(part.copy() for part in state.mixing))
    weights = np.ascontiguousarray(weights[lead:])
    blend_frames(out[lead:], after, track, cycles, rates, frame_time, weights, chances)
    return MixState(after, first=state.first and not lead), out
