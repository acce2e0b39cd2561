"""Synthesis, online (Lau 2009, §6): a state that is a value, blocks of frames, the model's parts passed in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import erf

from freshtake.numeric.arrays import Floats
from freshtake.variation.interpolation import smooth_values
from freshtake.variation.kernels import Noise, Tables, advance_block, shares_at

BLOCK = 32  # frames
SLOW_KNOTS = 1.5  # mean lengths of an example between knots of the slow process
FAST_KNOTS = 0.8
FADE = 2.0  # slow knots after which a stream has forgotten its start; an acyclic motion never does
RIDGE = 10.0  # how far examples must differ at the start, against their usual difference, to be told apart there
LARGEST = 1.5  # standard deviations of a start
MEMORY = 4  # knots that a moment of a smooth process depends on


class Controls(NamedTuple):
    """The numbers of synthesis, from the settings and the amount that the caller asks for."""

    scale: Floats  # (dofs,): amount of variation of every node
    shares: float
    leads: float  # frames
    tempo: float
    strays: float
    detail: float
    pace: float  # amount of variation of the pace at which the examples go through their phases
    rate: float  # of the mean pace
    coherence: Floats  # (dofs,): share of the variation of a node's shares that all have in common
    slow: float  # share of the slow process
    pull: float
    relax: float
    gain: float
    width: float
    velocity_weight: float


@dataclass(frozen=True, eq=False)
class SynthesisState:
    """Between blocks: pose, clock and the knots of the smooth processes. Can be kept, forked and resumed."""

    y: Floats
    velocity: Floats
    offsets: Floats
    clock: Floats  # (2,): frames so far, phase
    slow: Floats
    fast: Floats
    leads: Floats
    strays: Floats
    tempo: Floats
    start: Floats
    phases: Floats  # (frames,): of the rows of the last block
    slow_first: int = 0
    fast_first: int = 0
    ended: bool = False


class Mixing(NamedTuple):
    """How learned edges tie the nodes (see ties)."""

    shares: Floats  # (dofs, dofs)
    strays: Floats


def spacings(tables: Tables) -> tuple[float, float]:
    """Frames between knots of the slow and the fast process."""
    length = float(tables.places.shape[0])
    return SLOW_KNOTS * length, FAST_KNOTS * length


def share_knots(mixing: Mixing, controls: Controls, examples: int, count: int, rng: np.random.Generator) -> Floats:
    """Knots (count, examples, dofs + 1): tied by the network, partly common to all nodes."""
    dofs = len(mixing.shares)
    knots = rng.standard_normal((count, examples, dofs + 1))
    common = knots[..., dofs:]
    knots[..., :dofs] = controls.scale * (
        np.sqrt(controls.coherence) * common + np.sqrt(1.0 - controls.coherence) * knots[..., :dofs] @ mixing.shares.T
    )
    return knots


def stray_knots(mixing: Mixing, controls: Controls, count: int, rng: np.random.Generator) -> Floats:
    """Knots (count, dofs) of deviations that no example has, tied by the network with the signs of the edges.

    They are spread evenly over +-sqrt(3) instead of normally: a few large joints decide how far a variant is from the
    examples, and takes differ less in that than normal draws do.
    """
    knots = rng.standard_normal((count, len(mixing.strays))) @ mixing.strays.T
    return np.asarray(controls.scale * np.sqrt(3.0) * erf(knots / np.sqrt(2.0)))


def begin(
    tables: Tables, mixing: Mixing, controls: Controls, first_pose: Floats | None, rng: np.random.Generator
) -> SynthesisState:
    """The state before the first frame. `first_pose` (DOFs,) is what the prior network drew; None: the mean start."""
    examples, dofs = len(tables.firsts), tables.low.shape[1]
    slow = share_knots(mixing, controls, examples, MEMORY, rng)
    fast = share_knots(mixing, controls, examples, MEMORY, rng)
    leads = rng.standard_normal((MEMORY, dofs)) @ mixing.shares.T
    strays = stray_knots(mixing, controls, MEMORY, rng)
    tempo = rng.standard_normal((MEMORY, 1))
    start = share_knots(mixing, controls, examples, 1, rng)[0]
    if first_pose is not None and examples > 1:
        start = _starting_shares(tables, first_pose, start, controls.scale)
    state = SynthesisState(
        np.zeros(dofs), np.zeros(dofs), np.zeros((examples, dofs)), np.zeros(2),
        slow, fast, leads, strays, tempo, start, np.empty(0),
    )  # fmt: skip
    return replace(state, y=_first_y(state, tables, controls), velocity=tables.slope[tables.firsts].mean(axis=0))


def _starting_shares(tables: Tables, pose: Floats, drawn: Floats, scale: Floats) -> Floats:
    """Shares with which the mixture of the examples' first frames comes near a pose, node by node.

    Ridge regression: where the examples hardly differ at the start, no share can bring the node there, and what was
    `drawn` (examples, DOFs + 1) takes its place.
    """
    firsts = tables.low[tables.firsts]
    apart = firsts - firsts.mean(axis=0)
    size = (apart * apart).sum(axis=0)
    wanted = (pose - firsts.mean(axis=0)) * np.sqrt(len(firsts) - 1.0)
    ridge = RIDGE * tables.apart + 1e-12
    sure = size / (size + ridge)
    told = apart * wanted / (size + ridge)
    norm = np.sqrt((told * told).sum(axis=0))
    told *= np.minimum(1.0, LARGEST * np.sqrt(len(firsts)) / np.maximum(norm, 1e-12))
    out = drawn.copy()
    out[:, :-1] = scale * told + np.sqrt(1.0 - sure * sure) * drawn[:, :-1]
    return out


def _first_y(state: SynthesisState, tables: Tables, controls: Controls) -> Floats:
    examples, dofs = len(tables.firsts), tables.low.shape[1]
    shares = np.empty((examples, dofs + 1))
    room = np.empty((2, dofs + 1))
    shares_at(_noise(state, tables), 0.0, controls.shares, controls.detail, _mix(controls), room, shares)
    strays = np.empty(dofs)
    smooth_values(state.strays, 0.0, spacings(tables)[0], 0, strays)
    mixed = (shares[:, :-1] * tables.low[tables.firsts]).sum(axis=0)
    return np.asarray(mixed + controls.strays * tables.profile[0] * strays)


def _mix(controls: Controls) -> Floats:
    return np.array([np.sqrt(controls.slow), np.sqrt(1.0 - controls.slow)])


def _noise(state: SynthesisState, tables: Tables) -> Noise:
    slow, fast = spacings(tables)
    return Noise(
        state.slow, state.fast, state.leads, state.strays, state.tempo, state.start,
        state.slow_first, state.fast_first, slow, fast, FADE * slow if tables.cyclic else np.inf,
    )  # fmt: skip


def advance(
    state: SynthesisState, tables: Tables, mixing: Mixing, controls: Controls, rng: np.random.Generator
) -> tuple[SynthesisState, Floats]:
    """One block of at most BLOCK frames, (frames, DOFs); fewer, and at last none, where an acyclic motion ends."""
    if state.ended:
        return state, np.empty((0, tables.low.shape[1]))
    state = _with_knots(state, tables, mixing, controls, rng)
    rows, phases = np.empty((BLOCK, tables.low.shape[1])), np.empty(BLOCK)
    y, velocity, offsets, clock = (np.array(a) for a in (state.y, state.velocity, state.offsets, state.clock))
    count = advance_block(
        rows, phases, y, velocity, offsets, clock, _noise(state, tables), tables,
        np.array(controls[1:8]), _mix(controls),
        np.array([controls.width, controls.velocity_weight]),
        np.array([controls.pull, controls.relax, controls.gain]),
    )  # fmt: skip
    ended, phases = count < BLOCK, phases[:count]
    after = replace(state, y=y, velocity=velocity, offsets=offsets, clock=clock, phases=phases, ended=ended)
    return after, rows[:count]


def _with_knots(
    state: SynthesisState, tables: Tables, mixing: Mixing, controls: Controls, rng: np.random.Generator
) -> SynthesisState:
    """Drop knots that are past and draw those that the coming block needs."""
    slow_spacing, fast_spacing = spacings(tables)
    last = state.clock[0] + BLOCK - 1.0
    examples, dofs = len(tables.firsts), tables.low.shape[1]
    slow_first, fast_first = int(state.clock[0] / slow_spacing), int(state.clock[0] / fast_spacing)
    more_slow = int(last / slow_spacing) + MEMORY - (state.slow_first + len(state.slow))
    more_fast = int(last / fast_spacing) + MEMORY - (state.fast_first + len(state.fast))
    slow, fast, leads, strays, tempo = state.slow, state.fast, state.leads, state.strays, state.tempo
    if more_slow > 0:
        slow = np.concatenate([slow, share_knots(mixing, controls, examples, more_slow, rng)])
        strays = np.concatenate([strays, stray_knots(mixing, controls, more_slow, rng)])
    if more_fast > 0:
        fast = np.concatenate([fast, share_knots(mixing, controls, examples, more_fast, rng)])
        leads = np.concatenate([leads, rng.standard_normal((more_fast, dofs)) @ mixing.shares.T])
        tempo = np.concatenate([tempo, rng.standard_normal((more_fast, 1))])
    past_slow, past_fast = slow_first - state.slow_first, fast_first - state.fast_first
    return replace(
        state, slow=slow[past_slow:], fast=fast[past_fast:], leads=leads[past_fast:], strays=strays[past_slow:],
        tempo=tempo[past_fast:], slow_first=slow_first, fast_first=fast_first,
    )  # fmt: skip
