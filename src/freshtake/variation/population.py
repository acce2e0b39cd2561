"""How far takes of people deviate: prior knowledge from a population, for a movement that it does not contain.

The standard deviation of a DOF among takes of one movement follows from how far it moves and from the body part:

    log size = intercept + slope * log range,    range: standard deviation of the DOF along the take

`benchmarks/population.py` fits both numbers for every part on 60 sets of takes of 24 performers and prints this table;
the error that remains is a factor of about 1.6. Angles are in radians, lengths in lengths of a leg. The data used in
this project was obtained from mocap.cs.cmu.edu. The database was created with funding from NSF EIA-0196217.
"""

from __future__ import annotations

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion.body.roles import leg_length
from freshtake.motion.features import Recipe
from freshtake.motion.skeleton import Skeleton
from freshtake.numeric.arrays import Floats

SIZES: dict[str, tuple[float, float]] = {
    "forward": (-3.40, 0.37), "sideways": (-3.02, 0.33), "turn": (-1.72, 0.47), "height": (-3.40, 0.28),
    "hips": (-3.43, 0.09), "spine": (-3.25, 0.24), "neck": (-1.31, 0.43), "head": (-2.32, 0.30),
    "upper_arm": (-1.56, 0.49), "lower_arm": (-1.61, 0.50), "hand": (-1.12, 0.57),
    "upper_leg": (-2.57, 0.30), "lower_leg": (-2.33, 0.46), "foot": (-1.34, 0.64), "toes": (-0.65, 0.71),
    "other": (-1.99, 0.41),
}  # fmt: skip
"""Intercept and slope by body part."""

TEMPO = 0.066  # standard deviation of the logarithm of the duration
PACE = 0.02  # likewise, of the pace within a take
WORTH = 2.0  # takes that this knowledge of a DOF's size is worth: its error is a factor of 1.6
STEP = 0.3  # seconds between knots of the prior: variants then change as fast as takes (odd performers)
PLAIN = (-1.5, 1.0)  # for motions without a body: in proportion to the range, like a body's limbs on average
LEAST = 1e-4  # radians or leg lengths: a smaller range is ignored


def usual_sizes(recipe: Recipe | None, names: tuple[str, ...], mean: Floats) -> Floats:
    """Return the usual deviations of takes of such a movement, from the movement alone.

    Args:
        recipe: The meaning of the DOFs; None for plain arrays.
        names: (DOFs,): the DOFs by name.
        mean: (phases, DOFs): the mean of the takes; root speeds as places and headings.

    Returns:
        (DOFs,): one standard deviation each.
    """
    ranges = mean.std(axis=0)
    skeleton = None if recipe is None else recipe.skeleton
    if recipe is None or skeleton is None:
        return np.asarray(np.exp(PLAIN[0]) * ranges ** PLAIN[1])
    leg = leg_length(skeleton)
    roles = joint_roles(skeleton)
    out = np.empty(len(names))
    for k, (name, unit) in enumerate(zip(names, recipe.units, strict=True)):
        joint, _, dof = name.rpartition(".")
        role = dof if dof in SIZES else roles.get(joint, "other")
        intercept, slope = SIZES[role]
        scale = leg if unit in ("length", "speed") else 1.0
        out[k] = scale * np.exp(intercept) * max(float(ranges[k]) / scale, LEAST) ** slope
    return out


def joint_roles(skeleton: Skeleton) -> dict[str, str]:
    """Return the body part of every joint known by name or shape, without sides; empty for no human body."""
    from freshtake.motion.retarget.mapping import find_body  # only learning needs it

    try:
        body = find_body(skeleton)
    except UsageError:
        return {}
    roles = {}
    for role, joints in body.joints.items():
        part = role.removeprefix("left_").removeprefix("right_")
        for joint in joints:
            roles[skeleton.names[joint]] = part if part in SIZES else "other"
    return roles
