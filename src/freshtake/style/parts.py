"""Parts of the body that take a style, or keep the input, each by itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import body_parts, part_rank
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats, Ints

LEGS, ARMS, ALL = "legs", "arms", "all"
STRONGEST = 2.0
Strength = float | Mapping[str, float]


def parts_of(recipe: Recipe) -> tuple[tuple[str, ...], Ints]:
    """Names of the parts, and the part (DOFs,) of every DOF.

    Both legs are one part with the root, because the height of the hips, the travel and the legs only work together.
    """
    assert recipe.skeleton is not None
    found = [LEGS if _is_leg(part) else part for part in body_parts(recipe.skeleton)]
    if LEGS in found:
        found[0] = LEGS
    of_joint = dict(zip(recipe.skeleton.names, found, strict=True))
    own = [of_joint[name.rsplit(".", 1)[0]] for name in recipe.names]
    names = tuple(sorted(set(own), key=lambda part: (part != own[0], part_rank(part))))
    return names, np.array([names.index(part) for part in own], dtype=np.intp)


def _is_leg(part: str) -> bool:
    return part.endswith(" leg") or part.startswith("leg ")


def strengths_of(names: tuple[str, ...], strength: Strength) -> Floats:
    """Strengths (parts,): one number for all, or by part; a part that is not named takes what "all" says, or none.

    "arms" is both arms.
    """
    if not isinstance(strength, Mapping):
        strength = {ALL: strength}
    out = np.full(len(names), _checked(ALL, strength.get(ALL, 0.0)))
    for name, value in strength.items():
        mine = [k for k, part in enumerate(names) if part == name or (name == ARMS and "arm" in part.split())]
        if not mine and name != ALL:
            known = [*names, ARMS] if any("arm" in part.split() for part in names) else names
            raise UsageError(f"there is no part {name!r}; the parts are {', '.join(known)}")
        out[mine] = _checked(name, value)
    return out


def _checked(name: str, value: float) -> float:
    if not 0.0 <= value <= STRONGEST:
        raise UsageError(f"the strength of {name!r} must lie between 0 and {STRONGEST:g}, but is {value}")
    return float(value)
