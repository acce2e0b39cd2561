"""Compiled translation: one row of the source in, 0, 1 or more rows of the target style out (Hsu 2005, §4.4)."""

import math
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled
from freshtake.style.body_coding import Coding, coded, uncode
from freshtake.style.columns import unlikeness
from freshtake.style.systems.state_kernels import Modal, run_modal

WALK = 7  # numbers of `walk`:
STARTED, AHEAD, ALONG, ACROSS, TURNED, SWAY, LEVEL = range(WALK)
PART_STATE = 4  # numbers per body part of `part_state`:
ENVELOPE, ENGAGED, SHARE, SLOPE = range(PART_STATE)
STEEPEST = 4.0  # the largest factor by which a style is faster or slower than the source
RELEASE = 0.5  # seconds in which unlikeness decays: about half a gait cycle
ENGAGE, DISENGAGE = 0.5, 0.1  # weights (eq. 8) above which the input is preserved, and below which it no longer is
QUICKNESS = 12.0  # per second: rate of the spring between style and input, which covers 90 % in 0.3 s
LEVELLING = 2.0  # seconds over which the mean of the heading's sway is removed
Place = tuple[float, float, float]  # along, across, heading


class Frames(NamedTuple):
    """Everything that translation needs besides the systems: normalizations, columns and settings.

    Timing and travel belong to the body part of the root.
    """

    source_mean: Floats
    source_deviation: Floats
    target_mean: Floats
    target_deviation: Floats
    reach: Floats  # (DOFs,): weight in eq. 7 of the distance from the mean (in deviations), divided by k_c
    root: Ints  # columns of forward speed, sideways speed and turn rate
    part: Ints  # (DOFs,): number of the body part
    speeds: Floats  # (2, 3): range of the root's rates in the examples
    strength: Floats  # (parts,): how much of the style to apply
    frame_time: float
    preference: float  # k_p of eq. 8
    warped: bool  # whether the timing changes
    general: bool  # whether input that is unlike the examples is preserved
    later: float  # added to log w
    widest: float  # bound on the sway of the heading
    calming: float  # seconds
    slowest: float  # speed of the source below which the style's travel fades


class TranslationState(NamedTuple):
    """The memory between frames, of constant size; it can be stored, copied and resumed."""

    systems: Floats
    walk: Floats  # see retimed
    pose: Floats
    part_state: Floats  # see update_shares
    calm: Floats  # see calmed
    started: bool


class Readings(NamedTuple):
    """The readings of each source row: blend weights (rows, parts), and classifier values.

    `values` (rows, annotations), empty if not requested, are the products of the state with
    `directions` (annotations, features).
    """

    blends: Floats
    directions: Floats
    values: Floats


class Written(NamedTuple):
    """The kernel's output: rows, and the source frame of each."""

    rows: Floats
    origins: Floats


@compiled
def calmed(rows: Floats, calm: Floats, seconds: float, frame_time: float) -> Floats:
    """Smooth rows by two successive low-pass filters; `calm` (2, DOFs) is their state, changed in place.

    In a recording the joints of a limb compensate each other, so the end of the limb moves smoothly. Systems of single
    joints would undo this, and hands and feet would shake.
    """
    out = np.empty_like(rows)
    # The exact decay of one frame, not dt / seconds: the smoothing is then the same at every rate, and never unstable.
    share = 1.0 - math.exp(-frame_time / seconds) if seconds > 0.0 else 1.0
    for t in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            calm[0, k] += share * (rows[t, k] - calm[0, k])
            calm[1, k] += share * (calm[0, k] - calm[1, k])
            out[t, k] = calm[1, k]
    return out


@compiled
def normalized(rows: Floats, calm: Floats, frames: Frames) -> Floats:
    """Return the inputs of the systems: (value - mean) / deviation of the calmed rows."""
    out = calmed(rows, calm, frames.calming, frames.frame_time)
    for t in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            out[t, k] = (out[t, k] - frames.source_mean[k]) / frames.source_deviation[k]
    return out


