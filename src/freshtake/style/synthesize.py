"""The streaming translator: its state is a value; a frame in gives as many frames out as the time warp asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from freshtake.motion.features.coding import checked_rows
from freshtake.numeric.arrays import Bools, Floats, Ints
from freshtake.style.body_coding import PLAIN, Coding, coded, uncoded
from freshtake.style.columns import Normal
from freshtake.style.footplants import Annotation
from freshtake.style.systems.banks import Bank, settled
from freshtake.style.translation_kernels import (
    NUMBERS,
    PART_STATE,
    STARTED,
    WALK,
    Frames,
    Readings,
    TranslationState,
    Written,
    driving,
    normalized,
    styled,
    translate,
)
from freshtake.style.warping.warps import read_rows

STEEPEST = 4.0  # the largest factor by which a style is faster or slower than the source
UNBOUNDED = np.array([[-np.inf] * 3, [np.inf] * 3])  # of the root's rates


class Translated(NamedTuple):
    """Rows of the target style (frames, DOFs), the source frame of each, and the input's share in each source row.

    `blends` (source rows, parts) is the weight of the input, part by part of the body.
    """

    rows: Floats
    origins: Floats
    blends: Floats


class Stands(NamedTuple):
    """Classifiers of rows: directions (annotations, features) and boundaries (annotations,)."""

    directions: Floats
    boundaries: Floats


NOTHING = Stands(np.zeros((0, 0)), np.zeros(0))


def stands_of(annotations: Sequence[Annotation]) -> Stands:
    """Pack these annotations, in their order."""
    if not annotations:
        return NOTHING
    return Stands(np.stack([each.direction for each in annotations]), np.array([each.boundary for each in annotations]))


@dataclass(frozen=True, eq=False)
class Translator:
    """A bank of systems with everything that translation needs, as the kernels read it."""

    bank: Bank
    frames: Frames
    source: Normal
    names: tuple[str, ...]  # of the DOFs
    coding: Coding

    @cached_property
    def width(self) -> int:
        """Count the DOFs of the source."""
        return len(self.source.mean)

    def checked(self, rows: Floats) -> Floats:
        """Return rows as (frames, DOFs); raise where they have another width or are not finite."""
        return checked_rows(rows, self.names)

    def start(self, past: Floats | None = None) -> TranslationState:
        """Return the state before the first frame, after `past` (frames, DOFs); without it the first pose is held."""
        systems, calm = self.bank.start(), np.zeros((2, self.width))
        if past is not None and len(past):
            past = coded(self.checked(past), self.coding)
            calm[:] = past[0]
            systems = self.bank.run(systems, driving(normalized(past, calm, self.frames), self.frames))[0]
        part_state = np.zeros((len(self.frames.strength), PART_STATE))
        return TranslationState(systems, np.zeros(WALK), np.zeros(self.width), part_state, calm, past is not None)

    def with_strength(self, strength: Floats) -> Translator:
        """Return a translator with other strengths (parts,); a stream that continues with it changes smoothly."""
        return replace(self, frames=self.frames._replace(strength=strength))

    def outputs(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Floats]:
        """Return the style in the source's timing (frames, DOFs + 1), with sway instead of turn, log w last."""
        after, out, _ = self.outputs_seen(state, rows, NOTHING)
        return after, out

    def outputs_seen(
        self, state: TranslationState, rows: Floats, stands: Stands
    ) -> tuple[TranslationState, Floats, Bools]:
        """Do the same, and also return the labels of the rows (frames, annotations)."""
        after, out, labels = self.coded_outputs(state, self.checked(rows), stands)
        out[:, :-1] = uncoded(np.ascontiguousarray(out[:, :-1]), self.coding)
        return after, out, labels

    def coded_outputs(
        self, state: TranslationState, rows: Floats, stands: Stands
    ) -> tuple[TranslationState, Floats, Bools]:
        """Return the coded outputs of `outputs_seen` for rows (frames, DOFs) that were checked."""
        after, readings = self._prepared(state, rows, stands)
        _, out = styled(after, rows, self.bank.packed, self.frames, self.coding, readings)
        after.walk[STARTED] = 1.0
        return after, out, readings.values > stands.boundaries

    def inputs(self, state: TranslationState, rows: Floats) -> Floats:
        """Return the inputs of the systems (frames, DOFs) when rows follow a state."""
        inputs: Floats = driving(normalized(coded(rows, self.coding), state.calm.copy(), self.frames), self.frames)
        return inputs

    def begun(self, state: TranslationState, row: Floats) -> TranslationState:
        """Return a started state: a new one is settled on `row`, any other stays as it is."""
        if state.started:
            return state
        row = coded(row[None], self.coding)[0]
        calm = np.stack([row, row])
        still = driving(self.source.down(row)[None], self.frames)[0]
        return state._replace(systems=settled(self.bank, still), calm=calm, started=True)

    def advance(self, state: TranslationState, rows: Floats) -> tuple[TranslationState, Translated]:
        """Translate rows (frames, DOFs), or a single one (DOFs,); rows that are refused leave the state unchanged."""
        after, made, _ = self.advance_seen(state, rows, NOTHING)
        return after, made

    def advance_seen(
        self, state: TranslationState, rows: Floats, stands: Stands
    ) -> tuple[TranslationState, Translated, Bools]:
        """Do the same, and also return the labels of the rows (frames, annotations)."""
        rows = self.checked(rows)
        after, readings = self._prepared(state, rows, stands)
        most = 1 + int(STEEPEST + 1.0) * len(rows)
        out = Written(np.empty((most, self.width)), np.empty(most))
        count = translate(after, rows, self.bank.packed, self.frames, self.coding, readings, out)
        made = Translated(out.rows[:count], out.origins[:count], readings.blends)
        return after, made, readings.values > stands.boundaries

    def _prepared(self, state: TranslationState, rows: Floats, stands: Stands) -> tuple[TranslationState, Readings]:
        """Return a copy of the state for a kernel to change, and arrays for its readings of the rows."""
        if not state.started and len(rows):
            state = self.begun(state, rows[0])
        systems, walk, pose, part_state, calm, started = state
        after = TranslationState(systems.copy(), walk.copy(), pose.copy(), part_state.copy(), calm.copy(), started)
        asked = len(stands.boundaries)
        readings = np.empty((len(rows) if asked else 0, asked))
        return after, Readings(np.empty((len(rows), len(part_state))), stands.directions, readings)


