"""Systems for all blocks, learned and compared on held-out clips: which kind, which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from freshtake.errors import UsageError
from freshtake.numeric.arrays import Floats
from freshtake.style.columns import HEADING, ROOT, TIMING, Block
from freshtake.style.settings import Settings
from freshtake.style.systems import delays, identification
from freshtake.style.systems.banks import Bank, DelayBank, StateSpaceBank, System

Mapper = Callable[..., Iterable[Any]]
ORDERS = (0, 2, 4, 6, 8, 10, 12, 16, 20)
MEMORIES = (0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0)  # seconds of delay line that are tried
STEADINESSES = (0.0, 0.2)
UNMOVED = 5.0  # steadiness of the timing for limbs: constant poses do not determine it; 50 gives the same
RIDGES = {"n4sid": 1e-2, "fir": 3e-2}
TAP_RATE = 30.0  # taps per second
SUBSPACE_RIDGE = 1e-4
FOLDS, ALL = 4, -1
CALMING = 0.03  # seconds; recorded walks: jerk 1.7 times that of real takes without, 1.1 times with, 1.4 with 0.015
AS_NEAR = 1.15  # errors on clips left out; recorded walks 1.00, made-up ones 1.1, throws and jumps 2 and more


class Trial(NamedTuple):
    """A pair, normalized: inputs with `past` rows that lead up to the first output, outputs, and its fold."""

    inputs: Floats
    outputs: Floats
    past: int
    fold: int


class Prior(NamedTuple):
    """What is assumed before fitting.

    `gains` (inputs, outputs) is the response to constant inputs where takes leave it open; `importance` weighs
    squared errors (outputs,) when systems are compared, so that noise in a DOF that hardly moves does not count. Among
    systems whose errors on clips left out are within `slack` of the least, the one with the fewest states is taken.
    """

    gains: Floats
    importance: Floats
    slack: float = 1.0


class Fitted(NamedTuple):
    """A bank and its squared errors on clips left out, (outputs,), per frame."""

    bank: Bank
    errors: Floats


def past_frames(fps: float) -> int:
    """Return how many rows lead up to the first frame of a trial."""
    # 1.5 s of past lead up to the first frame.
    return round(1.5 * fps)


def fold_numbers(names: Sequence[tuple[str, str]]) -> list[int]:
    """Number the folds: pairs that share a source clip, or a target clip where there is one source, share a fold."""
    side = 0 if len({source for source, _ in names}) > 1 else 1
    order = {name: k for k, name in enumerate(dict.fromkeys(pair[side] for pair in names))}
    return [order[pair[side]] % FOLDS for pair in names]


def horizon_of(settings: Settings, fps: float) -> int:
    """Count the frames of past, and of future, that the subspace method sees."""
    return max(2, round(settings.horizon * fps))


def kind_of(settings: Settings, trials: Sequence[Trial], fps: float) -> tuple[str, str]:
    """Choose the kind of system and return why: n4sid, smaller than a delay line, where clips are long enough."""
    if settings.system != "auto":
        return settings.system, "as asked for"
    longest, needed = max(len(trial.outputs) for trial in trials), 2 * horizon_of(settings, fps) + 4
    if longest < needed:
        return "fir", f"fir: the longest pair has {longest} frames, and the subspace method needs {needed}"
    return "n4sid", "n4sid: as near to the style as a delay line, and smaller"


def calming_of(
    blocks: Sequence[Block], trials_of: Callable[[float], Sequence[Trial]], prior: Prior, settings: Settings,
    fps: float, map: Mapper, degrees: Callable[[Floats], float],
) -> float:  # fmt: skip
    """Choose whether inputs are smoothed: a gait is predictable and loses nothing; a throw would be late.

    Measured by short delay lines on clips left out; where there is nothing to leave out, inputs stay as they are.
    """
    quick = settings.changed(memory=MEMORIES[1])
    plain, calm = (degrees(fit_delays(blocks, trials_of(c), prior, quick, fps, map).errors) for c in (0.0, CALMING))
    return CALMING if 0.0 < calm <= AS_NEAR * plain else 0.0


def fit_state_space(
    blocks: Sequence[Block], trials: Sequence[Trial], prior: Prior, settings: Settings, fps: float, map: Mapper
) -> Fitted:
    """Fit N4SID for every block; its order is chosen by singular values and the error on held-out clips."""
    horizon = horizon_of(settings, fps)
    longest = max(len(trial.outputs) for trial in trials)
    if longest < 2 * horizon + 4:
        raise UsageError(
            f"the longest pair has {longest} frames, but the subspace method needs {2 * horizon + 4} at this rate: "
            "give longer clips, a shorter horizon or system='fir'"
        )
    done = list(map(lambda block: _block_system(block, trials, prior, settings, fps, horizon), blocks))
    errors = np.zeros(1 + max(max(block.outputs) for block in blocks))
    for block, (_, error) in zip(blocks, done, strict=True):
        errors[list(block.outputs)] = error
    return Fitted(StateSpaceBank(tuple(blocks), tuple(system for system, _ in done)), errors)


def _block_system(
    block: Block, trials: Sequence[Trial], prior: Prior, settings: Settings, fps: float, horizon: int
) -> tuple[System, Floats]:
    gains, importance, _ = _of_block(prior, block)
    data = [(t.inputs[:, block.inputs], t.outputs[:, block.outputs], t.past, t.fold) for t in trials]
    moments = [identification.moments_of(u[past:], y, horizon) for u, y, past, _ in data]
    radius = settings.radius ** (30.0 / fps)
    ridge = settings.ridge or RIDGES["n4sid"]
    steadiness = pulls_of(block, block_steadiness(block, trials, prior, settings, fps))

    everything = list(range(len(data)))
    folds = _judging(data[k][3] for k in everything)
    spaces = {
        fold: identification.subspace(identification.added_moments([moments[k] for k in part]), SUBSPACE_RIDGE)
        for fold, part in [(ALL, everything), *((fold, _without(everything, data, fold)) for fold in folds)]
    }

    def fitted(fold: int, order: int) -> tuple[System, Floats]:
        """Learn on all trials but a fold's, and return squared errors on that fold."""
        chosen, test, space = _without(everything, data, fold), _only(everything, data, fold), spaces[fold]
        poles = identification.poles_of(space, order, radius)
        parts = {k: identification.products_of(*data[k][:2], poles, data[k][2]) for k in (*chosen, *test)}
        together = identification.steadied(identification.added([parts[k] for k in chosen]), poles, steadiness, gains)
        # Two rounds of the regressions are enough for comparing systems.
        system = identification.fit(poles, together, ridge, rounds=2 if test else identification.ROUNDS)
        return system, np.sum([identification.error(system, parts[k]) for k in test], axis=0) if test else np.zeros(1)

    worth = identification.orders_worth_trying(spaces[ALL], settings.most_states)
    orders = [settings.order] if settings.order else [n for n in ORDERS if n <= worth[-1]] or [worth[-1]]
    frames = sum(len(y) for _, y, _, _ in data)
    none = np.zeros(len(block.outputs))
    scores = [sum((fitted(fold, order)[1] for fold in folds), none) / frames for order in orders]
    sums = np.array([score @ importance for score in scores])
    best = int(np.argmax(sums <= prior.slack * sums.min()))
    return fitted(ALL, orders[best])[0], scores[best]