@compiled
def driving(inputs: Floats, frames: Frames) -> Floats:
    """Clip the root's rates to the range of the examples: standing is not a very slow walk."""
    out = inputs.copy()
    for place in range(len(frames.root)):
        k = frames.root[place]
        low = (frames.speeds[0, place] - frames.source_mean[k]) / frames.source_deviation[k]
        high = (frames.speeds[1, place] - frames.source_mean[k]) / frames.source_deviation[k]
        for t in range(len(out)):
            out[t, k] = min(max(out[t, k], low), high)
    return out


@compiled
def blends_of(row: Floats, frames: Frames, out: Floats) -> None:
    """Write b* of a row for every part (Hsu 2005, eq. 8): the largest over its DOFs of z(value, mean, k_c dev) ^ k_p.

    z and its power grow with the distance, so only the farthest DOF matters. Departs from the paper: with k_c = k_p = 1
    the largest of a hundred DOFs is near 1 for any input, so k_c is measured and k_p is 30.
    """
    out[:] = 0.0
    for k in range(len(row)):
        away = abs(row[k])
        if k == frames.root[0]:  # A slower speed than usual leads to standing and is not unexpected.
            still = -frames.source_mean[k] / frames.source_deviation[k]
            away = max(min(still, 0.0) - row[k], row[k] - max(still, 0.0), 0.0)
        out[frames.part[k]] = max(out[frames.part[k]], away * frames.reach[k])
    for part in range(len(out)):
        out[part] = unlikeness(out[part]) ** frames.preference


@compiled
def update_shares(part_state: Floats, blends: Floats, frames: Frames, first: bool) -> None:
    """Update how much of the style every part takes, smoothly in time; `part_state` (parts, 4) changes in place.

    Departs from the paper: eq. 8 as printed flips with every frame. Here its weight decays slowly and counts only if it
    was large recently, and style and input are crossfaded by a critically damped spring.
    """
    dt = frames.frame_time
    for part in range(len(part_state)):
        state = part_state[part]
        state[ENVELOPE] = max(blends[part], state[ENVELOPE] * math.exp(-dt / RELEASE))
        # Two thresholds instead of one: a weight that hovers about a single threshold would switch with every step.
        if state[ENVELOPE] > ENGAGE:
            state[ENGAGED] = 1.0
        elif state[ENVELOPE] < DISENGAGE:
            state[ENGAGED] = 0.0
        goal = frames.strength[part] * (1.0 - state[ENGAGED] * state[ENVELOPE])
        if first:
            state[SHARE], state[SLOPE] = goal, 0.0
            continue
        # The closed form of the spring over one frame, which cannot overshoot or blow up at low frame rates.
        away = state[SHARE] - goal
        rate = state[SLOPE] + QUICKNESS * away
        fading = math.exp(-QUICKNESS * dt)
        state[SHARE] = goal + (away + rate * dt) * fading
        state[SLOPE] = (state[SLOPE] - rate * QUICKNESS * dt) * fading


@compiled
def _levelled(sway: float, walk: Floats, frames: Frames) -> float:
    """Return the sway minus its recent mean, which is part of the state, within its bounds."""
    # A lasting sway would be a turn that the source did not make.
    walk[LEVEL] += (sway - walk[LEVEL]) * frames.frame_time / LEVELLING
    bounded: float = max(-frames.widest, min(frames.widest, sway - walk[LEVEL]))
    return bounded


@compiled
def going(row: Floats, frames: Frames) -> float:
    """Return the speed divided by the slowest speed of the examples: 0 for standing, at most 1.

    Below the slowest speed the systems have no data, and their output would continue at the style's usual speed.
    """
    square = 0.0
    for k in frames.root[:2]:
        square += (row[k] * frames.source_deviation[k] + frames.source_mean[k]) ** 2
    speed, slowest = math.sqrt(square), frames.slowest
    return speed / slowest if speed < slowest else 1.0


@compiled
def stride_ratio(frames: Frames) -> float:
    """Return the style's mean speed divided by the source's; 1 if the source does not travel."""
    k = frames.root[0]
    # If the mean speed is less than its deviation, the examples move to and fro, and the ratio of such means is random.
    travels = abs(frames.source_mean[k]) > frames.source_deviation[k]
    return frames.target_mean[k] / frames.source_mean[k] if travels else 1.0


