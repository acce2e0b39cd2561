"""The meaning of columns: blocks, parts, deviations; and the unlikeness of the input to the examples (eq. 7-8)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.body.roles import body_parts, part_rank
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.compiled import compiled

FORWARD, SIDEWAYS, TURN = range(3)  # columns of the root's rates, which come first
RATES = 3
SPEEDS = 0.15  # fraction of the usual speed: the minimum deviation of a style's speeds
TIMING, HEADING = "timing", "heading"  # blocks that are not joints
LEGS, ARMS, ALL = "legs", "arms", "all"  # names of body parts without a number
STRONGEST = 2.0  # largest strength of a style
ORDINARY = 0.01  # the weight (eq. 8) of the least similar moment of a held-out take
LEAST = 1.0  # k_c is at least this
Strength = float | Mapping[str, float]


@dataclass(frozen=True)
class Block:
    """A separate system: the DOFs of the source that drive it, and the DOFs of the target that it outputs."""

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def blocks_of(recipe: Recipe, deviation: Floats) -> tuple[Block, ...]:
    """Split DOFs by joint; the timing, the last DOF of the target, is a separate block.

    Departs from the paper in four points. A thigh drives knee and foot in addition to their own DOFs, and both thighs
    drive the root: knees, feet and root predict each other poorly, thighs predict them well. In each leg joint only the
    DOF with the largest `deviation` (DOFs,) drives anything: in a few takes the minor axes correlate with the swing of
    the leg by chance, and systems that rely on them would make the feet of other people slide. The timing is driven by
    the root's rates, thighs and upper arms, since a punch is quicker than a kick and the root's travel does not
    distinguish them. The sway of the heading is a separate block, driven by the root's height and tilts and by the
    thighs: rates would make it shake, and turning would leak into it.
    """
    joints: dict[str, list[int]] = {}
    for column, name in enumerate(recipe.names):
        joints.setdefault(name.rsplit(".", 1)[0], []).append(column)
    legs, arms = _limbs(recipe)
    thighs = sorted(k for leg in legs for k in joints.get(leg[0], ()))
    also = {recipe.names[0].rsplit(".", 1)[0]: thighs}
    for thigh, *below in legs:
        also |= dict.fromkeys(below, joints.get(thigh, []))
    blocks = [Block(name, _union(mine, also.get(name, ())), tuple(mine)) for name, mine in joints.items()]
    root = blocks[0]
    blocks[0] = Block(root.name, root.inputs, tuple(k for k in root.outputs if k != TURN))
    blocks.append(Block(HEADING, _union(root.outputs[RATES:], thighs), (TURN,)))
    in_legs = [joints[name] for leg in legs for name in leg if name in joints]
    lesser = {k for mine in in_legs for k in mine if k != max(mine, key=lambda each: deviation[each])}
    blocks = [replace(block, inputs=tuple(k for k in block.inputs if k not in lesser)) for block in blocks]
    limbs = sorted({*thighs, *(k for arm in arms for k in joints.get(arm[0], ()))})
    return (*blocks, Block(TIMING, (*range(RATES), *limbs), (len(recipe.names),)))


def _limbs(recipe: Recipe) -> tuple[list[list[str]], list[list[str]]]:
    """Return the names of the joints of each leg, and of each arm."""
    assert recipe.skeleton is not None
    limbs = [([recipe.skeleton.names[k] for k in chain], is_leg) for _, chain, is_leg in limb_joints(recipe.skeleton)]
    return [names for names, is_leg in limbs if is_leg], [names for names, is_leg in limbs if not is_leg]


def _union(first: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys((*first, *others)))


def leg_blocks(recipe: Recipe) -> set[str]:
    """Return the blocks that predict footplants: root, legs and heading; arms correlate with them only by chance."""
    return {recipe.names[0].rsplit(".", 1)[0], HEADING, *(name for leg in _limbs(recipe)[0] for name in leg)}


@dataclass(frozen=True, eq=False)
class Normal:
    """Mean and deviation per DOF: values are normalized to (value - mean) / deviation and back (Hsu 2005, §4.1)."""

    mean: Floats
    deviation: Floats

    def down(self, values: Floats) -> Floats:
        """Normalize values to zero mean and unit variance."""
        return (values - self.mean) / self.deviation

    def up(self, values: Floats) -> Floats:
        """Invert `down`."""
        return values * self.deviation + self.mean


def normal_of(rows: Sequence[Floats], units: Sequence[str], floor: float) -> Normal:
    """Measure mean and deviation; a deviation is at least `floor` times the RMS deviation of DOFs of the same unit."""
    everything = np.concatenate(rows)
    mean, deviation = everything.mean(axis=0), everything.std(axis=0)
    kinds = np.array(units)
    for unit in set(units):
        mine: Ints = np.flatnonzero(kinds == unit)
        usual = float(np.sqrt(np.mean(deviation[mine] ** 2)))
        deviation[mine] = np.maximum(deviation[mine], max(floor * usual, 1e-6))
    return Normal(mean, deviation)


def pose_weights(recipe: Recipe, effects: Floats) -> Floats:
    """Return the effects of the DOFs, with 0 for travel and turning."""
    return np.where(np.isin(recipe.units, ("angle", "length")), effects, 0.0)


def reach_of(recipe: Recipe, effects: Floats, source: Normal, least: float) -> Floats:
    """Return how much each DOF's deviation counts as unexpected (DOFs,): less if it hardly moves the body.

    Turning and sideways travel are passed through and have no weight.
    """
    out = np.minimum(pose_weights(recipe, effects) * source.deviation / max(least, 1e-12), 1.0)
    # A motion that does not travel has no usual speed to compare with.
    usual = SPEEDS * abs(source.mean[FORWARD])
    out[FORWARD] = min(source.deviation[FORWARD] / usual, 1.0) if usual > 1e-12 else 0.0
    return np.asarray(out)


def parts_of(recipe: Recipe) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the parts, and the part (DOFs,) of each DOF.

    Both legs are one part with the root, because hip height, travel and legs only work together.
    """
    assert recipe.skeleton is not None
    part_of = [
        LEGS if part.endswith(" leg") or part.startswith("leg ") else part for part in body_parts(recipe.skeleton)
    ]
    if LEGS in part_of:
        part_of[0] = LEGS
    of_joint = dict(zip(recipe.skeleton.names, part_of, strict=True))
    parts = [of_joint[name.rsplit(".", 1)[0]] for name in recipe.names]
    names = tuple(sorted(set(parts), key=lambda part: (part != parts[0], part_rank(part))))
    return names, np.array([names.index(part) for part in parts], dtype=np.intp)


