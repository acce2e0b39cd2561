"""Which DOFs drive which: one block per joint, and one for the timing (Hsu 2005, §4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freshtake.motion.body.limbs import limb_joints
from freshtake.motion.features import Recipe
from freshtake.numeric.arrays import Floats, Ints

ROOT = ("forward", "sideways", "turn")  # the differential DOFs of the root
SPEEDS = 0.15  # of the usual speed: one deviation of the speeds of a style, at least
TIMING, HEADING = "timing", "heading"  # blocks that are no joint


@dataclass(frozen=True)
class Block:
    """A system of its own: the DOFs of the source that drive it, and the DOFs of the target that it yields."""

    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def blocks_of(recipe: Recipe, inputs: str = "limbs", timing: str = "limbs") -> tuple[Block, ...]:
    """Every joint by itself; the timing, the last DOF of the target, is driven by the root's travel and turning.

    Departs from the paper: with `timing` "limbs" thighs and upper arms drive it as well, for a punch is quicker than a
    kick, and the root's travel does not tell one from the other. The sway of the heading has a block apart from the
    root's other DOFs, driven by the root's height and swings and by the thighs: rates would make it shake, and turning
    would leak into it. With `inputs` "limbs" a thigh drives knee and foot beside their own DOFs, and both thighs drive
    the root: knees, feet and root tell little of each other's next step, thighs tell it nearly all. With "legs" the
    thighs drive every joint.
    """
    joints: dict[str, list[int]] = {}
    for column, name in enumerate(recipe.names):
        joints.setdefault(name.rsplit(".", 1)[0], []).append(column)
    also = _also_driving(recipe, inputs)
    blocks = [Block(name, _together(mine, also.get(name, ())), tuple(mine)) for name, mine in joints.items()]
    root, rates = blocks[0], root_columns(recipe)
    turn = rates[2]
    still = [k for k in root.outputs if k not in rates]
    blocks[0] = Block(root.name, root.inputs, tuple(k for k in root.outputs if k != turn))
    blocks.append(Block(HEADING, _together(still, limb_columns(recipe, arms=False)), (turn,)))
    driving = (*rates, *limb_columns(recipe)) if timing == "limbs" else rates
    return (*blocks, Block(TIMING, driving, (len(recipe.names),)))


def _together(own: Sequence[int], others: Sequence[int]) -> tuple[int, ...]:
    return (*own, *(k for k in others if k not in own))


def _also_driving(recipe: Recipe, inputs: str) -> dict[str, tuple[int, ...]]:
    """By joint the DOFs of thighs that drive it beside its own."""
    assert recipe.skeleton is not None
    names = recipe.skeleton.names
    thighs = limb_columns(recipe, arms=False)
    if inputs != "limbs":
        return dict.fromkeys(names, thighs) if inputs == "legs" else {}
    found = {names[0]: thighs}
    for _, joints, is_leg in limb_joints(recipe.skeleton):
        if is_leg:
            mine = tuple(k for k in thighs if recipe.names[k].rsplit(".", 1)[0] == names[joints[0]])
            found |= dict.fromkeys((names[joint] for joint in joints[1:]), mine)
    return found


def limb_columns(recipe: Recipe, arms: bool = True) -> tuple[int, ...]:
    """The DOFs of the thighs, and of the upper arms."""
    assert recipe.skeleton is not None
    names = recipe.skeleton.names
    first = {names[joints[0]] for _, joints, is_leg in limb_joints(recipe.skeleton) if is_leg or arms}
    return tuple(k for k, name in enumerate(recipe.names) if name.rsplit(".", 1)[0] in first)


def leg_blocks(recipe: Recipe) -> set[str]:
    """The blocks that tell whether a foot stands: root, legs and heading; arms only seem to, in few takes."""
    assert recipe.skeleton is not None
    names, root = recipe.skeleton.names, recipe.names[0].rsplit(".", 1)[0]
    legs = [joints for _, joints, is_leg in limb_joints(recipe.skeleton) if is_leg]
    return {root, HEADING, *(names[joint] for joints in legs for joint in joints)}


def root_columns(recipe: Recipe) -> tuple[int, ...]:
    """Where forward and sideways speed and turn rate are."""
    ends = [name.rsplit(".", 1)[1] for name in recipe.names[:3]]
    return tuple(k for k, end in enumerate(ends) if end in ROOT)


def column_of(recipe: Recipe, dof: str) -> int | None:
    """The column of a DOF of the root by its short name; None where it never changes in the examples."""
    root = recipe.names[0].rsplit(".", 1)[0]
    name = f"{root}.{dof}"
    return recipe.names.index(name) if name in recipe.names else None


@dataclass(frozen=True, eq=False)
class Normal:
    """Mean and deviation per DOF: values go through (value - mean) / deviation, and back (Hsu 2005, §4.1)."""

    mean: Floats
    deviation: Floats

    def down(self, values: Floats) -> Floats:
        """To zero mean and unit variance."""
        return (values - self.mean) / self.deviation

    def up(self, values: Floats) -> Floats:
        """The inverse."""
        return values * self.deviation + self.mean


def normal_of(rows: Sequence[Floats], units: Sequence[str], floor: float) -> Normal:
    """Over all frames; a deviation is at least `floor` times the RMS deviation of the DOFs with the same unit."""
    everything = np.concatenate(rows)
    mean, deviation = everything.mean(axis=0), everything.std(axis=0)
    kinds = np.array(units)
    for unit in set(units):
        mine: Ints = np.flatnonzero(kinds == unit)
        usual = float(np.sqrt(np.mean(deviation[mine] ** 2)))
        deviation[mine] = np.maximum(deviation[mine], max(floor * usual, 1e-6))
    return Normal(mean, deviation)


def pose_weights(recipe: Recipe, effects: Floats) -> Floats:
    """The effects of the DOFs of the pose; travel and turning do not count."""
    return np.where(np.isin(recipe.units, ("angle", "length")), effects, 0.0)


def reach_of(recipe: Recipe, effects: Floats, source: Normal, least: float) -> Floats:
    """How much of each DOF's deviations counts as unexpected: less where a deviation moves the body by little.

    Turning and going sideways pass through and do not count; a speed counts by how far it is above the usual one.
    """
    out = np.minimum(pose_weights(recipe, effects) * source.deviation / max(least, 1e-12), 1.0)
    forward = column_of(recipe, "forward")
    if forward is not None:
        usual = SPEEDS * abs(source.mean[forward])
        out[forward] = min(source.deviation[forward] / usual, 1.0) if usual > 0.0 else 0.0
    return np.asarray(out)