@compiled
def travelled(row: Floats, styled: tuple[float, float], ratio: float, frames: Frames) -> tuple[float, float]:
    """Return forward and sideways speed of the style for a source row; `styled` is the systems' output.

    Below the speeds of the examples the style fades to standing and to walking backwards, as the source does. Speeds
    above the examples' are passed on, and so are larger sideways speeds.
    """
    forward, sideways = frames.root[0], frames.root[1]
    ahead = row[forward] * frames.source_deviation[forward] + frames.source_mean[forward]
    aside = row[sideways] * frames.source_deviation[sideways] + frames.source_mean[sideways]
    # Styles of walking backwards have a negative mean: "faster" is measured in the examples' direction.
    sign = 1.0 if frames.source_mean[forward] >= 0.0 else -1.0
    slowest = frames.slowest
    pace = max(sign * ahead / slowest, -1.0) if sign * ahead < slowest else 1.0
    fastest = frames.speeds[1, 0] if sign > 0.0 else -frames.speeds[0, 0]
    more = sign * max(sign * ahead - fastest, 0.0)
    # The inputs of the systems are clipped (see driving), so the difference is added here.
    beyond = aside - min(max(aside, frames.speeds[0, 1]), frames.speeds[1, 1])
    return pace * styled[0] + ratio * more, going(row, frames) * styled[1] + ratio * beyond


@compiled
def restored(
    rows: Floats, inputs: Floats, outputs: Floats, frames: Frames, walk: Floats, part_state: Floats, blends: Floats
) -> None:
    """Denormalize outputs in place, and blend in the source where it is unlike the examples.

    The last column becomes log w, and the column of the turn rate the sway of the heading, whose mean is removed.
    """
    d, ratio = rows.shape[1], stride_ratio(frames)
    forward, sideways, turn = frames.root[0], frames.root[1], frames.root[2]
    body, now = frames.part[turn], np.zeros(len(part_state))
    for t in range(rows.shape[0]):
        if frames.general:
            blends_of(inputs[t], frames, now)
        update_shares(part_state, now, frames, t == 0 and walk[STARTED] < 0.5)
        for part in range(len(part_state)):
            blends[t, part] = part_state[part, ENGAGED] * part_state[part, ENVELOPE]
        # Outputs have one DOF more than the source: log w, with its mean and deviation.
        pace = going(inputs[t], frames)
        for k in range(d + 1):
            outputs[t, k] = outputs[t, k] * frames.target_deviation[k] + frames.target_mean[k]
        styled = travelled(inputs[t], (outputs[t, forward], outputs[t, sideways]), ratio, frames)
        outputs[t, forward], outputs[t, sideways] = styled
        for k in range(d):
            if k != turn:
                outputs[t, k] = rows[t, k] + part_state[frames.part[k], SHARE] * (outputs[t, k] - rows[t, k])
        timing = part_state[body, SHARE] * pace  # The source has no log w and no sway, so these are scaled.
        outputs[t, d] = timing * (outputs[t, d] + frames.later)
        outputs[t, turn] = _levelled(timing * outputs[t, turn], walk, frames)


@compiled
def _written_between(
    before: Place, after: Place, ahead: float, w: float, t: int, pose: Floats, y: Floats, frames: Frames, out: Written,
    written: int,
) -> tuple[int, float, float, float]:  # fmt: skip
    """Write the rows between two source rows that are w frames apart; return their number and the last row's place."""
    forward, sideways, turn = frames.root[0], frames.root[1], frames.root[2]
    dt = frames.frame_time
    last_g, last_s, last_h, count = 0.0, 0.0, 0.0, 0
    while count + 1 <= ahead + w:
        count += 1
        share = (count - ahead) / w
        g = before[0] + share * (after[0] - before[0])
        s = before[1] + share * (after[1] - before[1])
        h = before[2] + share * (after[2] - before[2])
        row = out.rows[written + count - 1]
        for k in range(len(pose)):
            row[k] = pose[k] + share * (y[k] - pose[k])
        # Decoding reads speeds as the path from row to row, in the heading of the earlier row. Interpolated speeds
        # would not add up to this path.
        cosine, sine = math.cos(last_h), math.sin(last_h)
        row[forward] = ((g - last_g) * cosine + (s - last_s) * sine) / dt
        row[sideways] = ((s - last_s) * cosine - (g - last_g) * sine) / dt
        row[turn] = (h - last_h) / dt
        out.origins[written + count - 1] = t - 1.0 + share
        last_g, last_s, last_h = g, s, h
    return count, last_g, last_s, last_h