def strengths_of(names: tuple[str, ...], strength: Strength) -> Floats:
    """Return strengths (parts,): one for all, or by part; parts that are not named get the value of "all", or 0.

    "arms" means both arms.
    """
    if not isinstance(strength, Mapping):
        strength = {ALL: strength}
    out = np.full(len(names), strength.get(ALL, 0.0), dtype=np.float64)
    for name, value in strength.items():
        if not 0.0 <= value <= STRONGEST:
            raise UsageError(f"the strength of {name!r} must lie between 0 and {STRONGEST:g}, but is {value}")
        mine = [k for k, part in enumerate(names) if part == name or (name == ARMS and "arm" in part.split())]
        if not mine and name != ALL:
            choices = [*names, ARMS] if any("arm" in part.split() for part in names) else names
            raise UsageError(f"there is no part {name!r}; the parts are {', '.join(choices)}")
        out[mine] = value
    return out


@compiled
def unlikeness(deviations: float) -> float:
    """Return z of a value this far from the mean: the share of a Gaussian that is nearer (Hsu 2005, eq. 7).

    Departs from the paper: the limits of its integral are read as mean ± |value - mean|, which is what erf gives.
    """
    return math.erf(deviations / math.sqrt(2.0))


def blend_curve(confidence: float, preference: float, reach: float = 4.0, points: int = 201) -> tuple[Floats, Floats]:
    """Return the curve of figure 4: deviations from the mean, and the weights of eq. 8."""
    x = np.linspace(-reach, reach, points)
    return x, np.array([unlikeness(abs(d) / confidence) ** preference for d in x])


def confidences(
    recipe: Recipe, takes: Sequence[Floats], effects: Floats, *, floor: float, least: float, preference: float
) -> Floats:
    """Estimate k_c of eq. 8 per DOF by comparing each source take (frames, DOFs) with all others.

    For each body part, and separately for the speed, the least similar moment gets the weight `ORDINARY`. A single take
    is split into halves.
    """
    if len(takes) == 1:
        takes = np.array_split(takes[0], 2)
    part = parts_of(recipe)[1].copy()
    part[FORWARD] = part.max() + 1
    most = np.zeros(part.max() + 1)
    for k, take in enumerate(takes):
        others = normal_of([other for j, other in enumerate(takes) if j != k], recipe.units, floor)
        away = np.abs(others.down(take)) * reach_of(recipe, effects, others, least)
        np.maximum.at(most, part, away.max(axis=0))
    # The inverse of eq. 7-8: the deviation at which the weight is `ORDINARY`.
    edge = NormalDist().inv_cdf(0.5 + 0.5 * ORDINARY ** (1.0 / preference))
    return np.asarray(np.maximum(most / edge, LEAST)[part])


def distinct(sources: Sequence[Floats], names: Sequence[str]) -> list[Floats]:
    """Return the longest aligned piece of each source clip, once even if it is in several pairs."""
    longest: dict[str, Floats] = {}
    for rows, name in zip(sources, names, strict=True):
        if name not in longest or len(rows) > len(longest[name]):
            longest[name] = rows
    return list(longest.values())