def _of_block(prior: Prior, block: Block) -> Prior:
    outputs = list(block.outputs)
    return prior._replace(gains=prior.gains[np.ix_(block.inputs, outputs)], importance=prior.importance[outputs])


def _judging(folds: Iterable[int]) -> list[int]:
    """Return the folds that can be left out; with a single fold none, and the simplest system is chosen."""
    numbers = sorted(set(folds))
    return numbers if len(numbers) > 1 else []


def _without(everything: list[int], data: Sequence[tuple[Any, ...]], fold: int) -> list[int]:
    return [k for k in everything if data[k][3] != fold]


def _only(everything: list[int], data: Sequence[tuple[Any, ...]], fold: int) -> list[int]:
    return [k for k in everything if data[k][3] == fold]


def fit_delays(
    blocks: Sequence[Block], trials: Sequence[Trial], prior: Prior, settings: Settings, fps: float, map: Mapper
) -> Fitted:
    """Fit a delay line for every block; its memory is chosen by the error on held-out clips."""
    stride = max(1, round(fps / TAP_RATE))
    memories = MEMORIES if settings.memory is None else (settings.memory,)
    counts = sorted({1 + max(0, round(seconds * fps / stride)) for seconds in memories})
    limit = 1 + min(trial.past for trial in trials) // stride
    counts = sorted({min(count, limit) for count in counts})
    done = list(map(lambda block: _block_delays(block, trials, prior, settings, stride, counts), blocks))
    errors = np.zeros(1 + max(max(block.outputs) for block in blocks))
    for block, (_, _, error) in zip(blocks, done, strict=True):
        errors[list(block.outputs)] = error
    bank = DelayBank(tuple(blocks), tuple(taps for taps, _, _ in done), tuple(offset for _, offset, _ in done), stride)
    return Fitted(bank, errors)


