"""Keep feet in place by inverse kinematics near the predicted mean (Lau 2009, §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.motion import Clip
from freshtake.motion.features import decode
from freshtake.motion.planting import learn_planting
from freshtake.numeric.arrays import Floats, Ints
from freshtake.numeric.curves import runs
from freshtake.numeric.rotations import inverse, rotate

if TYPE_CHECKING:
    from freshtake.variation.paper.model import PaperModel

NEAR, SMOOTH = 1.0, 5.0  # w_1 and w_2
STEPS = 4  # most steps of sequential quadratic programming
NUDGE = 1e-4  # change of the DOFs for a numerical derivative
Place = Callable[[Floats], Floats]  # (tries, limb DOFs) -> (tries, 3)


def constrained(place: Place, sample: Floats, mean: Floats, before: Floats, goal: Floats, still: float) -> Floats:
    """Return the DOFs q of one limb that put its end at `goal` (3,), starting from the `sample`.

    min w_1 |q - mean|^2 + w_2 |q - 2 q[t-1] + q[t-2]|^2  subject to  |f(q) - pos|^2 = 0     (Lau 2009, eq. 7)

    `before` (2, DOFs) are the two previous frames, oldest first. Each step of sequential quadratic programming solves
    the problem with f linearized: both soft terms together are a squared distance from one point.
    """
    target = soft_target(mean, before)
    q = sample
    for step in range(2 * STEPS):
        tries = place(np.concatenate([q[None], q + NUDGE * np.eye(len(q))]))
        jacobian = (tries[1:] - tries[0]).T / NUDGE  # (3, DOFs)
        square = jacobian @ jacobian.T
        # Damping keeps a nearly straight leg from jerking to a goal out of its reach.
        square += 0.01 * np.trace(square) * np.eye(3)
        # Half of the steps minimize the cost; damping stops them short of the goal, which the other half then reach.
        base = target if step < STEPS else q
        fresh = base + jacobian.T @ np.linalg.solve(square, goal - tries[0] - jacobian @ (base - q))
        moved, q = float(np.abs(fresh - q).max()), fresh
        if moved < NUDGE and (step >= STEPS or float(np.linalg.norm(goal - tries[0])) < still):
            break
    return q


def soft_target(mean: Floats, before: Floats) -> Floats:
    """Return the DOFs that minimize the two soft terms."""
    return np.asarray((NEAR * mean + SMOOTH * (2.0 * before[1] - before[0])) / (NEAR + SMOOTH))


class _Limb(NamedTuple):
    """A limb whose end is kept in place: the end joint, the DOFs that move it, and the limb's length."""

    joint: int
    columns: Ints
    length: float


def planted(model: PaperModel, rows: Floats, means: Floats) -> Floats:
    """Return rows (frames, DOFs) with standing feet in place: each stays where its ankle was when it landed.

    Feet stand when they stand in the most similar moments of the examples. For a moment after a contact, a limb
    follows the soft terms alone, back to the predicted `means` (frames, DOFs).
    """
    recipe = model.material.recipe
    clip = model.decode(rows)
    if recipe is None or not isinstance(clip, Clip):
        raise UsageError("only clips of a body have feet to plant: leave planting out")
    planting = learn_planting([c for c in map(model.decode, model.material.values) if isinstance(c, Clip)])
    if not planting.feet:
        raise UsageError("this skeleton has no feet to plant: leave planting out")
    contacts, out = np.asarray(planting.contacts(clip) > 0.5), rows.copy()
    # A limb returns to the sample within 0.3 s after a contact.
    settle = max(1, round(0.3 / model.frame_time))
    first = 0
    for foot in planting.feet:
        limb = _limb(model, foot.ankle)
        stands = np.asarray(contacts[:, first : first + len(foot.joints)].any(axis=1))
        first += len(foot.joints)
        for start, stop in runs(stands):
            goal = clip.positions()[start, foot.ankle]
            for t in range(max(start, 2), min(stop + settle, len(rows))):
                before, mean = out[t - 2 : t, limb.columns], means[t, limb.columns]
                if t >= stop and stands[t]:
                    break
                if t >= stop:
                    out[t, limb.columns] = soft_target(mean, before)
                    continue
                world = clip.world()
                root, turn = world.positions[t, 0], world.rotations[t, 0]
                local = rotate(inverse(turn), goal - root)
                place = _placing(model, out[t], limb)
                # Within a thousandth of its length, the limb is in place.
                out[t, limb.columns] = constrained(place, out[t, limb.columns], mean, before, local, 1e-3 * limb.length)
    return out


def _placing(model: PaperModel, row: Floats, limb: _Limb) -> Place:
    """Return the forward kinematics f of a limb: the position of its end relative to the root."""
    recipe = model.material.recipe
    assert recipe is not None

    def place(tries: Floats) -> Floats:
        rows = np.repeat(row[None], len(tries), axis=0)
        rows[:, limb.columns] = tries
        posed = decode(recipe, rows)
        assert isinstance(posed, Clip)
        world = posed.world()
        return rotate(inverse(world.rotations[:, 0]), world.positions[:, limb.joint] - world.positions[:, 0])

    return place


def _limb(model: PaperModel, ankle: int) -> _Limb:
    """Return an ankle with the DOFs of the joints between it and the root, and the length of this limb."""
    skeleton = model.material.skeleton
    assert skeleton is not None
    chain = [j for j in skeleton.chain(ankle) if j not in (0, ankle)]
    columns = np.flatnonzero(model.material.dofs_of([skeleton.names[j] for j in chain]))
    return _Limb(ankle, columns, float(skeleton.lengths()[[*chain, ankle]].sum()))