class Body(NamedTuple):
    """The root's columns and the body part of each other one; the root's rates drive systems within `speeds`.

    `reach` says how far each column may be from the examples.
    """

    root: tuple[int, int, int]
    names: tuple[str, ...]
    reach: Floats
    part: Ints
    speeds: Floats = UNBOUNDED  # (2, 3)
    coding: Coding = PLAIN


class Pace(NamedTuple):
    """Whether and how the timing changes and the input is kept.

    `later` is added to log w, `widest` bounds the sway of the heading, below `slowest` the style's travel fades.
    """

    frame_time: float
    preference: float
    time_warp: bool
    generalize: bool
    later: float
    widest: float
    calming: float
    slowest: float = 0.0


def translator(bank: Bank, source: Normal, target: Normal, body: Body, pace: Pace) -> Translator:
    """Pack a bank and its scales for the kernels."""
    numbers = np.empty(NUMBERS)
    numbers[:] = (
        pace.frame_time, pace.preference, pace.time_warp, pace.generalize, pace.later, pace.widest, np.log(STEEPEST),
        pace.calming, pace.slowest,
    )  # fmt: skip
    normals = (source.mean, source.deviation, target.mean, target.deviation)
    parts = [np.ascontiguousarray(a) for a in (*normals, body.reach)]
    frames = Frames(
        parts[0], parts[1], parts[2], parts[3], parts[4], numbers, np.array(body.root, dtype=np.intp), body.part,
        body.speeds, np.ones(body.part.max(initial=0) + 1),
    )  # fmt: skip
    return Translator(bank, frames, source, body.names, body.coding)


def with_tempo(made: Translated, tempo: float, rates: Sequence[int]) -> Translated:
    """Return a translation played `tempo` times faster; `rates` are the columns of speeds and turning."""
    if tempo == 1.0 or len(made.rows) < 2:
        return made
    places: Floats = np.arange(int((len(made.rows) - 1) / tempo) + 1, dtype=np.float64) * tempo
    rows = read_rows(made.rows, places)
    rows[:, list(rates)] *= tempo
    return Translated(rows, np.interp(places, np.arange(len(made.rows)), made.origins), made.blends)