def _block_delays(
    block: Block, trials: Sequence[Trial], prior: Prior, settings: Settings, stride: int, counts: Sequence[int]
) -> tuple[Floats, Floats, Floats]:
    gains, importance, _ = _of_block(prior, block)
    ridge, m = settings.ridge or RIDGES["fir"], len(block.inputs)
    tried = []
    for count in counts:
        parts = _delay_products(block, trials, stride, count)
        for steadiness in _steadinesses(settings, block, trials):
            error = _delay_error(block, parts, trials, gains, steadiness, ridge)
            tried.append((float(error @ importance), count, steadiness, parts, error))
    _, count, steadiness, parts, error = min(tried, key=lambda each: each[0])
    together = delays.steadied(delays.added(parts), m, pulls_of(block, steadiness), gains)
    return (*delays.shaped(delays.fit(together, ridge), count, m), error)


def _steadinesses(settings: Settings, block: Block, trials: Sequence[Trial]) -> tuple[float, ...]:
    """Return the steadinesses to try; the heading gets the largest, so that turning does not become a lasting sway.

    A single source clip, however often it is paired, does not show what its mean pose means.
    """
    if settings.steadiness is not None:
        return (settings.steadiness,)
    alone = all(np.array_equal(trial.inputs, trials[0].inputs) for trial in trials)
    return STEADINESSES[-1:] if alone or block.name in (HEADING, TIMING) else STEADINESSES


def pulls_of(block: Block, steadiness: float) -> Floats:
    """Return the steadiness of every input of a block; of the timing's, the root's rates come first, then limbs."""
    pulls = np.full(len(block.inputs), steadiness)
    if block.name == TIMING:
        pulls[len(ROOT) :] = UNMOVED
    return pulls


def block_steadiness(block: Block, trials: Sequence[Trial], prior: Prior, settings: Settings, fps: float) -> float:
    """Estimate whether a clip's mean pose is chance (takes of a walk) or content (a throw) by a short delay line."""
    choices, stride = _steadinesses(settings, block, trials), max(1, round(fps / TAP_RATE))
    if len(choices) == 1:
        return choices[0]
    count = 1 + min(round(MEMORIES[1] * fps), min(trial.past for trial in trials)) // stride
    parts = _delay_products(block, trials, stride, count)
    gains, importance, _ = _of_block(prior, block)
    errors = [_delay_error(block, parts, trials, gains, choice, RIDGES["fir"]) @ importance for choice in choices]
    return choices[int(np.argmin(errors))]


def _delay_products(block: Block, trials: Sequence[Trial], stride: int, count: int) -> list[delays.DelayProducts]:
    return [
        delays.products_of(t.inputs[:, block.inputs], t.outputs[:, block.outputs], t.past, count, stride)
        for t in trials
    ]


def _delay_error(
    block: Block, parts: Sequence[delays.DelayProducts], trials: Sequence[Trial], gains: Floats, steadiness: float,
    ridge: float,
) -> Floats:  # fmt: skip
    """Return squared errors (outputs,) per frame on folds left out."""
    error, pulls = np.zeros(parts[0].outputs.shape[1]), pulls_of(block, steadiness)
    for fold in _judging(t.fold for t in trials):
        rest = delays.added([p for p, t in zip(parts, trials, strict=True) if t.fold != fold])
        weights = delays.fit(delays.steadied(rest, len(block.inputs), pulls, gains), ridge)
        error += np.sum(
            [delays.error(weights, p) for p, t in zip(parts, trials, strict=True) if t.fold == fold], axis=0
        )
    return np.asarray(error / sum(len(t.outputs) for t in trials))
