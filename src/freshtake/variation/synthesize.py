"""Synthesis, online (Lau 2009, §6): a state that is a value, blocks of frames, the model's parts passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats, Ints
from freshtake.variation.examples import Material
from freshtake.variation.synthesis.courses import Courses, mean_pace
from freshtake.variation.synthesis.dynamics import Dynamics
from freshtake.variation.synthesis.foot_nodes import heading_columns
from freshtake.variation.synthesis.frame_kernels import (
    SLOWEST,
    Amounts,
    Knots,
    Tables,
    draw_slices,
    make_frames,
)
from freshtake.variation.synthesis.leg_following import foot_tables
from freshtake.variation.synthesis.swing_following import SwingTables
from freshtake.variation.synthesis.trait_kernels import tie_traits
from freshtake.variation.synthesis.traits import TRAITS, sizes_at, trait_basis
from freshtake.variation.synthesis.whole_drawing import Reach

BLOCK = 32  # frames
TRAIT_KNOTS = 2.0  # lengths of a take: a cycle's traits change to those of another one in about as many cycles
SHARE_KNOTS = 0.5  # lengths of a take between changes of whose detail is used
MEMORY = 4  # knots that a moment of a smooth process depends on
MOST_EXAMPLES = 12  # whose detail one motion uses


@dataclass(frozen=True, eq=False)
class SynthesisState:
    """Between blocks: the phase and the knots of all smooth processes. Can be kept, forked and resumed."""

    clock: Floats  # (2,): phase of the next frame, and the step that led to it
    places: Floats  # (speeds + 1,): see kernels.make_frames
    rest: Floats  # (knots, nodes): frames of the network
    traits: Floats  # (knots, traits, nodes)
    shares: Floats  # (knots, examples)
    chosen: Ints  # (examples,): whose detail is used
    phases: Floats  # (frames,): of the rows of the last block
    rest_first: int = 0
    traits_first: int = 0
    shares_first: int = 0
    ended: bool = False


class Sampler(NamedTuple):
    """What synthesis works with: the network, tables along the phase, and how much of what is added."""

    dynamics: Dynamics
    tables: Tables
    amounts: Amounts
    swings: SwingTables
    reach: Reach


def sampler_of(dynamics: Dynamics, tables: Tables, amounts: Amounts, swings: SwingTables) -> Sampler:
    """A sampler that knows its reach: many variants are drawn with one, block by block."""
    held = tables.feet.held
    fastest = amounts.rate / (SLOWEST * float(tables.pace.min()))
    reach = Reach(fastest, float(held.min(initial=0.0)), float(held.max(initial=0.0)))
    return Sampler(dynamics, tables, amounts, swings, reach)


def synthesis_tables(dynamics: Dynamics, courses: Courses, material: Material) -> Tables:
    """Everything that is read along the phase."""
    phases = courses.smooth.shape[1]
    basis = trait_basis(courses.mean, courses.cyclic) * dynamics.trait_sizes[:, None]
    sizes = sizes_at(dynamics.sizes, phases)
    spread = np.sqrt(sizes**2 + (basis**2).sum(axis=0))[:, : len(material.names)]
    columns, speeds = heading_columns(material), np.flatnonzero(material.rates)
    heading = np.empty(0, np.intp) if columns is None else np.searchsorted(speeds, columns)
    return Tables(
        np.ascontiguousarray(courses.mean), mean_pace(courses), np.ascontiguousarray(basis), sizes * dynamics.scale,
        np.ascontiguousarray(courses.detail), speeds, (phases - 1.0) / dynamics.slices,
        courses.cyclic, heading.astype(np.intp), material.frame_time, foot_tables(courses, material, spread),
    )  # fmt: skip


def begin(sampler: Sampler, rng: np.random.Generator) -> SynthesisState:
    """The state before the first frame: deviations as they are far from any start."""
    dynamics, tables = sampler.dynamics, sampler.tables
    nodes, examples = len(dynamics.noise), len(tables.detail)
    first = dynamics.start_root @ rng.standard_normal(2 * nodes)
    chosen = choose_detail(examples, rng)
    return SynthesisState(
        np.zeros(2), np.zeros(len(tables.speeds) + 1), np.stack([first[nodes:], first[:nodes]]),
        draw_traits(sampler, MEMORY, rng),
        rng.standard_normal((MEMORY, len(chosen))), chosen, np.empty(0),
    )  # fmt: skip


def choose_detail(examples: int, rng: np.random.Generator) -> Ints:
    """Whose detail one motion uses: numbers of examples."""
    if examples <= MOST_EXAMPLES:
        return np.arange(examples, dtype=np.intp)
    return np.sort(rng.choice(examples, MOST_EXAMPLES, replace=False)).astype(np.intp)


def draw_traits(sampler: Sampler, count: int, rng: np.random.Generator) -> Floats:
    """Knots of the traits (knots, traits, nodes), tied as the network says."""
    drawn = rng.standard_normal((count, len(TRAITS), len(sampler.dynamics.noise)))
    out = np.empty_like(drawn)
    tie_traits(sampler.dynamics.trait_columns, sampler.swings, drawn, out)
    return out


def advance(
    state: SynthesisState, sampler: Sampler, rng: np.random.Generator, frames: int = BLOCK
) -> tuple[SynthesisState, Floats]:
    """One block of at most `frames` frames, (frames, DOFs); fewer, and at last none, where an acyclic motion ends."""
    tables = sampler.tables
    if state.ended:
        return state, np.empty((0, tables.detail.shape[2]))
    state = draw_ahead(state, sampler, rng, frames)
    rows, phases = np.empty((frames, tables.detail.shape[2])), np.empty(frames)
    clock, places = state.clock.copy(), state.places.copy()
    length = len(tables.mean) - 1.0
    knots = Knots(
        state.rest, state.traits, state.shares, state.rest_first, state.traits_first, state.shares_first,
        TRAIT_KNOTS * length, SHARE_KNOTS * length,
    )  # fmt: skip
    count = make_frames(rows, phases, clock, places, tables, knots, sampler.amounts, state.chosen)
    state = SynthesisState(
        clock, places, state.rest, state.traits, state.shares, state.chosen, phases[:count],
        state.rest_first, state.traits_first, state.shares_first, count < frames,
    )  # fmt: skip
    return state, rows[:count]


def draw_ahead(
    state: SynthesisState, sampler: Sampler, rng: np.random.Generator, frames: int = BLOCK
) -> SynthesisState:
    """Drop knots that are past and draw those that the coming frames may need."""
    dynamics, tables = sampler.dynamics, sampler.tables
    phase, length = float(state.clock[0]), len(tables.mean) - 1.0
    last = phase + frames * sampler.reach.fastest + sampler.reach.ahead
    rest = state.rest
    missing = _missing(last, tables.spacing, state.rest_first + len(rest))
    if missing:
        more = np.concatenate([rest[-2:], np.empty((missing, rest.shape[1]))])
        draw_slices(dynamics.packed, rng.standard_normal((missing, rest.shape[1])), more)
        rest = np.concatenate([rest, more[2:]])
    traits, shares = state.traits, state.shares
    missing = _missing(last, TRAIT_KNOTS * length, state.traits_first + len(traits))
    if missing:
        traits = np.concatenate([traits, draw_traits(sampler, missing, rng)])
    missing = _missing(last, SHARE_KNOTS * length, state.shares_first + len(shares))
    if missing:
        shares = np.concatenate([shares, rng.standard_normal((missing, shares.shape[1]))])
    spacings = (tables.spacing, TRAIT_KNOTS * length, SHARE_KNOTS * length)
    used = max(phase + sampler.reach.back, 0.0)
    rest_first, traits_first = int(used / spacings[0]), int(used / spacings[1])
    shares_first = int(phase / spacings[2])
    return SynthesisState(
        state.clock, state.places, rest[rest_first - state.rest_first :], traits[traits_first - state.traits_first :],
        shares[shares_first - state.shares_first :], state.chosen, state.phases, rest_first, traits_first, shares_first,
    )  # fmt: skip


def _missing(last: float, spacing: float, known: int) -> int:
    return max(int(last / spacing) + MEMORY - known, 0)
