"""Choose systems for all blocks: their states and steadiness, by errors on left-out clips."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from freshtake.numeric.arrays import Floats
from freshtake.style.columns import HEADING, RATES, TIMING, Block
from freshtake.style.systems import identification
from freshtake.style.systems.banks import Bank, System

if TYPE_CHECKING:
    from freshtake.style.model import Settings

Mapper = Callable[..., Iterable[Any]]
ORDERS = (0, 2, 4, 6, 8, 10, 12, 16, 20)
QUICK = 6  # states used when trying out steadinesses
STEADINESSES = (0.0, 0.2)
UNMOVED = 5.0  # steadiness of the timing for limbs, whose constant poses do not determine it; 50 has the same effect
RIDGE = 1e-2
SUBSPACE_RIDGE = 1e-4
FOLDS, ALL = 4, -1


class Trial(NamedTuple):
    """A normalized pair: inputs with `past` rows that lead up to the first output, outputs, and its fold."""

    inputs: Floats
    outputs: Floats
    past: int
    fold: int


class Prior(NamedTuple):
    """Assumptions before fitting.

    `gains` (inputs, outputs) is the response to constant inputs if takes do not determine it. `importance` (outputs,)
    weighs squared errors when systems are compared, so that noise in a DOF that hardly moves does not matter. Among
    systems with errors on left-out clips up to `slack` times the smallest, the system with the fewest states is chosen.
    """

    gains: Floats
    importance: Floats
    slack: float = 1.0


def past_frames(fps: float) -> int:
    """Return the number of rows that lead up to the first frame of a trial: 1.5 seconds."""
    return round(1.5 * fps)


def fold_numbers(names: Sequence[tuple[str, str]]) -> list[int]:
    """Return the fold of each pair: pairs with one source clip share a fold; if all do, pairs with one target."""
    side = 0 if len({source for source, _ in names}) > 1 else 1
    order = {name: k for k, name in enumerate(dict.fromkeys(pair[side] for pair in names))}
    return [order[pair[side]] % FOLDS for pair in names]


def fit_systems(
    blocks: Sequence[Block], trials: Sequence[Trial], prior: Prior, settings: Settings, fps: float, map: Mapper
) -> tuple[Bank, Floats]:
    """Fit a state-space system for each block; its order is chosen by singular values and errors on left-out clips.

    Returns the bank, and its squared errors (outputs,) per frame on left-out clips.
    """
    # The longest clip must contain a past, a future and a few windows of both.
    most = (max(len(trial.outputs) for trial in trials) - 4) // 2
    horizon = max(2, min(round(settings.horizon * fps), most))
    fitted = list(map(lambda block: _block_system(block, trials, prior, settings, fps, horizon), blocks))
    errors = np.zeros(1 + max(max(block.outputs) for block in blocks))
    for block, (_, error) in zip(blocks, fitted, strict=True):
        errors[list(block.outputs)] = error
    return Bank(tuple(blocks), tuple(system for system, _ in fitted)), errors


def _block_system(
    block: Block, trials: Sequence[Trial], prior: Prior, settings: Settings, fps: float, horizon: int
) -> tuple[System, Floats]:
    outputs = list(block.outputs)
    gains, importance = prior.gains[np.ix_(block.inputs, outputs)], prior.importance[outputs]
    data = [(t.inputs[:, block.inputs], t.outputs[:, outputs], t.past) for t in trials]
    moments = [identification.moments_of(u[past:], y, horizon) for u, y, past in data]
    radius = settings.radius ** (30.0 / fps)
    numbers = sorted({t.fold for t in trials})
    # With a single fold there is nothing to leave out, so the simplest system is chosen.
    folds = numbers if len(numbers) > 1 else []
    training = {fold: [k for k, t in enumerate(trials) if t.fold != fold] for fold in (ALL, *folds)}
    spaces = {
        fold: identification.subspace(identification.added_moments([moments[k] for k in part]), SUBSPACE_RIDGE)
        for fold, part in training.items()
    }

    def fitted(fold: int, order: int, steadiness: float) -> tuple[System, Floats]:
        """Learn from all trials but those of a fold, and return squared errors on that fold."""
        chosen, test = training[fold], [k for k, t in enumerate(trials) if t.fold == fold]
        poles = identification.poles_of(spaces[fold], order, radius)
        parts = {k: identification.products_of(*data[k][:2], poles, data[k][2]) for k in (*chosen, *test)}
        together = identification.added([parts[k] for k in chosen])
        together = identification.steadied(together, poles, pulls_of(block, steadiness), gains)
        # Two rounds of regressions are enough to compare systems.
        system = identification.fit(
            poles, together, settings.ridge or RIDGE, rounds=2 if test else identification.ROUNDS
        )
        return system, np.sum([identification.error(system, parts[k]) for k in test], axis=0) if test else np.zeros(1)

    def left_out(order: int, steadiness: float) -> Floats:
        """Return squared errors (outputs,) per frame on the left-out folds."""
        frames = sum(len(y) for _, y, _ in data)
        return sum((fitted(fold, order, steadiness)[1] for fold in folds), np.zeros(len(outputs))) / frames

    choices = _steadinesses(settings, block, trials)
    steadiness = choices[0]
    if len(choices) > 1:
        # A small system shows whether a clip's mean pose is random (takes of a walk) or content (a throw).
        small = QUICK if settings.order is None else settings.order
        steadiness = min(choices, key=lambda each: float(left_out(small, each) @ importance))
    worth = identification.orders_worth_trying(spaces[ALL], settings.most_states)
    orders = [n for n in ORDERS if n <= worth] if settings.order is None else [settings.order]
    scores = [left_out(order, steadiness) for order in orders]
    sums = np.array([score @ importance for score in scores])
    best = int(np.argmax(sums <= prior.slack * sums.min()))
    return fitted(ALL, orders[best], steadiness)[0], scores[best]


def _steadinesses(settings: Settings, block: Block, trials: Sequence[Trial]) -> tuple[float, ...]:
    """Return the steadinesses to try; the heading gets the largest, so turning does not become a lasting sway.

    Pairs with a single source clip do not show whether its mean pose is random.
    """
    if settings.steadiness is not None:
        return (settings.steadiness,)
    alone = all(np.array_equal(trial.inputs, trials[0].inputs) for trial in trials)
    return STEADINESSES[-1:] if alone or block.name in (HEADING, TIMING) else STEADINESSES


def pulls_of(block: Block, steadiness: float) -> Floats:
    """Return the steadiness of each input of a block; the timing's inputs are the root's rates, then limbs."""
    pulls = np.full(len(block.inputs), steadiness)
    if block.name == TIMING:
        pulls[RATES:] = UNMOVED
    return pulls
