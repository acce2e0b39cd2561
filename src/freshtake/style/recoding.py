"""Rows of one recipe as rows of another one: both measure the same body from other mean rotations."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Recipe
from freshtake.motion.features.clip_features import ClipLayout
from freshtake.motion.features.pose_kernel import PoseCoding
from freshtake.numeric.arrays import Floats
from freshtake.numeric.compiled import compiled
from freshtake.numeric.limb_kernels import exponential_into, logarithm_into, turn_back_into, turn_into


class Recoding:
    """From one recipe to another."""

    def __init__(self, before: Recipe, after: Recipe) -> None:
        self.before, self.after = before, after

    @cached_property
    def _codings(self) -> tuple[PoseCoding, PoseCoding]:
        found = []
        for layout in (self.before.layout, self.after.layout):
            assert isinstance(layout, ClipLayout)
            found.append(PoseCoding(layout.reference, layout.upright, layout.up_index, layout.frame_time))
        return found[0], found[1]

    @cached_property
    def _ratios(self) -> Floats:
        """What lengths of each DOF are multiplied by."""
        ours, theirs = self.before.skeleton, self.after.skeleton
        assert ours is not None and theirs is not None
        lengths = np.isin(self.after.units, ("length", "speed"))
        return np.where(lengths, leg_length(theirs) / leg_length(ours), 1.0)

    @property
    def is_identity(self) -> bool:
        """Whether rows stay as they are."""
        return self.before is self.after

    def recoded(self, rows: Floats, turned: Floats, started: bool) -> Floats:
        """Rows (frames, DOFs); `turned` (1,) is by how much headings differed in the row before, changed in place."""
        if self.is_identity:
            return rows
        columns = self.before.fill(rows)
        recode(columns, *self._codings, turned, started)
        return np.asarray(columns[:, self.after.kept] * self._ratios)


@compiled
def recode(columns: Floats, before: PoseCoding, after: PoseCoding, turned: Floats, started: bool) -> None:
    """All columns (frames, columns) in place; a heading that is measured from another rotation turns the travel."""
    up, sign = before.up, 1.0 if before.up == 1 else -1.0
    turn, spin, vector = np.empty(4), np.zeros(4), np.zeros(3)
    for t in range(len(columns)):
        row = columns[t]
        vector[0], vector[up], vector[3 - up] = row[4], 0.0, row[5] * sign
        exponential_into(vector, turn)
        turn_into(turn, before.upright, turn)
        _turn_off(turn, after.upright)
        heading = 2.0 * math.atan2(turn[1 + up], turn[0])
        usual = turned[0] if started or t > 0 else 0.0
        heading -= 2.0 * math.pi * round((heading - usual) / (2.0 * math.pi))
        last = turned[0] if started or t > 0 else heading
        spin[0], spin[1 + up] = math.cos(0.5 * heading), math.sin(0.5 * heading)
        turn_back_into(spin, turn, turn)
        logarithm_into(turn, vector)
        row[4], row[5] = vector[0], vector[3 - up] * sign
        cosine, sine = math.cos(last), math.sin(last)
        row[0], row[1] = row[0] * cosine + row[1] * sine, row[1] * cosine - row[0] * sine
        row[2] += (heading - last) / before.frame_time
        turned[0] = heading
        for joint in range(1, len(before.reference)):
            own = row[3 + 3 * joint : 6 + 3 * joint]
            exponential_into(own, turn)
            turn_into(before.reference[joint], turn, turn)
            turn_back_into(after.reference[joint], turn, turn)
            logarithm_into(turn, own)


@compiled
def _turn_off(turn: Floats, reference: Floats) -> None:
    """turn = turn reference⁻¹, in place."""
    back = np.empty(4)
    back[0] = reference[0]
    for axis in range(1, 4):
        back[axis] = -reference[axis]
    turn_into(turn, back, turn)