@compiled
def retimed(rows: Floats, outputs: Floats, walk: Floats, pose: Floats, frames: Frames, out: Written) -> int:
    """Step through the outputs and write a row whenever a full frame of the target's time has passed.

    Source row t lasts w[t] frames. `walk` and `pose` are the state, changed in place: the lead of the last source row
    over the last row written (in frames, along, across and in heading), and its pose. The heading is that of the source
    plus the sway.
    """
    d, written = rows.shape[1], 0
    forward, sideways, turn = frames.root[0], frames.root[1], frames.root[2]
    dt = frames.frame_time
    for t in range(rows.shape[0]):
        y = outputs[t]
        # The first row is written unchanged: there is no earlier row to interpolate from.
        if walk[STARTED] < 0.5:
            for k in range(d):
                pose[k] = y[k]
                out.rows[written, k] = y[k]
            out.rows[written, turn] = rows[t, turn]
            out.origins[written] = t
            written += 1
            walk[STARTED], walk[SWAY] = 1.0, y[turn]
            continue
        w = 1.0
        if frames.warped:
            limit = math.log(STEEPEST)
            w = math.exp(max(-limit, min(limit, y[d])))
        a0, g0, s0, h0 = walk[AHEAD], walk[ALONG], walk[ACROSS], walk[TURNED]
        cosine, sine = math.cos(h0), math.sin(h0)
        way = w * dt
        g1 = g0 + way * (y[forward] * cosine - y[sideways] * sine)
        s1 = s0 + way * (y[forward] * sine + y[sideways] * cosine)
        h1 = h0 + rows[t, turn] * dt + y[turn] - walk[SWAY]
        before, after = (g0, s0, h0), (g1, s1, h1)
        count, last_g, last_s, last_h = _written_between(before, after, a0, w, t, pose, y, frames, out, written)
        written += count
        # The remainder is stored relative to the last row written, so numbers stay small however long the stream runs.
        cosine, sine = math.cos(last_h), math.sin(last_h)
        walk[AHEAD] = a0 + w - count
        walk[ALONG] = (g1 - last_g) * cosine + (s1 - last_s) * sine
        walk[ACROSS] = (s1 - last_s) * cosine - (g1 - last_g) * sine
        walk[TURNED] = h1 - last_h
        walk[SWAY] = y[turn]
        for k in range(d):
            pose[k] = y[k]
    return written


@compiled
def styled(
    state: TranslationState, rows: Floats, bank: Modal, frames: Frames, body: Coding, readings: Readings
) -> tuple[Floats, Floats]:
    """Return coded rows and the outputs of state-space systems, log w last; changes the state."""
    rows = coded(rows, body)
    inputs = normalized(rows, state.calm, frames)
    driven = driving(inputs, frames)
    outputs = np.zeros((rows.shape[0], rows.shape[1] + 1))
    seen = np.empty((len(readings.values), len(state.systems)))
    run_modal(state.systems, driven, outputs, bank, seen)
    for t in range(len(seen)):
        for k in range(readings.values.shape[1]):
            of_states, of_inputs = readings.directions[k, : seen.shape[1]], readings.directions[k, seen.shape[1] :]
            readings.values[t, k] = _product(seen[t], of_states) + _product(driven[t], of_inputs)
    restored(rows, inputs, outputs, frames, state.walk, state.part_state, readings.blends)
    return rows, outputs


@compiled
def _product(a: Floats, b: Floats) -> float:
    total = 0.0
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@compiled
def translate(
    state: TranslationState, rows: Floats, bank: Modal, frames: Frames, body: Coding, readings: Readings, out: Written
) -> int:
    """Translate into the target's time and to joints; return the number of rows written."""
    source, outputs = styled(state, rows, bank, frames, body, readings)
    count = retimed(source, outputs, state.walk, state.pose, frames, out)
    uncode(out.rows[:count], body)
    return count
