"""Rows of a clip whose rotations are blended as rotations, not as the numbers that stand for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freshtake.motion.features.clip import ClipLayout
from freshtake.motion.features.recipes import Recipe
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.rotations import from_rotvec, inverse, multiply, slerp, to_rotvec


@dataclass(frozen=True, eq=False)
class Turning:
    """Which columns of all (frames, columns) are rotation vectors about which mean rotations, and which are kept."""

    recipe: Recipe
    columns: Ints  # (joints, 3)
    reference: Floats  # (joints, 4)

    def _split(self, rows: Floats) -> tuple[Floats, Floats]:
        full = self.recipe.fill(rows)
        vectors = full[:, self.columns]
        return full, multiply(self.reference, from_rotvec(vectors))

    def _joined(self, full: Floats, rotations: Floats) -> Floats:
        full[:, self.columns] = to_rotvec(multiply(inverse(self.reference), rotations))
        return full[:, self.recipe.kept]

    def between(self, a: Floats, b: Floats, share: Floats) -> Floats:
        """Rows on the way from a to b, rotations along the shortest arc."""
        (fa, qa), (fb, qb) = self._split(a), self._split(b)
        full = fa + share[:, None] * (fb - fa)
        return self._joined(full, slerp(qa, qb, share[:, None]))

    def apart(self, a: Floats, b: Floats) -> Floats:
        """How a lies away from b, all columns: rotation vectors of the turns from b to a, else differences."""
        (fa, qa), (fb, qb) = self._split(a), self._split(b)
        full = fa - fb
        full[:, self.columns] = to_rotvec(multiply(qa, inverse(qb)))
        return full

    def moved(self, rows: Floats, offsets: Floats) -> Floats:
        """Rows moved away by what `apart` says."""
        full, rotations = self._split(rows)
        turned = multiply(from_rotvec(offsets[:, self.columns]), rotations)
        full = full + offsets
        return self._joined(full, turned)


def turning_of(recipe: Recipe | None) -> Turning | None:
    """The rotations of a clip's rows; None for motions without."""
    if recipe is None or not isinstance(recipe.layout, ClipLayout):
        return None
    layout = recipe.layout
    joints = len(layout.skeleton)
    absolute = layout.root == "absolute"
    first, at = (0, 3) if absolute else (1, layout.root_width)
    columns = at + np.arange(3 * (joints - first)).reshape(-1, 3)
    return Turning(recipe, columns, layout.reference[first:])
